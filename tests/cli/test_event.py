# SPDX-License-Identifier: BSD-2-Clause
"""Samples of events instead of CPU time.  Of the kernel's own each one has a sample, so nothing here is a matter of
chance: what is due is what the program says that it did, or what the kernel counted, to the last one."""

import json
import os
import re
import shutil

from command import (AS_NOBODY, PROFIL, Running, check_error, expect, need_counting, need_program, need_root, profil,
                     report, run, target, wait_until)
from engines import paranoid
from measure import check_identity


def measure(*options, program=("events",), file="events.pb.gz"):
    """The report of a measurement, and what the program said of itself."""
    done = profil("-q", *options, "-o", file, "--no-report", target(program[0]), *program[1:])
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    what = report(file, "-n", "0")
    check_identity(what)
    return what, {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", done.text)}


def samples_of(what, name):
    rows = [row for row in what["rows"] if row["name"] == name]
    return sum(row["samples"] for row in rows), sum(row["total"]["samples"] for row in rows if "total" in row)


def cut_of(what):
    """Samples whose callers are not all known."""
    return sum(number for end, number in what["stacks"].items() if end != "whole")


def check_touches(what, said, unresolved=0):
    """The faults of each page, by a thread, another one and a child, in the function that touches them."""
    own, total = samples_of(what, "touch")
    expect(said["touched"] - unresolved <= own <= said["touched"], f"{own} of {said}, {unresolved} unresolved")
    above = samples_of(what, "toucher")[1]
    expect(total == own <= above <= own + 50, f"{own}, {total}, {above}")


def case_page_faults():
    """Each page fault has a sample where it happened, with who called, in all threads and children; the kernel's own
    count and the program's are the same."""
    need_counting()
    what, said = measure("-e", "page-faults")
    facts = what["facts"]
    check_touches(what, said)
    expect(facts["event"] == "page-faults" and facts["period"] == 1 and facts["period_ns"] == 0, f"{facts}")
    expect(facts["counted"] == what["identity"]["samples"], f"{facts}, {what['identity']}")
    # Before main() and behind it there are some more.
    expect(0 < facts["counted"] - said["faults"] < 500, f"{facts['counted']}, {said}")
    words = profil("report", "events.pb.gz").text
    expect(f"{facts['counted']:,} samples of page-faults (kernel engine)" in words and
           f"page-faults: {facts['counted']:,} counted by the kernel, {facts['counted']:,} in samples\n" in words, words)


def case_period():
    """A sample for each so many events: less than one period of each thread has none."""
    need_counting()
    what, said = measure("-e", "faults", "-c", "100")
    samples, counted = what["identity"]["samples"], what["facts"]["counted"]
    expect(what["facts"]["period"] == 100, f"{what['facts']}")
    expect(0 <= counted - 100 * samples < 100 * what["facts"]["tasks"], f"{counted}, {samples}")
    own = samples_of(what, "touch")[0]
    expect(abs(100 * own - said["touched"]) <= 100 * 3, f"{own} of {said}")
    words = profil("report", "events.pb.gz").text
    expect(f"{samples:,} samples of faults, one each 100 (kernel engine)" in words and
           f"{100 * samples:,} in samples × 100: the rest came after a thread's last sample" in words, words)


def case_context_switches():
    """As often as getrusage(2) says, in the kernel, below the function that sleeps; at its borders one more may come, or a
    stack is cut."""
    need_counting()
    what, said = measure("-e", "context-switches")
    counted = what["facts"]["counted"]
    expect(counted == what["identity"]["samples"] == what["classes"]["kernel"], f"{counted}, {what['identity']}")
    expect(said["switches"] > said["calls"] / 2 and
           -cut_of(what) <= samples_of(what, "nap")[1] - said["switches"] <= 2,
           f"{samples_of(what, 'nap')}, {said}, {what['stacks']}")


def case_perf_engine():
    """The perf engine has all of them too: what its rings lost is counted as lost."""
    what, said = measure("--engine", "perf", "-e", "page-faults")
    lost = what["unresolved"]["lost before it was counted"]
    expect(what["facts"]["counted"] == what["identity"]["samples"], f"{what['facts']}, {what['identity']}")
    expect(sum(what["unresolved"].values()) == lost, f"{what['unresolved']}")
    check_touches(what, said, lost)


def need_tracefs():
    """Where nobody has mounted it yet."""
    need_root()
    if not os.path.exists("/sys/kernel/tracing/events"):
        expect(run("mount", "-t", "tracefs", "nodev", "/sys/kernel/tracing").status == 0, "no tracefs")


def case_tracepoint():
    """A tracepoint has a sample each time, by the perf engine, which is taken for it and said so."""
    need_tracefs()
    done = profil("-e", "syscalls:sys_enter_getppid", "-o", "ppid.pb.gz", "--no-report", target("events"))
    expect(done.status == 0 and "takes no samples of tracepoints" in done.words, f"{done.status}: {done.words}")
    what = report("ppid.pb.gz", "-n", "0")
    calls = int(re.search(r"calls=(\d+)", done.text)[1])
    check_identity(what)
    expect(what["facts"]["counted"] == what["identity"]["samples"] == calls, f"{what['facts']}, {what['identity']}")
    lost = what["unresolved"]["lost before it was counted"]
    expect(calls - lost <= samples_of(what, "ask")[1] <= calls, f"{what['rows']}")


def case_what_runs():
    """Processes that run already, and the whole machine."""
    need_counting()
    for options in (("-p",), ("-a", "--by-process")):
        busy = Running(["sh", "-c", f"while :; do {target('events')} >/dev/null; done"])
        where = [*options, str(busy.pid)] if options == ("-p",) else list(options)
        done = profil("run", "-q", *where, "-e", "page-faults", "--for", "2s", "-o", "busy.pb.gz", "--no-report")
        busy.end()
        expect(done.status == 0, done.words)
        what = report("busy.pb.gz", "-n", "0")
        check_identity(what)
        own, total = samples_of(what, "touch")
        # Before a file's unwind table is there, stacks are cut.
        above, cut = samples_of(what, "toucher")[1], cut_of(what)
        expect(own == total > 3000 and above < 1.02 * own and own <= above + cut,
               f"{own}, {total}, {above}, {cut}")
        expect(what["facts"]["event"] == "page-faults" and what["facts"]["period"] == 1, f"{what['facts']}")


def case_merged_and_exported():
    """Profiles of one event and count add up, others are refused; exports have the events, and pprof reads them."""
    need_counting()
    need_program("go")
    first, _ = measure("-e", "page-faults", file="first.pb.gz")
    second, _ = measure("-e", "page-faults", file="second.pb.gz")
    measure("-e", "page-faults", "-c", "10", file="tens.pb.gz")
    measure("-e", "minor-faults", file="minor.pb.gz")
    done = profil("merge", "first.pb.gz", "second.pb.gz", "-o", "sum.pb.gz")
    expect(done.status == 0, done.words)
    total = report("sum.pb.gz")
    expect(total["facts"]["counted"] == first["facts"]["counted"] + second["facts"]["counted"] ==
           total["identity"]["samples"], f"{total['facts']}")
    check_error(profil("merge", "first.pb.gz", "tens.pb.gz", "-o", "no.pb.gz"), says="a sample of it is 10 events")
    check_error(profil("merge", "first.pb.gz", "minor.pb.gz", "-o", "no.pb.gz"), says="'minor-faults'")
    check_error(profil("diff", "first.pb.gz", "minor.pb.gz"), says="'minor-faults'")
    check_error(profil("diff", "--per", "run", "first.pb.gz", "second.pb.gz"), says="--per samples")
    done = profil("diff", "first.pb.gz", "second.pb.gz")
    expect(done.status == 0 and " touch" in done.text + " touch", f"{done.status}: {done.words}")
    tens = report("tens.pb.gz")["identity"]["samples"]
    top = run("go", "tool", "pprof", "-top", "-sample_index=page-faults", "tens.pb.gz",
              env={**os.environ, "PPROF_TMPDIR": os.getcwd(), "HOME": os.getcwd()})
    expect(top.status == 0 and f"of {10 * tens} total" in top.text and "Type: page-faults" in top.text,
           f"{top.words}{top.text[:500]}")
    text = profil("export", "--to", "perf-script", "tens.pb.gz").text
    expect(len(re.findall(r" +10 page-faults:\n", text)) == tens, text[:500])


def case_of_a_user():
    """Who may not see the kernel gets what happens in user mode, and the report says so; what happens in the kernel alone
    is refused."""
    need_root()
    need_program("setpriv")
    sees_kernel = paranoid() < 2
    os.makedirs("open")
    os.chmod("open", 0o777)
    shutil.copy(PROFIL, "open/profil")
    shutil.copy(target("events"), "open/events")
    done = run(*AS_NOBODY, "./profil", "-q", "-e", "page-faults", "--flat", "--no-report", "./events", cwd="open")
    expect(done.status == 0, done.words)
    what = report("open/profil.pb.gz", "-n", "0")
    expect(what["facts"]["event"] == ("page-faults" if sees_kernel else "page-faults:u") and what["facts"]["engine"] == "perf", f"{what['facts']}")
    check_identity(what)
    lost = what["unresolved"]["lost before it was counted"]
    expect(9000 - lost <= samples_of(what, "touch")[0] <= 9000, f"{what['rows'][:3]}, {lost}")
    expect(sees_kernel or what["classes"]["kernel"] == 0, f"{what['classes']}")
    for event in ["sched:sched_switch"] if sees_kernel else ["context-switches", "sched:sched_switch"]:
        done = run(*AS_NOBODY, "./profil", "-e", event, "./events", cwd="open")
        check_error(done, says=f"-e {event}: ")
        expect("run as root" in done.words, done.words)


def case_refused():
    """One line for each event that there is not, and for what is of the clock alone."""
    need_tracefs()
    for options, words in (
            (["-e", "foo"], "-e foo: no such event: 'profil list'"),
            (["-e", "sched:foo"], "no such event"),
            (["-e", "..:passwd"], "no such event"),
            (["-e", "page-faults:x"], "':x': not a modifier"),
            (["-e", "page-faults:pppp"], "not a modifier"),
            (["-e", "cpu-clock:u"], "in all modes"),
            (["-e", "context-switches:u"], "in kernel mode alone"),
            (["-e", "nosuch/event=1/"], "no PMU 'nosuch'"),
            (["-e", "../x/event=1/"], "no PMU"),
            (["-e", "software/nothing/"], "'nothing': not a term"),
            (["-e", "software/config=zero/"], "not a number"),
            (["-e", "x" * 300], "longer than any event's name"),
            (["-e", "faults", "-e", "cs"], "a second event"),
            (["-e", "faults", "-F", "100"], "-F and -e faults"),
            (["-e", "faults", "--wall"], "--wall and -e faults"),
            (["-e", "faults", "--dither"], "--dither and -e faults"),
            (["-e", "faults", "--cross-check"], "--cross-check"),
            (["-e", "faults", "--engine", "timer"], "CPU time alone"),
            (["-c", "10"], "-c: the CPU clock has a frequency"),
            (["-e", "cpu-clock", "-c", "10"], "-c: the CPU clock has a frequency"),
            (["-e", "faults", "-c", "0"], "-c '0'")):
        check_error(profil(*options, "true"), says=words)
    check_error(profil("serve", "-a", "-e", "faults"), says="-e faults: what is served is CPU time")


def case_nothing():
    """An event that did not come is no sample, and no fault."""
    need_counting()
    done = profil("-q", "-e", "emulation-faults", "true")
    expect(done.status == 0 and "no samples: the event did not come" in done.words, f"{done.status}: {done.words}")


def case_list():
    """What there is has a line, or is an object of JSON; a word chooses."""
    need_tracefs()
    lines = profil("list").text.splitlines()
    expect(re.fullmatch("page-faults +software", next(line for line in lines if line.startswith("page-"))), f"{lines[:9]}")
    expect(any(re.fullmatch("sched:sched_switch +tracepoint", line) for line in lines), f"{len(lines)} lines")
    faults = json.loads(profil("list", "--json", "FAULTS").text)
    expect({"name": "minor-faults", "kind": "software"} in faults and
           all("faults" in event["name"] for event in faults), f"{faults}")
    check_error(profil("list", "nosuchevent"), says="'nosuchevent': no event here")
    check_error(profil("list", "a", "b"), says="'b' is one word too many")
