# SPDX-License-Identifier: BSD-2-Clause
"""Views of all of the time of threads (--wall): what they say of a recorded profile, held against its file."""

import json
import math
import re
from decimal import Decimal

import firefox
from command import PROFIL, check_error, expect, need_counting, need_program, profil, report, run, target
from diffs import diff
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


def repeats():
    """Three runs before and three after, made of parts of the recorded profile, and what is in each."""
    path, wall = take()
    parts = []
    for tid in sorted({one.labels["tid"] for one in wall.amounts if "tid" in one.labels}):
        parts.append(f"part-{tid}.pb.gz")
        export("pprof", "-o", parts[-1], "--tid", str(tid), path)
    runs = []
    for number, more in enumerate(([parts[1]], [parts[2]], [parts[3]], [path, parts[2]], [path, parts[4]], [path, parts[1]])):
        runs.append(f"run-{number}.pb.gz")
        run_well(PROFIL, "merge", "-o", runs[-1], path, *more)
    return runs, [Wall(one) for one in runs]


def student(values):
    """Student's t test of three values and three: the change of the mean, half its 95 % interval, and p.  With four
    degrees of freedom the distribution has a closed form."""
    before, after = values[:3], values[3:]
    change = sum(after) / 3 - sum(before) / 3
    spread = sum((one - sum(side) / 3) ** 2 for side in (before, after) for one in side) / 4
    error = math.sqrt(spread * 2 / 3)
    if not error:
        return change, 0, float(not change)
    root = abs(change / error) / math.sqrt(4 + (change / error) ** 2)
    return change, 2.7764451 * error, 1 - 1.5 * root * (1 - root * root / 3)


def holm(tests):
    """Probabilities after Holm's correction, of those that can be significant at all; the others are 1."""
    tested = sorted(name for name, (_, able) in tests.items() if able)
    adjusted, least = {name: 1 for name in tests}, 0
    for rank, name in enumerate(sorted(tested, key=lambda name: tests[name][0])):
        least = max(least, min(1, tests[name][0] * (len(tested) - rank)))
        adjusted[name] = least
    return adjusted


def near(what, found, due):
    expect(abs(found - due) <= 1e-6 * max(1, abs(due)), f"{what}: {found}, due {due}")


def case_diff_of_waits_by_repeats():
    """What waits longer, by reason: means of the runs, their change with its interval, and p by Student's t between the
    runs after Holm's correction."""
    runs, walls = repeats()
    for value, scale in (("blocked", 1e9), ("times_blocked", 1)):
        said = diff(runs[:3], runs[3:], "--value", value, "--by", "reason")
        names = {name for wall in walls for name in wall.by_place(value)}
        sums = {name: [wall.by_place(value).get(name, 0) / scale for wall in walls] for name in names}
        adjusted = holm({name: (student(ones)[2], sum(one > 0 for one in ones) > 1) for name, ones in sums.items()})
        expect({row["name"] for row in said["rows"]} == names and said["of"] == value and said["per"] == "run", f"{said}")
        for row in said["rows"]:
            name, ones = row["name"], sums[row["name"]]
            change, half, _ = student(ones)
            near(f"{name}: before", row["before"]["value"], sum(ones[:3]) / 3)
            near(f"{name}: after", row["after"]["value"], sum(ones[3:]) / 3)
            near(f"{name}: change", row["change"], change)
            near(f"{name}: low", row["low"], change - half)
            near(f"{name}: high", row["high"], change + half)
            near(f"{name}: p", row["probability"], adjusted[name])
            expect(row["significant"] == (adjusted[name] <= 0.05), f"{row}")
        change, half, probability = student([wall.sum(value) / scale for wall in walls])
        near("all", said["whole"]["change"], change)
        near("all: low", said["whole"]["low"], change - half)
        near("all: p", said["whole"]["probability"], probability)


def case_diff_by_function_and_of_pairs():
    """By function a wait is its caller's; with one run a side nothing is tested, and nothing has an interval."""
    runs, walls = repeats()
    rows = diff(runs[:3], runs[3:], "--value", "blocked")["rows"]
    found = sum(row["after"]["nanoseconds"] for row in rows)
    expect(found == sum(wall.sum("blocked") for wall in walls[3:]), f"{found}")
    polls = [row for row in rows if row["name"] == "__poll"]
    expect(len(polls) == 1 and polls[0]["before"]["nanoseconds"] == sum(wall.sum("blocked", "poll") for wall in walls[:3]), f"{polls}")
    expect(not any(row["name"] == "poll" for row in rows), f"{rows}")
    paths = diff(runs[:3], runs[3:], "--value", "blocked", "--by", "path")["rows"]
    expect(sum(row["after"]["nanoseconds"] for row in paths) == found, "paths")
    pair = diff(runs[:1], runs[3:4], "--value", "blocked")
    expect(pair["compared"] == 0 and all(row["low"] is None and row["probability"] == 1 for row in pair["rows"]), f"{pair}")
    said = profil("diff", "--value", "blocked", runs[0], runs[3]).text
    expect("only repeats can tell" in said and "interval" not in said and "blocked per run: " in said, said)
    check_error(profil("diff", "--by", "reason", *runs[:2]), says="give --value")
    check_error(profil("diff", "--value", "woken", *runs[:2]), says="take it with --wakers")
    check_error(profil("diff", "--value", "blocked", "--fail-above", "5%", *runs[:2]), says="give OLD... -- NEW...")
    done = profil("diff", "--value", "blocked", "--fail-above", "5%", *runs[:3], "--", *runs[3:])
    expect(done.status == 1 and "grew by" in done.words, f"{done.status}: {done.words}")


def case_merge_is_exact():
    """The sum of profiles has of each value, stack and label the sum of what they have, in any order."""
    runs, walls = repeats()
    due = {}
    for wall in walls:
        for one in wall.amounts:
            key = (one.type, *one.stack, *sorted(one.labels.items()))
            due[key] = due.get(key, 0) + one.amount
    for order in (runs, runs[::-1]):
        said = json.loads(run_well(PROFIL, "merge", "--json", "-o", "all.pb.gz", *order))
        threads = report("all.pb.gz")["wall"].get("threads")
        expect(said.get("threads") == threads, f"{said} for {threads} threads")
        found = {}
        for one in Wall("all.pb.gz").amounts:
            key = (one.type, *one.stack, *sorted(one.labels.items()))
            found[key] = found.get(key, 0) + one.amount
        expect(found == due, f"{set(found.items()) ^ set(due.items())}")
