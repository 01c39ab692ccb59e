# SPDX-License-Identifier: BSD-2-Clause
"""Views of all of the time of threads (--wall): what they say of a recorded profile, held against its file."""

import json
import re
from decimal import Decimal

import firefox
from command import PROFIL, check_error, expect, need_counting, need_program, profil, report, run, target
from exported import export, run_well
from recorded import Recorded
from wall import Wall

ACCOUNT = {"lifetime_ns": "lifetime", "running_ns": "running", "runqueue_ns": "runqueue", "blocked_ns": "blocked",
           "not_accounted_ns": "unaccounted", "still_blocked_ns": "still_blocked"}


def take():
    """Where a profile of all time is, and what is in it."""
    path = Recorded("wall").path
    return path, Wall(path)


def check_part(path, options, mine, threads):
    """A part has what the amounts have that are MINE, and so many THREADS; what only the whole has is not told of it."""
    part = report(path, *options)["wall"]
    for key, kind in ACCOUNT.items():
        due = sum(one.amount for one in mine if one.type == kind)
        expect(part[key] == due, f"{options}: {key} {part[key]}, due {due}")
    expect(part.get("threads") == threads, f"{options}: {part.get('threads')} threads of {threads}")
    expect("over_ns" not in part and "still_blocked" not in part, f"{options}: {part}")


def case_a_part_has_its_own_threads_and_times():
    """With --tid, --pid and --comm the account is that of those threads, also after it was exported."""
    path, wall = take()
    for key, option in (("tid", "--tid"), ("pid", "--pid"), ("thread", "--comm")):
        for one in {each.labels[key] for each in wall.amounts if key in each.labels}:
            mine = [each for each in wall.amounts if each.labels.get(key) == one]
            threads = len({each.labels["tid"] for each in mine})
            check_part(path, (option, str(one)), mine, threads)
            run(PROFIL, "export", "--to", "pprof", "-o", "part.pb.gz", option, str(one), path)
            check_part("part.pb.gz", (), mine, threads)


def case_parts_together():
    """The sum of the parts is the whole, but for what is not known of parts."""
    path, wall = take()
    parts = []
    for tid in {each.labels["tid"] for each in wall.amounts if "tid" in each.labels}:
        parts.append(f"{tid}.pb.gz")
        run(PROFIL, "export", "--to", "pprof", "-o", parts[-1], "--tid", str(tid), path)
    run(PROFIL, "merge", "-o", "sum.pb.gz", *parts)
    check_part("sum.pb.gz", (), [each for each in wall.amounts if "tid" in each.labels], None)


def case_of_callers_no_life_is_known():
    """Under a function there are waits, also where there are no samples, and no lives."""
    path, wall = take()
    part = report(path, "--under", "^w_poll$")
    expect(part["total"] == 0 and "threads" not in part["wall"] and "lifetime_ns" not in part["wall"], f"{part['wall']}")
    expect(part["wall"]["blocked_ns"] == wall.sum("blocked", within="w_poll") > 0, f"{part['wall']}")
    done = profil("report", "--under", "^w_poll$", path)
    expect("\n0 us waiting" not in done.text and " blocked: poll 40" in done.text and "threads" not in done.text, done.text)


VALUES = ("blocked", "runqueue", "wall", "times_blocked", "times_queued")


def check_rows(path, wall, value, by):
    """The rows BY something have VALUE, most first, and nothing else."""
    shown = report(path, "--value", value, "--by", by)
    own = [row["self"] for row in shown["rows"]]
    expect(shown["value"] == value and sum(own) == shown["total"] == shown["shown"] == wall.sum(value), f"{value} by {by}: {own}")
    expect(own == sorted(own, reverse=True), f"{value} by {by}: {own}")
    return {row["name"]: row for row in shown["rows"]}


def case_rows_of_one_value():
    """--value has all of that value, by function, thread or reason, with the total of each function."""
    path, wall = take()
    for value in VALUES:
        functions = check_rows(path, wall, value, "function")
        for name in ("main", "w_poll", "spin"):
            due = wall.sum(value, within=name)
            expect(functions.get(name, {"total": 0})["total"] == due, f"{value} within {name}: due {due}")
        check_rows(path, wall, value, "line")
        check_rows(path, wall, value, "thread")
        reasons = check_rows(path, wall, value, "reason")
        due = wall.by_place(value) if value != "wall" else {"on CPU": wall.sum(value)}
        expect({name: row["self"] for name, row in reasons.items()} == due, f"{value}: {reasons}, due {due}")


def case_callers_and_callees_of_waits():
    """With --callers and --callees each call has the value that passed it, and reasons are called by who waited."""
    path, wall = take()
    for value in VALUES[:2]:
        calls = {(one["caller"], one["callee"]): one["nanoseconds"]
                 for one in report(path, "--value", value, "--callers")["calls"]}
        for reason in ("futex", "poll", "preempted"):
            found = sum(ns for (_, callee), ns in calls.items() if callee == reason)
            expect(found == wall.sum(value, reason), f"{value} of {reason}: {found}, due {wall.sum(value, reason)}")
        out = report(path, "--value", value, "--callees=^main$")["calls"]
        expect({(one["caller"], one["callee"]): one["nanoseconds"] for one in out if one["caller"] == "main"}
               == {call: ns for call, ns in calls.items() if call[0] == "main"}, f"{value}: {out}")


def case_a_value_that_is_not_there():
    """What was not measured is refused with what to do; samples have their intervals with --value cpu."""
    path, _ = take()
    check_error(profil("report", "--value", "woken", path), says="take it with --wakers")
    check_error(profil("report", "--value", "still_blocked", path), says="nothing of it was measured: name another")
    check_error(profil("report", "--value", "blocked", "--calls", path), says="leave out --value")
    check_error(profil("report", "--value", "time", path), says="blocked")
    rows = report(path, "--value", "cpu")["rows"]
    expect(sum(row["samples"] for row in rows) == 208 and "self_ns" not in rows[0], f"{rows[0]}")
    check_error(profil("report", "--value", "blocked", Recorded("split-kernel", "other.pb.gz").path), says="take it with --wall")


def of_stacks(wall, value):
    """{(whose, names, the callers first): VALUE}, without the marks of stacks that were cut."""
    found = {}
    for one in wall.amounts:
        if one.type == value:
            stack = (one.labels["thread"], *one.stack[::-1])
            found[stack] = found.get(stack, 0) + one.amount
    return found


def without_cuts(stack):
    return tuple(name for name in stack if not name.startswith("[truncated"))


def case_exports_have_a_value():
    """Formats of call stacks have the stacks of the file, each with its value, in their unit."""
    path, wall = take()
    for value in VALUES:
        due = of_stacks(wall, value)
        is_time = not value.startswith("times")
        found = {}
        for line in export("folded", "--value", value, path).splitlines():
            stack, amount = line.rsplit(" ", 1)
            found[without_cuts(stack.split(";"))] = found.get(without_cuts(stack.split(";")), 0) + int(amount)
        expect(found == due, f"folded: {value}: {set(found.items()) ^ set(due.items())}")
        scope = json.loads(export("speedscope", "--value", value, path))
        only, found = scope["profiles"][0], {}
        for stack, amount in zip(only["samples"], only["weights"]):
            names = without_cuts(scope["shared"]["frames"][frame]["name"] for frame in stack)
            found[names] = found.get(names, 0) + amount
        expect(found == due and only["name"] == value and only["unit"] == ("nanoseconds" if is_time else "none")
               and only["endValue"] == wall.sum(value), f"speedscope: {value}: {set(found.items()) ^ set(due.items())}")
        fox = json.loads(export("firefox", "--value", value, path), parse_float=Decimal)
        firefox.check(fox)
        stacks = [one for thread in fox["threads"] for one in firefox.stacks_of(fox, thread)]
        scale = 10**6 if is_time else 1
        expect(sum(weight for _, weight in stacks) * scale == wall.sum(value), f"firefox: {value}")
        expect({thread["samples"]["weightType"] for thread in fox["threads"]} == {"tracing-ms" if is_time else "samples"}, value)
        grind = export("callgrind", "--value", value, path)
        expect(f"\nevents: {value}\nsummary: {wall.sum(value)}\n" in grind, grind[:300])
    for to in ("pprof", "gmon", "llvm", "perf-script"):
        check_error(profil("export", "--to", to, "--value", "blocked", "-o", "x", path), says="--value: it is for folded")


def case_callgrind_annotate_has_a_value():
    """callgrind_annotate has what was blocked within each function."""
    need_program("callgrind_annotate")
    path, wall = take()
    export("callgrind", "--value", "blocked", "-o", "callgrind.out", path)
    text = run_well("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", "callgrind.out")
    for name in ("main", "w_poll", "w_join", "start_thread"):
        due = wall.sum("blocked", within=name)
        expect(not due or re.search(rf"^ *{due:,} \(.*:{name}\b", text, re.MULTILINE), f"{name}: {due:,}: {text}")


def case_go_has_each_value():
    """go tool pprof finds each value by its name, in nanoseconds, with the self of each place and the total of each function
    that the file has; what it shows when it is not asked is time on CPUs."""
    need_program("go")
    path, wall = take()
    export("pprof", "-o", "out.pb.gz", path)
    pprof = ("env", "HOME=.", "go", "tool", "pprof", "-nodefraction=0", "-edgefraction=0", "-unit=ns", "-top",
             "-noinlines", "-nodecount=1000")
    expect("\nType: cpu\n" in run_well(*pprof, "out.pb.gz"), "the type that is shown")
    for value in ("cpu", *VALUES):
        shown = run_well(*pprof, f"-sample_index={value}", "out.pb.gz")
        rows = re.findall(r"^ *(\d+)(?:ns)? +\S+% +\S+% +(\d+)(?:ns)? +\S+% +(.+?)(?: \(inline\))?$", shown, re.MULTILINE)
        found = {name: (int(own), int(total)) for own, total, name in rows}
        due = {}
        for one in wall.amounts:
            if one.type == value:
                for name in set(one.stack):
                    own, total = due.get(name, (0, 0))
                    due[name] = own + (name == one.stack[0]) * one.amount, total + one.amount
        found = {name: both for name, both in found.items() if not name.startswith("[truncated")}
        expect(found == due, f"{value}: {set(found.items()) ^ set(due.items())}")
        if value != "cpu":
            expect(sum(own for own, _ in found.values()) == report(path, "--value", value)["total"], f"{value}: {shown}")


def case_by_cpu_a_wait_is_a_threads():
    """Kept apart by CPU and by thread, a wait is of no CPU, and of its thread."""
    need_counting()
    done = run(PROFIL, "--wall", "--engine", "kernel", "--by-cpu", "--by-thread", "-q", "--no-report", "-o", "cpus.pb.gz",
               target("waits"), "spinners", "2", "50")
    expect(done.status == 0, f"{done.status}: {done.words}")
    wall = Wall("cpus.pb.gz")
    lost = [(one.type, one.labels) for one in wall.amounts if one.type not in ("samples", "cpu", "elapsed", "wall")
            and (not one.labels.get("tid") or "cpu" in one.labels)]
    expect(not lost, f"{lost}")
    rows = report("cpus.pb.gz", "--by", "cpu")["rows"]
    expect(rows[0]["name"] == "[no cpu]" and rows[0]["blocked_ns"] == wall.sum("blocked"), f"{rows[0]}")
    expect(all(not row["blocked_ns"] and row["running_ns"] for row in rows[1:]), f"{rows[1:]}")
    rows = report("cpus.pb.gz", "--by", "thread")["rows"]
    expect(len(rows) == wall.fact("threads") == 3 and all(row["running_ns"] for row in rows), f"{rows}")
