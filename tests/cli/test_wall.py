# SPDX-License-Identifier: BSD-2-Clause
"""All of the time: what threads waited for, held against their own clocks, and the sum of it all."""

import contextlib
import os
import platform
import re

from command import AS_NOBODY, PROFIL, Running, Skip, check_error, expect, need_counting, need_program, profil, report, run, target, wait_until
from limits import check_between
from wall import SECOND, Wall

PATH = "wall.pb.gz"
TOLERANCE = SECOND // 500
MOST_RESIDUE = 1e-4
# Nanoseconds in which a kernel finds the next thread: 4 us where nothing else runs, 15 beside other work.
LOOK = 25_000


def near(what, value, due, least=TOLERANCE, high=None):
    """VALUE is DUE, or between that and HIGH."""
    most = max(least, due * 0.005)
    expect(due - most <= value <= (high or due) + most, f"{what}: {value / SECOND:.6f} s, due {due / SECOND:.6f}")


def elapsed(wall):
    """(how many threads were on CPUs, nanoseconds)"""
    return [(int(name.split()[0]), ns) for name, ns in wall.by_place("elapsed").items()]


def check_sum(wall):
    """What holds for every account: a life is the sum of its parts, and no event is put right without
    a switch that did not come."""
    lifetime = wall.sum("lifetime")
    parts = sum(wall.sum(part) for part in ("running", "runqueue", "blocked", "unaccounted"))
    residue = wall.fact("over_ns") + wall.fact("under_ns")
    expect(lifetime and wall.fact("threads"), "no lives")
    expect(abs(lifetime - parts) == abs(wall.fact("under_ns") - wall.fact("over_ns")),
           f"{lifetime} ns of lives, {parts} in parts: {wall.facts}")
    expect(residue <= lifetime * MOST_RESIDUE, f"{residue} ns of {lifetime} in no part")
    expect(wall.fact("outside") == 0 and wall.fact("not_followed") == 0, f"{wall.facts}")
    # Where a kernel has events of some process that it keeps to itself, others' that come in its context lack, too;
    # and while a program runs, those of its kind on that CPU.
    repairs = sum(wall.fact(name) for name in ("missed_in", "missed_out", "missed_wake"))
    expect(not repairs or wall.fact("missed_switch") or repairs <= wall.fact("missed_nested"), f"repairs without a cause: {wall.facts}")
    # A switch that did not come is seen at the next tick.
    near("threads on CPUs, by the clock on the wall", sum(at_once * ns for at_once, ns in elapsed(wall)),
         wall.sum("running"), least=TOLERANCE * (1 + wall.fact("missed_switch")))


def take(*command, options=()):
    need_counting()
    if platform.machine() != "x86_64":
        raise Skip("the names of system calls are x86's")
    done = run(PROFIL, "--wall", "--engine", "kernel", "-q", "--no-report", "-o", PATH, *options, *command)
    expect(done.status == 0, f"exit status {done.status}: {done.words}")
    wall = Wall(PATH)
    check_sum(wall)
    rows = [line.split() for line in done.text.splitlines()]
    wall.most = {row[0]: int(row[3]) for row in rows if len(row) > 3}
    return wall, [row[:3] for row in rows]


def case_each_wait_has_its_reason_function_and_time():
    """Each wait has the system call for a reason, the function that called it, and the time that its own clocks say."""
    wall, waits = take(target("waits"), "kinds")
    expect(len(waits) == 8, f"{waits}")
    for function, reason, due in waits:
        # The one that never wakes waits on while the program ends.
        high = wall.sum("elapsed") if function == "w_never" else wall.most.get(function)
        near(f"{function}: {reason}", wall.sum("blocked", reason, within=function), int(due), high=high)
        expect(wall.sum("times_blocked", reason, within=function) >= 1, f"{function}: no {reason}")
    near("those that nobody walked", wall.sum("blocked", stack="not sampled"), 0)


def case_waits_for_what_is_not_there_yet():
    """Pages of a file that only the disk has, a child in its parent's memory, a lock that a thread meets first of all,
    and naps before and after another program is executed."""
    wall, waits = take(target("waits-cold"), "cold.bin", options=["--wall-budget", "1000000"])
    expect(len(waits) == 6, f"{waits}")
    for function, reason, due in waits:
        # How it waited stands behind the reason: " (disk)", as the kernel has it.
        found = sum(one.amount for one in wall.amounts if one.type == "blocked" and function in one.stack[1:]
                    and one.stack[0].split(" (")[0] == reason.replace("_", " " if reason == "page_fault" else "_"))
        times = sum(one.amount for one in wall.amounts if one.type == "times_blocked" and function in one.stack[1:])
        unseen = wall.sum("running", "interrupts and host")
        # The kernel's clocks stop, and the next thread's start, when it begins to look for that one.  profil's do when it has
        # found it: so much less it has of the wait, and more of the queue.
        near(f"{function}: {reason}", found, int(due), least=TOLERANCE + LOOK * times + unseen)
        expect(int(due) > 0, f"{function} did not wait")


def case_where_in_the_kernel_it_waited():
    """Between the reason and the function that called the kernel stand the kernel's own functions, where they are to be
    seen; a row of a report is the caller's."""
    wall, waits = take(target("waits"), "kinds")
    for function, inside in (("w_sleep", "hrtimer_nanosleep"), ("w_mutex", "futex_wait"), ("w_poll", "do_sys_poll"),
                             ("w_read", "vfs_read"), ("w_never", "schedule")):
        stacks = [one.stack for one in wall.amounts if one.type == "blocked" and function in one.stack and one.amount > SECOND // 100]
        expect(stacks and all(inside in stack[1:stack.index(function)] for stack in stacks), f"{function}: {stacks}")
    shown = {row["name"] for row in report(PATH)["rows"] if row["blocked_ns"]}
    expect("read" in shown and "schedule" not in shown, f"{shown}")


SWITCH = re.compile(r" (\d+)\.(\d+): +sched:sched_switch: .*prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+) ")
WAKE = re.compile(r" (\d+)\.(\d+): +sched:sched_wak(?:ing|eup|eup_new): .* pid=(\d+) ")


def schedule(path):
    """Nanoseconds of each thread by what it did, as events say that perf has recorded one by one; and the threads whose
    events lack one.  Some tasks' events never come, those of a CPU's idle thread once the CPU was offline (Linux 6.18):
    whom it gave the CPU to came from nowhere."""
    does, spent, torn = {}, {}, set()

    def go(tid, state, now):
        before, since = does.get(tid, (None, now))
        spent.setdefault(tid, {}).setdefault(before, 0)
        spent[tid][before] += now - since
        does[tid] = (state, now)

    for line in run("perf", "script", "--ns", "-i", path).text.splitlines():
        if found := SWITCH.search(line):
            seconds, fraction, left, state, came = found.groups()
            now = int(seconds) * SECOND + int(fraction)
            torn |= {int(tid) for tid, state in ((left, "running"), (came, "runqueue")) if does.get(int(tid), (state,))[0] != state}
            go(int(left), "runqueue" if state[0] == "R" else "blocked" if state[0] not in "XZ" else None, now)
            go(int(came), "running", now)
        elif found := WAKE.search(line):
            seconds, fraction, tid = found.groups()
            if does.get(int(tid), (None,))[0] != "running":
                go(int(tid), "runqueue", int(seconds) * SECOND + int(fraction))
    return spent, torn


def case_perf_sched_says_the_same():
    """Events that perf records beside it say of each thread how long it ran, was blocked and waited for a CPU."""
    need_program("perf")
    for arguments in (("kinds",), ("crowd", "40", "20"), ("storm", "30")):
        # On one CPU, which no test takes offline.
        done = run("perf", "sched", "record", "-k", "CLOCK_MONOTONIC", "-o", "sched.data", "taskset", "-c", str(min(os.sched_getaffinity(0))),
                   PROFIL, "--wall", "--engine", "kernel", "--by-thread", "-q", "--no-report", "-o", PATH, target("waits"), *arguments)
        expect(done.status == 0, f"{done.status}: {done.words}")
        wall = Wall(PATH)
        due, torn = schedule("sched.data")
        lives = {one.labels["tid"] for one in wall.amounts if one.type == "lifetime"} - {0}
        # perf knows the first one from before it is measured.
        known = lives - {min(lives)} - torn
        expect(len(lives) >= 5 and len(known) >= 0.7 * len(lives), f"{lives}, torn {torn & lives}")
        for tid in known:
            for state in ("running", "blocked", "runqueue"):
                # The moment of a switch is another one for each of the two; what profil missed it sees at the next tick.
                near(f"{tid} {state}", wall.sum(state, tid=tid), due[tid].get(state, 0),
                     least=TOLERANCE * (1 + wall.fact("missed_switch")))


def case_without_call_stacks_it_is_the_same():
    """Without call stacks, reasons and times are what they are with them."""
    wall, waits = take(target("waits"), "kinds", options=["--flat"])
    for reason in ("futex", "poll", "wait4", "stopped"):
        due = sum(int(due) for _, one, due in waits if one == reason)
        expect(wall.sum("blocked", reason) >= due - TOLERANCE, f"{reason}: {wall.by_place('blocked')}, due {due}")


def case_three_spinners_share_the_cpus():
    """One spinner more than CPUs: how long they ran and how long they could have, by the kernel's own account."""
    wall, waits = take(target("waits"), "spinners", str(os.cpu_count() + 1), "200", options=["--by-thread"])
    due = {what: int(ns) for _, what, ns in waits}
    near("on CPUs", wall.sum("running", "on CPU"), due["running"], least=2 * TOLERANCE)
    queued = sum(one.amount for one in wall.amounts if one.type == "runqueue" and one.labels["tid"] != one.labels["pid"])
    near("in the queue", queued, due["runqueue"], least=due["runqueue"] * 0.05 + 4 * TOLERANCE)
    busy = sum(ns for at_once, ns in elapsed(wall) if at_once)
    check_between("the samples' shares of the clock on the wall, ns", wall.sum("wall"), busy * 0.95, busy * 1.05)
    threads = {one.labels["tid"] for one in wall.amounts if one.type == "lifetime"}
    expect(len(threads) == os.cpu_count() + 2, f"{threads}")


def case_every_short_thread_is_in_the_sum():
    """600 threads of 2 ms: every one's life."""
    wall, waits = take(target("waits"), "crowd", "600", "2")
    due = {what: int(ns) for _, what, ns in waits}
    expect(wall.fact("threads") == 601, f"{wall.fact('threads')} threads")
    expect(600 - wall.fact("missed_in") <= wall.sum("times_queued", "new") <= 600, f"{wall.by_place('times_queued')}")
    lives = wall.sum("lifetime")
    expect(lives > due["lives"], f"{lives} ns lived, of which threads saw {due['lives']}")
    # What makes them and ends them has its time, too; the process still has to end.
    near("on CPUs", wall.sum("running", "on CPU"), due["all"], least=due["all"] * 0.05 + 5 * TOLERANCE)


def case_a_storm_of_processes_is_in_the_sum():
    """Processes that fork, run a program and end, and children that are left behind."""
    wall, _ = take(target("waits"), "storm", "150", options=["--by-process"])
    expect(wall.fact("threads") == 1 + 150 + 50, f"{wall.fact('threads')} threads")


def case_switches_that_do_not_come():
    """Where one in three switches is not seen, no wait is time on a CPU for it: what cannot be known is not accounted, by
    its cause, and the sum holds."""
    os.environ["PROFIL_DROP_SWITCHES"] = "3"
    repairs = []
    try:
        for command in ("kinds",), ("crowd", "64", "20"), ("storm", "50"):
            wall, _ = take(target("waits"), *command)
            cpu, unseen = int(wall.facts["profil.cpu_ns"]), wall.sum("running", "interrupts and host")
            expect(wall.sum("running") - unseen <= cpu * 1.01 + TOLERANCE, f"{command}: {wall.sum('running')} - {unseen}, {cpu}")
            repairs += [wall.fact("missed_in"), wall.fact("missed_out"), wall.sum("unaccounted", "missed event")]
    finally:
        del os.environ["PROFIL_DROP_SWITCHES"]
    # Hundreds of switches were not seen: of none of them to be put right is no chance.
    expect(len(repairs) == 9 and sum(repairs[0::3]) and sum(repairs[1::3]) and sum(repairs[2::3]), f"{repairs}")


def case_who_runs_already_is_met_in_the_middle():
    """Threads of a process that runs already, one of which never wakes."""
    need_counting()
    running = Running([target("waits"), "idle"])
    wait_until("it waits", running.so_far)
    done = profil("attach", "--wall", "--for", "200ms", "-q", "--no-report", "-o", PATH, "-p", str(running.pid))
    expect(done.status == 0, f"{done.status}: {done.words}")
    wall = Wall(PATH)
    check_sum(wall)
    near("one that never wakes", wall.sum("still_blocked", "pause"), wall.sum("elapsed"), least=10 * TOLERANCE)
    expect(wall.fact("threads") == 2 and wall.fact("still_blocked") >= 1, f"{wall.facts}")
    expect(wall.sum("blocked", "clock_nanosleep", within="idle") > 0, "no naps")


def case_a_full_table_costs_the_context_alone():
    """A table of waits that is too small costs contexts, and no time."""
    wall, waits = take(target("waits"), "kinds", options=["--cells", "64", "--by-thread"])
    due = sum(int(due) for _, one, due in waits if one == "futex")
    expect(wall.sum("blocked", "futex") >= due - TOLERANCE, f"{wall.by_place('blocked')}")


def case_more_waits_than_may_be_walked():
    """Far more waits than may be walked: the sums stay what they are, the account says of how much the callers are
    estimates, and a function of few long waits has no time of others'."""
    wall, waits = take(target("waits"), "uneven-deep", "20", options=["--wall-budget", "100"])
    long, short = (int(wait[2]) for wait in waits)
    read = wall.sum("blocked", "read")
    expect(read > (long + short) * 0.995 - TOLERANCE, f"{read} ns in read, due {long + short}")
    found = wall.sum("blocked", "read", within="w_long_deep")
    expect(found < 1.05 * long + TOLERANCE, f"few and long: {found} ns of {long}")
    expect(wall.fact("sampled_ns") > 0, f"{wall.facts}")


def throttling_group():
    """A control group that has a fifth of a CPU, which nobody takes from it, and how to read for how long it was
    throttled, in nanoseconds."""
    name = f"profil-{os.getpid()}"
    for root, quota, words, weight, stat, scale in (
            ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "10000", ("cpu.shares", "262144"), "throttled_time", 1),
            ("/sys/fs/cgroup", "cpu.max", "10000 50000", ("cpu.weight", "10000"), "throttled_usec", 1000)):
        folder = os.path.join(root, name)
        with contextlib.suppress(OSError):
            os.mkdir(folder)
            if os.path.exists(f"{folder}/cpu.cfs_period_us"):
                write(f"{folder}/cpu.cfs_period_us", "50000")
            write(f"{folder}/{weight[0]}", weight[1])
            write(f"{folder}/{quota}", words)
            return folder, stat, scale
        with contextlib.suppress(OSError):
            os.rmdir(folder)
    raise Skip("no control group can be made that has a part of a CPU")


def write(path, words):
    with open(path, "w") as file:
        file.write(words)


def case_a_throttled_group_waits_for_its_quota():
    """A control group that has used up its part of a CPU: what the kernel says of the group is in the queue, and where
    the kernel tells it of a thread (Linux 6.18), it has its name."""
    folder, stat, scale = throttling_group()
    try:
        wall, _ = take("sh", "-c", f"echo $$ >{folder}/cgroup.procs; exec {target('waits')} spinners 1 300")
        with open(f"{folder}/cpu.stat") as file:
            throttled = scale * int(dict(line.split() for line in file)[stat])
    finally:
        os.rmdir(folder)
    expect(throttled > SECOND // 10, f"throttled for {throttled} ns alone")
    version = tuple(int(number) for number in platform.release().split(".")[:2])
    found = wall.sum("runqueue", "throttled" if version >= (6, 18) else None)
    # The group's time is that of each of its CPUs, and a thread that was preempted before is that.  How much more it
    # may be is not known: when the group may go on, another thread may have the CPU.
    expect(0.6 * throttled < found, f"throttled for {found} ns of {throttled}")


def case_who_ended_each_wait():
    """Each wait that has ended was ended by somebody: the function of the thread that did it, or an interrupt."""
    wall, waits = take(target("waits"), "kinds", options=["--wakers"])
    due = {function: int(ns) for function, _, ns in waits}
    expect(wall.sum("woken") == wall.sum("blocked") - wall.sum("still_blocked"), f"{wall.by_place('woken')}")
    near("by the one that unlocks", wall.sum("woken", "futex", within="helper"), due["w_mutex"] + due["w_condition"],
         least=2 * TOLERANCE)
    expect(wall.sum("woken", "read", within="helper") > due["w_read"] - TOLERANCE, f"{wall.by_place('woken')}")
    near("by the one that stopped it", wall.sum("woken", "stopped", within="stopped"), due["w_stops"],
         high=wall.most["w_stops"])
    timers = sum(ns for reason, ns in wall.by_place("blocked").items() if reason in ("clock_nanosleep", "poll"))
    near("by interrupts", wall.sum("woken", "interrupt"), timers, least=timers * 0.02)
    check_error(profil("--wakers", "--flat", "true"), says="--wakers and --flat")


STATES = ("running_ns", "runqueue_ns", "blocked_ns")


def case_the_rows_have_all_of_the_time():
    """The rows of a report, by whatever, have all of the time that the account has, and what they have of their own adds up."""
    take(target("waits"), "kinds", options=["--by-thread"])
    for by in ("function", "line", "object", "process", "thread", "comm", "reason"):
        shown = report(PATH, "--by", by)
        account, rows = shown["wall"], shown["rows"]
        expect(sum(row["self_ns"] for row in rows) == shown["total_ns"] == shown["shown_ns"], f"by {by}: {shown['total_ns']}")
        for state in STATES:
            found = sum(row[state] for row in rows)
            due = account[state]
            if state == "running_ns" and not shown["running_exact"]:
                due = shown["total"] * shown["facts"]["period_ns"]
            expect(found == due, f"by {by}: {state}: {found} ns, due {due}")
        expect(all(row["self_ns"] == sum(row[state] for state in STATES) for row in rows), f"by {by}")
        expect(shown["running_exact"] == (by in ("process", "thread", "comm", "reason")), f"by {by}")
        order = [row["self_ns"] for row in rows]
        expect(order == sorted(order, reverse=True), f"by {by}: {order}")


def case_a_function_has_what_its_calls_waited_for():
    """A function's total has the time that was blocked within it; who called the kernel has it as its own, and a reason
    has it, too, with how often."""
    wall, waits = take(target("waits"), "kinds")
    rows = {row["name"]: row for row in report(PATH)["rows"]}
    for function in ("main", *(wait[0] for wait in waits)):
        found, due = rows[function]["total"]["blocked_ns"], wall.sum("blocked", within=function)
        expect(found == due, f"within {function}: {found} ns, due {due}")
    expect(rows["read"]["blocked_ns"] == wall.sum("blocked", "read"), f"{rows['read']}")
    reasons = {row["name"]: row for row in report(PATH, "--by", "reason")["rows"]}
    for reason, ns in wall.by_place("blocked").items():
        row = reasons[reason]
        expect((row["blocked_ns"], row["times_blocked"]) == (ns, wall.sum("times_blocked", reason)), f"{row}")
    expect(reasons["on CPU"]["running_ns"] == wall.sum("running", "on CPU"), f"{reasons['on CPU']}")


def case_by_reason_asks_for_the_waits():
    """A report by reason at the end measures the waits; a profile without them has none."""
    need_counting()
    done = run(PROFIL, "--by", "reason", "-q", "-o", PATH, "--engine", "kernel", "sleep", "0.1")
    expect(done.status == 0 and "clock_nanosleep\n" in done.words, f"{done.status}: {done.words}")
    run(PROFIL, "--no-report", "-q", "-o", "samples.pb.gz", "true")
    check_error(profil("report", "--by", "reason", "samples.pb.gz"), says="no waits: take it with --wall")


def check_parts(wall):
    """Of another engine's account: a life is the sum of its parts, and nothing was missed."""
    parts = sum(wall.sum(part) for part in ("running", "runqueue", "blocked", "unaccounted"))
    expect(wall.sum("lifetime") == parts > 0, f"{wall.sum('lifetime')} ns of lives, {parts} in parts")
    expect(not any(wall.fact(name) for name in ("missed_in", "missed_out", "seeded", "not_followed")), f"{wall.facts}")


def take_by(engine, user, *command, options=()):
    os.chmod(".", 0o777)
    path = f"{engine}-{len(user)}.pb.gz"
    done = run(*user, PROFIL, "--wall", "--engine", engine, "--no-report", "-o", path, *options, *command)
    if "cannot" in done.words or done.status == 125:
        raise Skip(done.words)
    expect(done.status == 0 and f"--wall: the {engine} engine is not told what threads" in done.words, f"{done.status}: {done.words}")
    wall = Wall(path)
    check_parts(wall)
    return wall, {what: int(ns) for _, what, ns in (line.split() for line in done.text.splitlines())}


def case_the_perf_engine_has_all_but_the_reasons():
    """The perf engine is told of each switch: how long every thread ran, and how long it could have; all else is said to
    be not known."""
    away = "blocked, or woken and waiting for a CPU"
    for user in ((), AS_NOBODY):
        wall, due = take_by("perf", user, target("waits"), "spinners", str(os.cpu_count() + 1), "200", options=["--by-thread"])
        # Interrupts and what a host takes are in it, too.
        expect(wall.sum("running", "on CPU") > due["running"] - 2 * TOLERANCE, f"{wall.by_place('running')}, due {due}")
        queued = sum(one.amount for one in wall.amounts if one.type == "runqueue" and one.labels["tid"] != one.labels["pid"])
        near("in the queue", queued, due["runqueue"], least=due["runqueue"] * 0.05 + 4 * TOLERANCE)
        expect(set(wall.by_place("unaccounted")) == {away}, f"{wall.by_place('unaccounted')}")
        expect(sum(at_once * ns for at_once, ns in elapsed(wall)) == wall.sum("running"), f"{elapsed(wall)}")
        wall, _ = take_by("perf", user, target("waits"), "storm", "150", options=["--by-process"])
        expect(wall.fact("threads") == 1 + 150 + 50, f"{wall.fact('threads')} threads")


def case_the_perf_engine_meets_who_runs_already():
    """A thread that naps, and one that never wakes and of which no event comes."""
    running = Running([target("waits"), "idle"])
    wait_until("it waits", running.so_far)
    done = profil("attach", "--wall", "--engine", "perf", "--for", "200ms", "--no-report", "-o", PATH, "-p", str(running.pid))
    expect(done.status == 0, f"{done.status}: {done.words}")
    wall = Wall(PATH)
    expect(wall.fact("threads") == 2, f"{wall.facts}")
    expect(wall.sum("unaccounted") > wall.sum("elapsed"), f"{wall.sum('unaccounted')} ns not known")


def case_the_timer_engine_has_what_proc_tells():
    """The timer engine looks at threads ten times a second, and has the CPU time of those that ended between."""
    wall, due = take_by("timer", (), target("waits"), "spinners", str(os.cpu_count() + 1), "500", options=["--by-thread"])
    expect(wall.fact("threads") == os.cpu_count() + 2, f"{wall.facts}")
    expect(wall.sum("running") > due["running"] - TOLERANCE, f"{wall.sum('running')} ns ran")
    expect(wall.sum("runqueue") > 0, f"{wall.by_place('runqueue')}")
    expect(wall.sum("blocked", "any reason") > SECOND // 10, f"{wall.by_place('blocked')}")


def case_another_engine_says_that_it_cannot():
    """What only the kernel engine tells is refused in one line."""
    for engine in ("timer", "perf"):
        for option in (("--wakers",), ("--wall-budget", "5")):
            check_error(profil(*option, "--engine", engine, "true"), says=f"--wakers, --wall-budget: the {engine} engine is not told")
