# SPDX-License-Identifier: BSD-2-Clause
"""profil annotate: the ticks of a function by instruction and line, whatever is asked and shown."""

import html
import json
import os
import re
import shutil
import subprocess

import pprof
from command import Skip, check_error, expect, need_program, profil, target
from golden import DATA, compare
from measure import check_share, take
from terminal import Terminal

LOOPS = os.path.join(DATA, "annotate")
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}

# Ticks of spin() in each machine's loop, by address: head, inner loop (the division, the one behind
# it, the load, the one behind it, its end), outer loop.
CELLS = {
    "x86_64": {0x400144: 1, 0x400165: 12, 0x400168: 700, 0x40016e: 20, 0x400176: 150,
               0x400180: 60, 0x400182: 8},
    "aarch64": {0x400144: 1, 0x400168: 12, 0x40016c: 700, 0x400170: 20, 0x400174: 150,
                0x400184: 60, 0x400188: 8},
    "riscv64": {0x1017c: 1, 0x10192: 12, 0x10196: 700, 0x1019e: 20, 0x101a0: 150, 0x101a6: 60,
                0x101aa: 8},
}
START = {"x86_64": 0x400000, "aarch64": 0x400000, "riscv64": 0x10000}
# Elsewhere: 2 in _start, 47 in a file that is not here.
ELSEWHERE = 49


def place(machine, build_id=pprof.BUILD_ID):
    """loop-MACHINE with its source and a profile of it, loop.pb, in the current directory."""
    shutil.copy(os.path.join(LOOPS, f"loop-{machine}"), f"loop-{machine}")
    shutil.copy(os.path.join(LOOPS, "loop.c"), "loop.c")
    os.utime("loop.c", (1, 1))
    start = START[machine]
    last = max(CELLS[machine]) + 0x22
    cells = [(0, address, "spin", "./loop.c", 16, ticks)
             for address, ticks in CELLS[machine].items()]
    cells += [(0, last, "_start", "./loop.c", 24, 2),
              (1, 0x7000, "lost", "lost.c", 3, 47)]
    pprof.write("loop.pb", [(f"loop-{machine}", build_id, start, start + 0x1000, 0),
                            ("libgone.so", "ff00", 0x7000, 0x8000, 0)], cells)


def annotate(*arguments, **how):
    done = profil("annotate", *arguments, **{"env": UTF8, **how})
    expect(done.status == 0 and not done.stderr, f"{arguments}: {done.status}: {done.words}")
    return done.text


def annotate_json(*arguments):
    return json.loads(annotate("--json", *arguments))


def need_disassembly(machine):
    why = annotate_json("loop.pb")["functions"][0]["no_code"]
    if "Capstone" in why:
        raise Skip(f"{machine}: {why}")


def check_sums(view):
    """Each tick is in one row, one line, one file, and what is left out is elsewhere."""
    shown = 0
    for function in view["functions"]:
        for key in ("instructions", "lines", "files"):
            total = sum(row["samples"] for row in function[key])
            expect(total == function["samples"], f"{key}: {total}, not {function['samples']}")
        shown += function["samples"]
    expect(shown == view["shown"], f"{shown} in functions, {view['shown']} shown")
    expect(view["shown"] + view["elsewhere"] == view["total"] == view["identity"]["samples"] ==
           sum(view["classes"].values()), f"the identity does not hold: {view['identity']}")


def case_golden():
    """Both panes, source, assembly, JSON and Markdown of a known profile are what they were."""
    place("x86_64")
    need_disassembly("x86_64")
    expected = "annotate/expected/x86_64"
    compare(f"{expected}.txt", annotate("loop.pb"))
    compare(f"{expected}-source.txt", annotate("--source", "--all", "loop.pb"))
    compare(f"{expected}-asm.txt", annotate("--asm", "-C0", "loop.pb"))
    compare(f"{expected}-ascii.txt", annotate("loop.pb", env={**os.environ, "LC_ALL": "C"}))
    compare(f"{expected}-color.txt", annotate("--asm", "--color=always", "loop.pb"))
    compare(f"{expected}.md", annotate("--markdown", "loop.pb"))
    compare(f"{expected}-source.md", annotate("--markdown", "--source", "loop.pb"))
    compare(f"{expected}.json", annotate("--json", "loop.pb"))


def writer(machine, text):
    """Who wrote the instructions in TEXT: each has its own names for some."""
    if machine == "aarch64" and "movz" not in text:
        return "-capstone-5"
    return "-objdump" if machine == "riscv64" and "c.mv" not in text else ""


def check_machine(machine):
    place(machine)
    need_disassembly(machine)
    text = annotate("loop.pb")
    compare(f"annotate/expected/{machine}{writer(machine, text)}.txt", text)
    view = annotate_json("loop.pb")
    check_sums(view)
    function, = view["functions"]
    hot, = (loop for loop in function["loops"] if loop["hot"])
    expect(len(function["loops"]) == 2 and hot["samples"] == 942 and hot["outer"] == 0,
           f"the inner loop is not the hot one: {function['loops']}")
    skids = [row["address"] for row in function["instructions"] if row["skid"]]
    addresses = sorted(CELLS[machine])
    expect(skids == [addresses[2], addresses[4]], f"skids: {skids}")


def case_inlined():
    """What was inlined is named at its ticks in every form and pane, and where the source is not here no
    line is shown that has no ticks."""
    recorded = os.path.join(DATA, "profiles", "cxx.pb.gz")
    done = profil("html", "-o", "page.html", recorded)
    expect(done.status == 0, done.words)
    with open("page.html", encoding="utf-8") as file:
        page = html.unescape(file.read())
    texts = {"by instruction": annotate(recorded), "by line": annotate("--source", recorded),
             "Markdown": annotate("--markdown", recorded),
             "Markdown by line": annotate("--markdown", "--source", recorded),
             "page by line": page.partition('"code source"')[2].partition("</table>")[0]}
    for what, text in texts.items():
        missing = [name for name in ("__unguarded_partition", "__move_median_to_first", "operator++()")
                   if name not in text]
        expect("inlined" in text and not missing, f"{what}: not named: {missing}")
    rows = texts["by line"].partition("source")[2].partition("inlined")[2].splitlines()[1:]
    bare = [row for row in rows[:rows.index("")] if re.fullmatch(r"\s*\d+", row)]
    expect(not bare, f"lines without text and ticks: {bare}")


def case_aarch64():
    """aarch64: instructions, the inner loop, the ticks behind the division and the load."""
    check_machine("aarch64")


def case_riscv64():
    """riscv64: the same, by objdump where Capstone does not know it."""
    check_machine("riscv64")


def case_no_objdump():
    """Without an objdump that works, riscv64 is read by Capstone 5, or it is said once why not."""
    place("riscv64")
    os.mkdir("none")
    os.mkdir("broken")
    with open("broken/riscv64-linux-gnu-objdump", "w") as file:
        file.write("#!/bin/sh\nexit 1\n")
    os.chmod("broken/riscv64-linux-gnu-objdump", 0o755)
    for path, why in (("none", "binutils-riscv64-linux-gnu"),
                      ("broken", "the program that reads its instructions failed")):
        env = {**UTF8, "PATH": os.path.abspath(path)}
        text = annotate("loop.pb", env=env)
        view = json.loads(annotate("--json", "loop.pb", env=env))
        check_sums(view)
        function, = view["functions"]
        if not function["no_code"]:
            expect("c.ld" in text, text)  # Capstone's
        else:
            expect(why in function["no_code"] and text.count(why) == 1, f"{path}: {text}")
            expect(len(function["instructions"]) == len(CELLS["riscv64"]), f"{path}: {text}")


def case_x86_64():
    """x86-64: the same, and every machine's sum is the profile's."""
    check_machine("x86_64")


def check_plain_names():
    """A function is asked for as one speaks of it; what only has the word in its name is not it."""
    names = ["rework(int)", "work(int, work::kind)", "int work<int>(std::vector<int> const&)",
             "work::clear()", "(anonymous namespace)::work(char) const", "<r::B as r::T>::run",
             "main.(*K[go.shape.int]).add", "f(work)"]
    pprof.write("names.pb", [("names", "ff00", 0x1000, 0x2000, 0)],
                [(0, 0x1000 + 16 * number, name, "", 0, 100 - number)
                 for number, name in enumerate(names)])
    for word, numbers in (("work", (1, 2, 4)), ("work<int>", (2,)), ("work(char)", (4,)),
                          ("work::clear", (3,)), ("clear", (3,)), ("run", (5,)), ("add", (6,)),
                          ("^work", (1, 3)), ("rework", (0,))):
        found = [function["function"] for function in
                 annotate_json("-n0", "names.pb", word)["functions"]]
        expect(found == [names[number] for number in numbers], f"{word}: {found}")


def case_what():
    """The last word is a function, an object, SOURCE:LINE or a regex; what has no ticks is said."""
    place("x86_64")
    for word, name in (("spin", "spin"), ("_start", "_start"), ("loop-x86_64", "spin"),
                       ("libgone.so", "lost"), ("loop.c:24", "_start"), ("./loop.c:16", "spin"),
                       ("^sp", "spin"), ("lost.c:3", "lost")):
        view = annotate_json("loop.pb", word)
        check_sums(view)
        expect([function["function"] for function in view["functions"]] == [name],
               f"{word}: {[function['function'] for function in view['functions']]}")
    view = annotate_json("-n0", "loop.pb")
    check_sums(view)
    expect([function["function"] for function in view["functions"]] == ["spin", "lost", "_start"]
           and view["elsewhere"] == 0, f"{view['elsewhere']}")
    check_plain_names()
    check_error(profil("annotate", "loop.pb", "nosuch"), says="'nosuch'")
    check_error(profil("annotate", "loop.pb", "x("), says="regex")
    check_error(profil("annotate", "loop.pb", "loop.c:9999"), says="--by line")
    check_error(profil("annotate", "a", "b", "c"), says="too many")
    check_error(profil("annotate", "nosuch.pb.gz"), says="nosuch.pb.gz")
    check_error(profil("annotate", "--asm", "--source", "loop.pb"), says="--source and --asm")


def case_one_name_twice():
    """Of two functions of one name that one is shown which has the line that is asked for, be it the
    cooler one; without a line it is the hotter one, and what the other has is told."""
    need_program("cc")
    for name, ticks in (("first", "s += s * i ^ n"), ("second", "s -= s * i | n")):
        with open(f"{name}.c", "w") as file:
            file.write("static __attribute__((noinline)) unsigned same(unsigned n)\n"
                       "{\n\tunsigned s = 0;\n\n\tfor (unsigned i = 0; i < n; i++)\n"
                       f"\t\t{ticks};\n\treturn s;\n}}\n\n"
                       f"unsigned {name}(unsigned n)\n{{\n\treturn same(n) + 1;\n}}\n")
    with open("main.c", "w") as file:
        file.write("#include <stdlib.h>\n\nunsigned first(unsigned), second(unsigned);\n\n"
                   "int main(void)\n{\n\tunsigned n = (unsigned)atoi(\"50000000\");\n\n"
                   "\treturn (first(n) + second(4 * n)) == 1;\n}\n")
    subprocess.run(["cc", "-O1", "-g", "-o", "program", "first.c", "second.c", "main.c"], check=True)
    measurement = take("./program", cpu=False)
    for word, file in (("same", "second.c"), ("first.c:6", "first.c"), ("second.c:6", "second.c")):
        view = annotate_json(measurement.path, word)
        check_sums(view)
        function, = view["functions"]
        expect([os.path.basename(source["file"]) for source in function["files"]] == [file] and
               function["same_name"] > 0, f"{word}: {function['files']}, {function['same_name']}")


def case_changed():
    """A file whose build-id differs is not disassembled, which is said once; its ticks stay."""
    for change in ("id", "file", "gone"):
        place("x86_64", pprof.BUILD_ID if change != "id" else "0102030405060708")
        if change == "file":
            with open("loop-x86_64", "r+b") as file:
                data = file.read().replace(bytes.fromhex(pprof.BUILD_ID), b"\xaa" * 20)
                file.seek(0)
                file.write(data)
        elif change == "gone":
            os.unlink("loop-x86_64")
        text = annotate("loop.pb")
        why = "gone" if change == "gone" else "another file stands there"
        lines = [line for line in text.splitlines() if why in line]
        expect(len(lines) == 1 and "idiv" not in text, f"{change}: {text}")
        view = annotate_json("loop.pb")
        check_sums(view)
        expect(view["functions"][0]["samples"] == sum(CELLS["x86_64"].values()), f"{change}: {view}")


def case_missing_source():
    """A source that is not here is said once, and its lines are shown by their numbers."""
    place("x86_64")
    need_disassembly("x86_64")
    os.unlink("loop.c")
    text = annotate("loop.pb")
    expect(text.count("the source is not here") == 1 and "idiv" in text, text)
    with open("loop.c", "w") as file:
        file.write("newer\n")
    expect(annotate("loop.pb").count("newer than the code") == 1, "not said to be newer")


def case_widths():
    """No line of a terminal's page is wider than it, from 60 to 160 columns."""
    place("x86_64")
    for columns in (60, 80, 100, 160):
        terminal = Terminal(["annotate", "--color=never", "loop.pb"], columns=columns)
        expect(terminal.wait() == 0, terminal.text)
        wide = [line for line in terminal.text.splitlines() if len(line.rstrip()) > columns]
        expect(not wide, f"{columns}: {wide}")


def case_real():
    """A run measured now: spin_three has three times spin_one's ticks, all in its loop of one line."""
    measurement = take(target("split"), "1", cpu=False)
    one = annotate_json(measurement.path, "spin_one")
    three = annotate_json(measurement.path, "spin_three")
    for view in (one, three):
        check_sums(view)
    ticks = [view["functions"][0]["samples"] for view in (three, one)]
    seconds = measurement.truth.seconds
    check_share("spin_three", ticks[0], sum(ticks),
                seconds["spin_three"] / (seconds["spin_three"] + seconds["spin_one"]))
    function = three["functions"][0]
    if "Capstone" in function["no_code"]:
        raise Skip(function["no_code"])
    hot, = (loop for loop in function["loops"] if loop["hot"])
    # One call and one return surround some 10^8 turns, of which nothing is seen but by an interrupt
    # on the way in; 1 % is far beyond what chance does to a handful.
    expect(hot["samples"] > 0.99 * function["samples"], f"{hot['samples']} of {function['samples']}")
    whole = annotate_json("-n0", measurement.path)
    check_sums(whole)


def case_real_rebuilt():
    """A program that is rebuilt after it ran is not disassembled."""
    shutil.copy(target("rebuilt-first_build"), "program")
    measurement = take("./program", cpu=False)
    shutil.copy(target("rebuilt-second_build"), "new")
    os.rename("new", "program")
    view = annotate_json(measurement.path, "program")
    check_sums(view)
    expect("another file stands there" in view["functions"][0]["no_code"],
           view["functions"][0]["no_code"])


def place_large():
    """A program of one function of 20,000 instructions, and a profile of it, large.pb."""
    need_program("cc", "nm", "readelf")
    with open("large.s", "w") as file:
        file.write(".globl _start\n.type _start, @function\n_start:\n")
        for number in range(20000):
            if number % 10 == 9:
                file.write(f"1{number}: jne 1{number}b\n")
            else:
                file.write("nop\n")
        file.write(".size _start, . - _start\n.section .note.GNU-stack,\"\",@progbits\n")
    if subprocess.run(["cc", "-nostdlib", "-static", "-Wl,--build-id=0x01020304", "-o", "large",
                       "large.s"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skip("no x86 assembler here")
    symbols = subprocess.run(["nm", "large"], stdout=subprocess.PIPE, check=True).stdout.decode()
    start = int(re.search(r"^([0-9a-f]+) T _start", symbols, re.MULTILINE).group(1), 16)
    headers = subprocess.run(["readelf", "-lW", "large"], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
    offset, address = (int(field, 16) for field in re.search(
        r"LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ 0x\w+ R E", headers).groups())
    cells = [(0, start + i, "_start", "", 0, 1 + i % 7) for i in range(0, 18000, 3)]
    pprof.write("large.pb", [("large", "01020304", address, address + 0x10000, offset)], cells)


def case_large():
    """A function of 20,000 instructions takes less than a second of CPU time."""
    place_large()
    before = os.times()
    view = annotate_json("large.pb")
    text = annotate("--all", "large.pb")
    after = os.times()
    used = (after.children_user - before.children_user +
            after.children_system - before.children_system)
    check_sums(view)
    if "Capstone" in view["functions"][0]["no_code"]:
        raise Skip(view["functions"][0]["no_code"])
    expect(len(view["functions"][0]["instructions"]) == 20000, "not 20,000 instructions")
    expect(len(text.splitlines()) > 20000, "not all rows shown")
    expect(used < 2, f"JSON and text together took {used:.2f} s of CPU")
