# SPDX-License-Identifier: BSD-2-Clause
"""Profiles that optimise programs: what compilers and BOLT, which are run here, read is what was measured, and the
program that they make of it does the same."""

import os
import re

from command import check_error, check_files, expect, long, need_program, profil, report, run
from exported import run_well
from measure import take
from recorded import Recorded

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")

# A function of one name in two files of one name, as local symbols; each takes some of the time, the second more.
PART = """static __attribute__((noinline)) unsigned spin(unsigned x, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		x = x * MORE + (x >> 7 & i);
	return x;
}
unsigned NAME(unsigned x, unsigned count);
unsigned NAME(unsigned x, unsigned count)
{
	return spin(x, count) + 1;
}
"""
PARTS = """#include <stdio.h>
unsigned first(unsigned x, unsigned count), second(unsigned x, unsigned count);
int main(void)
{
	unsigned x = 1;
	for (int i = 0; i < 300; i++)
		x = x % 3 ? second(first(x, 100000), 300000) : first(second(x, 300000), 100000);
	printf("%u\\n", x);
	return 0;
}
"""


# Two ways, each as long in time; a comment of the assembler marks each.  Its division is its own, so that
# it has samples that are not of a loop within it: 1 in 20.
TWO_WAYS = """#include <stdlib.h>
volatile int left;
static inline unsigned slow(unsigned x)
{
	for (int i = 0; i < 20; i++)
		x = 1000000007u / (x | 1) + i;
	return x;
}
__attribute__((noinline)) unsigned ways(unsigned count)
{
	unsigned x = 1;
	for (unsigned i = 0; i < count; i++) {
		if (left) {
			__asm__ volatile("# way left");
			x += slow(x) / (i | 1);
		} else {
			__asm__ volatile("# way right");
			x ^= slow(x + 3) / (i | 1);
		}
	}
	return x;
}
int main(int argc, char **argv)
{
	left = argc > 1 && atoi(argv[1]);
	return ways(3000000) == 7;
}
"""


def build_parts(*flags):
    """The program of these files, to be found by its whole path."""
    for folder, defines in (("a", ["-DNAME=first", "-DMORE=5"]), ("b", ["-DNAME=second", "-DMORE=9"])):
        os.makedirs(folder)
        with open(f"{folder}/part.c", "w") as source:
            source.write(PART)
        run_well("cc", "-O2", "-g", *defines, "-c", "-o", f"{folder}.o", f"{folder}/part.c")
    with open("main.c", "w") as source:
        source.write(PARTS)
    run_well("cc", "-O2", "-g", *flags, "-o", "parts", "main.c", "a.o", "b.o")
    return os.path.abspath("parts")


def bolted(program, profile):
    """PROFILE of PROGRAM for BOLT, as {(function, offset): samples}, after BOLT has made PROGRAM.bolt of it."""
    done = profil("export", "--to", "bolt", "-o", "fdata", profile)
    expect(done.status == 0, done.words)
    with open("fdata") as file:
        head, *lines = file.read().splitlines()
    expect(head == "no_lbr cpu-clock cycles", head)
    records = {}
    for line in lines:
        kind, name, offset, count = line.split(" ")
        expect(kind == "1" and (name, offset) not in records, line)
        records[name, int(offset, 16)] = int(count)
    text = run_well("llvm-bolt-19", program, "-o", f"{program}.bolt", "-data", "fdata", "-reorder-blocks=ext-tsp",
                    "-reorder-functions=hfsort")
    expect("operating with basic samples profiling data (no LBR)" in text
           and "normalizing samples by instruction count" in text
           and not re.search("invalid|stale|corrupt|ignor", text), text)
    # It knows each of the functions by its name.
    used = sum(int(count) for count in
               re.findall(r"^BOLT-INFO: (\d+) (?:out of .* have non-empty execution profile"
                          r"|functions with profile could not be optimized)$", text, re.MULTILINE))
    expect(used == len({name for name, _ in records}) > 0, f"{used}: {text}{lines}")
    return records, done.words


def case_bolt():
    """llvm-bolt takes the profile of every function, also where two files of one name have functions of one name, as of
    the code that ran; each sample in the program is in it, at its place, and the others are told."""
    need_program("llvm-bolt-19", "nm")
    program = build_parts("-Wl,-q")
    measurement = take(program, cpu=False)
    records, left = bolted(program, measurement.path)
    spans = {}
    for start, size, name in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\w+)$", run_well("nm", "-nS", program),
                                        re.MULTILINE):
        called = f"spin/part.c/{2 if 'spin/part.c/1' in spans else 1}" if name == "spin" else name
        spans[called] = range(int(start, 16), int(start, 16) + int(size, 16))
    cells = {row["address"]: row["samples"]
             for row in report(measurement.path, "--by", "address", "--object", program)["rows"] if row["samples"]}
    found = {spans[name].start + offset: count for (name, offset), count in records.items()}
    expect(found == {address: count for address, count in cells.items()
                     if any(address in span for span in spans.values())}, f"{found} {cells} {spans}")
    # The start of the program and the linkage table are no functions.
    inside, placed = sum(cells.values()), sum(records.values())
    told = [f" {measurement.fired - inside} are not in {program}"] * (inside < measurement.fired)
    told += [f" {inside - placed} are in no function of its symbols"] * (placed < inside)
    expect(left == (f"profil: bolt: of {measurement.fired} samples{' and'.join(told)}: they are left out\n"
                    if told else ""), f"{left} {inside} {placed}")
    text = run_well("llvm-bolt-19", program, "-o", os.devnull, "-data", "fdata", "-print-profile", "-print-only=spin.*")
    shown = re.findall(r"All names +: spin/\d+\n +(spin/part.c/\d)\n(?:.*\n)*?  Address +: 0x([0-9a-f]+)\n", text)
    expect({name: int(start, 16) for name, start in shown} ==
           {name: spans[name].start for name in ("spin/part.c/1", "spin/part.c/2")}, text)
    expect(run_well(f"{program}.bolt") == run_well(program), "it does something else")


def autofdo_of(program, profile):
    """Returns the samples of PROFILE by AutoFDO's own tools, {function: samples with what is inlined}, after every
    sample in PROGRAM was found in the text."""
    done = profil("export", "--to", "autofdo", "-o", "text", profile)
    expect(done.status == 0, done.words)
    with open("text") as file:
        lines = file.read().splitlines()
    samples = [row["samples"] for row in report(profile, "--by", "address", "--object", program)["rows"]]
    expect(lines[0] == "0" and lines[-1] == "0" and int(lines[1]) == len(lines) - 3 == sum(map(bool, samples)), lines)
    expect(sum(int(line.split(":")[1]) for line in lines[2:-1]) == sum(samples), lines)
    run_well("create_gcov", f"--binary={program}", "--profile=text", "--profiler=text", "--use_lbr=false", "--gcov=gcov")
    return {name: int(count) for name, count in
            re.findall(r"^(\w+) total:(\d+) head:\d+$", run_well("dump_gcov", "gcov"), re.MULTILINE)}


def case_autofdo():
    """create_gcov finds the samples of each function, inlined ones included, at whatever address the program is linked."""
    need_program("create_gcov")
    with open("ways.c", "w") as source:
        source.write(TWO_WAYS)
    for flags in ((), ("-no-pie",), ("-no-pie", "-Wl,-z,noseparate-code,--section-start=.text=0x601000")):
        # The version in Debian 12 reads no DWARF 5.
        run_well("cc", "-O2", "-g", "-gdwarf-4", *flags, "-o", "ways", "ways.c")
        program = os.path.abspath("ways")
        measurement = take(program, cpu=False)
        found = autofdo_of(program, measurement.path)
        due = {row["name"]: row["samples"] for row in report(measurement.path, "--object", program)["rows"]}
        # It takes no instruction whose row of the line table begins no statement: one of the loop.
        expect(due["ways"] / 2 < found["ways"] <= due["ways"] and due["ways"] > measurement.fired / 2,
               f"{flags}: {found} {due}")
        os.unlink("ways")


def case_what_optimises_nothing():
    """Of a file that is another one by now, or has no symbols, or of several libraries, nothing is written."""
    need_program("strip")
    libraries = Recorded("sqlite").path
    check_error(profil("export", "--to", "bolt", libraries), says="several libraries have the samples: name one")
    check_error(profil("export", "--to", "bolt", "--object", "[kernel]", libraries),
                says="no sample is in a program or library")
    program = build_parts()
    measurement = take(program, cpu=False)
    before = sorted(os.listdir())
    os.rename("parts", "kept")
    for to in ("bolt", "autofdo"):
        check_error(profil("export", "--to", to, measurement.path), says="parts: the file is gone: take a new profile")
    run_well("cc", "-O2", "-o", "parts", "main.c", "a.o", "b.o")
    for to in ("bolt", "autofdo"):
        check_error(profil("export", "--to", to, "-o", "new", measurement.path),
                    says="parts: another file stands there since it ran")
    run_well("strip", "-o", "parts", "kept")
    check_error(profil("export", "--to", "bolt", "-o", "fdata", measurement.path), says="parts: it has no symbols")
    os.rename("kept", "parts")
    check_files(*before)


@long
def case_bolt_sqlite():
    """A whole SQLite that BOLT has optimised, by the profile of its 2,600 functions, gives the same answers."""
    need_program("llvm-bolt-19")
    run_well("cc", "-O2", "-Wl,-q", "-o", "sql", f"{BENCH}/sql.c", "-l:libsqlite3.a", "-lm", "-pthread")
    program = os.path.abspath("sql")
    measurement = take(program, cpu=False)
    records, left = bolted(program, measurement.path)
    expect(len({name for name, _ in records}) > 30 and sum(records.values()) > measurement.fired / 2, left)
    expect(run_well(f"{program}.bolt") == run_well(program), "it does something else")


def case_llvm():
    """clang takes it for -fprofile-sample-use, and lays the way first that the program took."""
    need_program("clang")
    with open("ways.c", "w") as source:
        source.write(TWO_WAYS)
    run_well("clang", "-O2", "-g", "-o", "ways", "ways.c")
    orders, texts = {}, {}
    for argument in ("0", "1"):
        measurement = take(os.path.abspath("ways"), argument, cpu=False)
        done = profil("export", "--to", "llvm", "-o", "samples", measurement.path)
        expect(done.status == 0, done.words)
        with open("samples") as samples:
            text = samples.read()
        left = re.search(r"of (\d+) samples (\d+) are of no known", done.words)
        totals = sum(int(ticks) for ticks in re.findall(r"^\S+:(\d+):0$", text, re.MULTILINE))
        lines = sum(int(ticks) for ticks in re.findall(r"^ +\d+: (\d+)$", text, re.MULTILINE))
        expect(totals == lines == measurement.fired - (int(left[2]) if left else 0), text)
        expect(re.search(r"^ways:\d+:0$", text, re.MULTILINE)
               and re.search(r"^ \d+: slow:\d+$", text, re.MULTILINE), text)
        done = run("clang", "-O2", "-g", "-Werror", "-fprofile-sample-use=samples", "-S", "-o",
                   "ways.s", "ways.c")
        expect(done.status == 0, f"clang: {done.words}{text}")
        with open("ways.s") as assembly:
            code = assembly.read()
        orders[argument], texts[argument] = re.findall(r"# way (\w+)", code), text
        os.unlink("samples")
    expect(orders["0"][0] == "right" and orders["1"][0] == "left", f"{orders}: {texts}")


# One function of two callers, each of which goes its own way in it; main calls both from the library's code.
CALLERS = TWO_WAYS[:TWO_WAYS.index("__attribute__")].replace("volatile int left;", "volatile int first, second;") + """
static unsigned ways(int left, unsigned x, unsigned i)
{
	if (left) {
		__asm__ volatile("# way left");
		x += slow(x) / (i | 1);
	} else {
		__asm__ volatile("# way right");
		x ^= slow(x + 3) / (i | 1);
	}
	return x;
}
__attribute__((noinline)) unsigned lefty(unsigned x, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		x = ways(first, x, i);
	return x;
}
__attribute__((noinline)) unsigned righty(unsigned x, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		x = ways(second, x, i);
	return x;
}
int main(int argc, char **argv)
{
	first = argc > 1;
	return righty(lefty(1, 1500000), 1500000) == 7;
}
"""


def case_llvm_contexts():
    """clang inlines a function that was called into each caller, and lays each copy as the samples under that caller say;
    each sample is in it once, as without contexts."""
    need_program("clang")
    with open("callers.c", "w") as source:
        source.write(CALLERS)
    run_well("clang", "-O1", "-fno-inline", "-g", "-o", "callers", "callers.c")
    measurement = take(os.path.abspath("callers"), "1", options=["-F", "997", "-g"], cpu=False)
    sums = set()
    for to in ("llvm", "llvm-contexts"):
        expect(profil("export", "--to", to, "-o", to, measurement.path).status == 0, to)
        with open(to) as samples:
            text = samples.read()
        sums |= {sum(map(int, re.findall(r"^\S+:(\d+):0$", text, re.MULTILINE))),
                 sum(map(int, re.findall(r"^ +\d+: (\d+)$", text, re.MULTILINE)))}
    expect(len(sums) == 1 and sums.pop() > measurement.fired / 2, text)
    expect(re.search(r"^ \d+: lefty:\d+\n(?:  +.*\n)*?  \d+: ways:\d+$", text, re.MULTILINE), text)
    run_well("clang", "-O2", "-g", "-Werror", "-fprofile-sample-use=llvm-contexts", "-S", "-o", "callers.s", "callers.c")
    with open("callers.s") as assembly:
        code = assembly.read()
    for name, way in (("lefty", "left"), ("righty", "right")):
        body = code[code.index(f"\n{name}:"):code.index("-- End function", code.index(f"\n{name}:"))]
        expect(re.findall(r"# way (\w+)", body)[:1] == [way], f"{name}: {body}{text}")
    check_error(profil("export", "--to", "llvm-contexts", Recorded("split-few").path), says="no call stacks")
