# SPDX-License-Identifier: BSD-2-Clause
"""Adding up: the sum is exact, the same bytes in any order and grouping, and costs little."""

import hashlib
import gzip
import json
import os
import random
import shutil
import subprocess
import time

from command import PROFIL, Running, check_error, check_files, expect, need_program, profil, report, run
from measure import check_identity
from recorded import Recorded
from terminal import Terminal


PROHST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "prohst")


# Of programs that share some of their code.
SOME = ("split-kernel", "split-threads", "split-fork", "split-dlopen")
BY_THREAD = ("split-thread", "split-threads", "varied")


def some(count=4, names=SOME, prefix=""):
    """The first COUNT profiles of NAMES, as 0.pb.gz, 1.pb.gz ..."""
    return [Recorded(name, f"{prefix}{number}.pb.gz") for number, name in enumerate(names[:count])]


def merge(out, *files):
    done = profil("merge", *files, "-o", out)
    expect(done.status == 0 and not done.words, f"merge: {done.status}: {done.words}")
    return done.text


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def case_exact():
    """Each class, each function and the CPU time of the sum is the sum of the parts'."""
    parts = some()
    merge("sum.pb.gz", *(part.path for part in parts))
    whole = report("sum.pb.gz")
    check_identity(whole)
    for name, ticks in whole["classes"].items():
        expect(ticks == sum(part.classes[name] for part in parts), f"class {name}")
    expect(whole["facts"]["cpu_ns"] == sum(part.facts["cpu_ns"] for part in parts), "CPU time")
    expected = {}
    for part in parts:
        for row in part.report["rows"]:
            key = row["name"], row["path"]
            expected[key] = expected.get(key, 0) + row["samples"]
    found = {(row["name"], row["path"]): row["samples"] for row in whole["rows"]}
    expect(found == expected, f"rows: {found} and {expected}")
    text = profil("report", "sum.pb.gz").text
    expect(f" s, the sum of {len(parts)} runs, " in text, text)
    merge("once.pb.gz", parts[0].path)
    expect("the sum of" not in profil("report", "once.pb.gz").text, "one run is no sum")


def case_any_order_and_grouping():
    """Six profiles, with threads and without, in random orders and groups: the same file."""
    files = [part.path for part in some(3, BY_THREAD, "thread-") + some(3)]
    merge("sum.pb.gz", *files)
    dice = random.Random(3)
    for _ in range(10):
        left = list(files)
        while len(left) > 1:
            dice.shuffle(left)
            size = dice.randint(2, len(left))
            name = f"part-{len(left)}-{dice.random()}.pb.gz"
            merge(name, *left[:size])
            left[:size] = [name]
        expect(bytes_of(left[0]) == bytes_of("sum.pb.gz"), "other bytes")


def case_digest():
    """The digest that is printed is the SHA-256 of the unpacked file; --json says the same."""
    files = [part.path for part in some(2)]
    text = merge("sum.pb.gz", *files)
    digest = hashlib.sha256(gzip.decompress(bytes_of("sum.pb.gz"))).hexdigest()
    expect(digest in text, text)
    done = profil("merge", "--json", *files, "-o", "again.pb.gz")
    said = json.loads(done.text)
    expect(said["sha256"] == digest and said["files"] == 2 and said["identity"]["holds"] is True
           and not said["full"] and said["identity"]["samples"] == report("sum.pb.gz")["total"],
           f"{said}")


def case_pprof_reads_it():
    """go tool pprof counts as many ticks in the sum as there are."""
    need_program("go")
    merge("sum.pb.gz", *(part.path for part in some(3)))
    done = run("go", "tool", "pprof", "-symbolize=none", "-nodefraction=0", "-sample_index=samples",
               "-top", "sum.pb.gz")
    expect(f"of {report('sum.pb.gz')['total']} total" in done.text.replace(",", ""), done.text)


def case_to_a_pipe():
    """-o /dev/stdout feeds a pipe with the sum and nothing else; the words are on standard error."""
    files = [part.path for part in some(2)]
    merge("sum.pb.gz", *files)
    for option, says in (("", "sha256"), ("--json", '"sha256"')):
        done = run("sh", "-c", '"$@" | cat >piped.pb.gz', "sh", PROFIL, "merge", *option.split(),
                   *files, "-o", "/dev/stdout")
        expect(done.status == 0 and says in done.words, f"{done.status}: {done.words}")
        expect(bytes_of("piped.pb.gz") == bytes_of("sum.pb.gz"), "another sum, or more than it")


def case_into_one_of_its_own():
    """The sum may take the place of one of the files, which is read before."""
    parts = some(2)
    merge("0.pb.gz", "0.pb.gz", "1.pb.gz")
    expect(report("0.pb.gz")["total"] == sum(part.fired for part in parts), "total")
    check_files("0.pb.gz", "1.pb.gz")


def case_other_periods_are_refused():
    """Ticks of two frequencies are not added up, and no file is made."""
    Recorded("split-kernel", "one.pb.gz")
    Recorded("stripped", "two.pb.gz")
    done = profil("merge", "one.pb.gz", "two.pb.gz", "-o", "sum.pb.gz")
    check_error(done, says="two.pb.gz: its period is")
    check_files("one.pb.gz", "two.pb.gz")


def case_dithered_runs_add_up():
    """Runs whose periods were drawn around the same one are of one period."""
    Recorded("split-dither", "one.pb.gz")
    Recorded("split-dither-2", "two.pb.gz")
    merge("sum.pb.gz", "one.pb.gz", "two.pb.gz")
    ns, fired = 0, 0
    for path in ("one.pb.gz", "two.pb.gz"):
        part = report(path)
        ns += part["facts"]["period_ns"] * part["total"]
        fired += part["total"]
    period = report("sum.pb.gz")["facts"]["period_ns"]
    expect(abs(period - ns / fired) <= 2, f"period {period}, {ns / fired}")


def case_dos_profiles_and_their_map():
    """A .PRF has the names of the map that --map says, where none stands beside it."""
    shutil.copy(os.path.join(PROHST, "M.PRF"), "M.PRF")
    shutil.copy(os.path.join(PROHST, "M.MAP"), "other.txt")
    merge("bare.pb.gz", "M.PRF")
    merge("named.pb.gz", "--map", "other.txt", "M.PRF", "M.PRF")
    bare, named = report("bare.pb.gz"), report("named.pb.gz")
    expect("MAINCODE" not in {row["name"] for row in bare["rows"]}, "a name out of nowhere")
    ticks = {row["name"]: row["samples"] for row in named["rows"]}
    expect(ticks.get("MAINCODE") == 2 * 16, f"rows: {ticks}")


def case_part_of_them():
    """Of one name only: the sum of what each file has of it; a file without it, or that does not keep
    processes apart, is named."""
    parts = some(2, ("split-thread", "varied"))
    done = profil("merge", "--comm", "split", *(part.path for part in parts), "-o", "sum.pb.gz")
    expect(done.status == 0, done.words)
    whole = report("sum.pb.gz")
    check_identity(whole)
    each = [report(part.path, "--comm", "split")["total"] for part in parts]
    expect(whole["total"] == sum(each) > 0, f"{whole['total']} is not the sum of {each}")
    Recorded("split-kernel", "together.pb.gz")
    for command in (["merge", "-o", "none.pb.gz"], ["gprof"]):
        for more, says in ((["--comm", "nobody"], "0.pb.gz: nothing matches --comm nobody"),
                           (["--pid", "1", "together.pb.gz"], "together.pb.gz: --pid: the profile does not keep")):
            check_error(profil(*command, *more, parts[0].path), says=says)
    flat = json.loads(profil("gprof", "--json", "--comm", "split", parts[0].path).text)
    expect(flat["total"] == each[0], f"{flat['total']} and {each[0]}")
    check_files("0.pb.gz", "1.pb.gz", "sum.pb.gz", "together.pb.gz")


def case_bad_input():
    """A missing, damaged or empty list of files, and a sum that cannot be written, are said in one
    line, and the file that was there is as it was."""
    some(1)
    with open("damaged.pb.gz", "wb") as file:
        file.write(bytes_of("0.pb.gz")[:-20])
    with open("out.pb.gz", "wb") as file:
        file.write(b"as it was")
    check_error(profil("merge", "-o", "out.pb.gz"), says="no files")
    check_error(profil("merge", "0.pb.gz"), says="-o")
    check_error(profil("merge", "0.pb.gz", "none.pb.gz", "-o", "out.pb.gz"), says="none.pb.gz")
    check_error(profil("merge", "0.pb.gz", "damaged.pb.gz", "-o", "out.pb.gz"),
                says="damaged.pb.gz")
    check_error(profil("merge", "0.pb.gz", "-o", "nowhere/out.pb.gz"), says="nowhere/out.pb.gz")
    expect(bytes_of("out.pb.gz") == b"as it was", "the old file is gone")
    check_files("0.pb.gz", "damaged.pb.gz", "out.pb.gz")


def feed(path, data):
    """DATA to who reads the FIFO at PATH."""
    with open(path, "wb") as fifo:
        fifo.write(data)


def case_progress():
    """On a terminal a merge that takes long says how far it is, on a line that is gone when it ends,
    well or not; elsewhere nothing of it is seen."""
    (part,) = some(1)
    os.mkfifo("slow.pb.gz")
    words = ("merge", part.path, "slow.pb.gz", part.path, "-o", "sum.pb.gz")
    shown = Terminal(words)
    shown.read_until("\r\x1b[Kprofil: merge: 1 of 3 profiles")
    with open("slow.pb.gz", "wb", buffering=0) as fifo:
        fifo.write(bytes_of(part.path)[:20])
        shown.read_until("merge: 1 of 3 profiles: unpacking")
        fifo.write(bytes_of(part.path)[20:])
    expect(shown.wait() == 0 and shown.left.startswith("sum.pb.gz: 3 profiles, "), f"{shown.text!r}")
    expect(shown.text.startswith("\r\x1b[K"), f"{shown.text!r}")
    shown = Terminal(words)
    shown.read_until("merge: 1 of 3 profiles")
    feed("slow.pb.gz", b"none")
    expect(shown.wait() == 125 and shown.left.startswith("profil: slow.pb.gz: not a profile"), f"{shown.text!r}")
    running = Running([PROFIL, *words])
    time.sleep(1.5)  # longer than a terminal waits for a line
    feed("slow.pb.gz", bytes_of(part.path))
    done = running.wait()
    expect(done.status == 0 and not done.words and "\r" not in done.text, f"{done.text!r}, {done.words!r}")


def case_ten_thousand_files():
    """10,000 small files are added up to the tick within 64 MiB."""
    parts = some()
    os.mkdir("many")
    files = [f"many/{number}.pb.gz" for number in range(10000)]
    for number, name in enumerate(files):
        os.link(parts[number % len(parts)].path, name)
    process = subprocess.Popen([PROFIL, "merge", *files, "-o", "sum.pb.gz"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    expect(process.returncode == 0, f"status {process.returncode}")
    expect(usage.ru_maxrss <= 64 << 10, f"{usage.ru_maxrss >> 10} MiB")
    expect(report("sum.pb.gz")["total"] == 2500 * sum(part.fired for part in parts), "total")
