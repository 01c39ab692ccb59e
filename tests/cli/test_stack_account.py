# SPDX-License-Identifier: BSD-2-Clause
"""The account of samples and their call stacks where profil itself has too little of something: what is counted and
what is stated are what is due, and each stack that is cut has its reason (test_stalled.py: too little time)."""

import json
import os

from command import IS_LONG, PROFIL, Running, expect, need_program, need_root, run, target, wait_until
from engines import KERNEL, PERF, PLAIN, TIMER, brought, for_each, now, ways_of
from measure import FAST, Measurement, check_identity, check_stacks

BOTH = True  # engines.now()
FULL = (("--contexts", "64"), ("--cells", "64"), ("--tables", "1"))
WORK = """
import ast, json, re
d = {str(i): [i, "x" * (i % 20)] for i in range(3000)}
for r in range(8):
    json.loads(json.dumps(d, indent=1))
    ast.parse("a = 1 + 2 * f(x)\\n" * 200)
    re.sub("[0-9]+", lambda m: m.group() + "x", str(d))
"""


def case_full_tables():
    """All tables full at once; with --long, each."""
    def check(way):
        for options in FULL if IS_LONG else (sum(FULL, ()),):
            measurement = way.take(brought("stacks-O2"), options=("-g", *FAST, *options))
            check_stacks(measurement)
            measurement.check_sum(threads=8)
            stacks = measurement.report["stacks"]
            expect(("tree full" in stacks) == ("--contexts" in options), f"{options}: {stacks}")
    for_each(check, now(PLAIN))


def tree(*options):
    return json.loads(run("./profil", "tree", "--json", "--min", "0%", *options, "profil.pb.gz").text)


def case_threads_apart():
    """What --pid and --tid take of the stacks adds up to all of them, by reason; and a thread has its own paths."""
    def check(way):
        program = brought("stacks-O2")
        measurement = way.take("sh", "-c", f"{program} & {program}; wait", options=("-g", *FAST, "--by-thread"))
        whole, rows = tree(), measurement.by("thread")["rows"]
        expect(len(rows) >= 4, f"{rows}")
        for option, key in (("--tid", "tid"), ("--pid", "pid")):
            # What was lost is nobody's.
            sums, firsts = {"none": sum(row["samples"] for row in rows if not row[key])}, {}
            for number in {row[key] for row in rows if row[key]}:
                part = tree(option, str(number))
                expect(part["total"] == sum(row["samples"] for row in rows if row[key] == number), f"{option} {number}")
                for reason, count in part["stacks"].items():
                    sums[reason] = sums.get(reason, 0) + count
                for row in part["rows"]:
                    if row["function"] in ("k_thread", "k_down"):
                        firsts.setdefault(number, set()).add(row["function"])
            sums = {reason: count for reason, count in sums.items() if count}
            expect(sums == whole["stacks"], f"{option}: {sums}, {whole['stacks']}")
            # Both processes have both, and each thread one.
            together = 1 if option == "--tid" else 2
            expect({len(names) for names in firsts.values()} == {together} and len(firsts) == 4 // together, f"{firsts}")
    for_each(check, now(PLAIN))


def limit_memory(way, running, more):
    """profil, but not its program, may have MORE bytes than it has.  Root may not limit others everywhere."""
    with open(f"/proc/{running.pid}/status", encoding="ascii") as status:
        size = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmSize"))
    done = run(*way.user, "prlimit", f"--pid={running.pid}", f"--as={size + more}")
    expect(done.status == 0, done.words)


def check_limited(way, more):
    """A profile of all that is due, or none."""
    running = Running([*way.user, "./profil", "-g", "-q", "--no-report", "--engine", way.engine.name, *FAST, "sh", "-c",
                       "echo here; exec /usr/bin/python3 -I -S -c \"$0\"", WORK])
    wait_until("the program", running.so_far)
    limit_memory(way, running, more)
    done = running.wait()
    if done.status:
        expect(done.status == 125 and "memory" in done.words, f"{more}: {done.status}: {done.words}")
        expect(not os.path.exists("profil.pb.gz"), f"{more}: {done.words}, and a profile")
        return False
    measurement = Measurement(done, "profil.pb.gz")
    check_identity(measurement.report)
    check_stacks(measurement)
    measurement.__class__ = way.engine.kind
    measurement.check_sum(threads=3)
    os.unlink("profil.pb.gz")
    return True


def case_little_memory():
    """The collector gets no more memory than it has, or little more."""
    need_program("/usr/bin/python3", "prlimit")
    def check(way):
        way.bring()
        came = [check_limited(way, more << 20) for more in (0, 4, 256)]
        # With no more than it has, the room that its heap has left may do.
        expect(came[-1], f"{came}")
    for_each(check, now((ways_of(KERNEL)[0], ways_of(PERF)[0], ways_of(TIMER)[0])))


def case_small_disk():
    """A disk that has room for nothing, for a profile without names, for all of it: the profile there has all samples,
    and where there is none it is said."""
    need_root()
    need_program("unshare", "mount")
    came = set()
    for kib in (4, 8, 16, 256):
        done = run("unshare", "-m", "sh", "-c", """
            mkdir -p small; mount -t tmpfs -o size=$0k tmpfs small
            "$@"; status=$?
            cp small/* . 2>&-; ls -A small >&2; exit $status""", str(kib), PROFIL, "-g", "-q", "--no-report", "-o",
                   "small/profil.pb.gz", *FAST, target("stacks-O2"))
        *words, left = [*done.words.splitlines(), ""] if done.status else ["", *done.words.splitlines()]
        came.add(done.status)
        if done.status:
            expect(done.status == 125 and "No space left" in words[0] and not left, f"{kib} KiB: {done.words}")
            continue
        expect(left == "profil.pb.gz", f"{kib} KiB: {done.words}")
        measurement = Measurement(done, "profil.pb.gz")
        check_identity(measurement.report)
        check_stacks(measurement)
        os.unlink("profil.pb.gz")
    expect(came == {0, 125}, f"{came}")
