# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks where they are not those of plain calls (tests/targets/stack-kinds.c), or not of a
program that profil runs: what is whole is right, what is cut is a part of what is right."""

import json
import os
import signal

from command import (AS_NOBODY, PROFIL, Running, Skip, cpu_ticks_of, expect, long, need_program,
                     need_root, profil, report, run, target, wait_until)
from engines import bring_profil, brought, paranoid
from measure import FAST
from test_attach import counting
from test_stacks import JUMPS, PATHS, need_perf, own_of, samples_taken, take_command

PLAIN = PATHS + JUMPS
KINDS = [
    ["k_fork", "k_fork_end"],
    ["k_vfork", "k_vfork_end"],
    ["k_executed", "k_executed_end"],
    ["k_clone"],
    ["k_cloned", "k_cloned_end"],
    ["k_contexts", "k_back_end"],
    ["k_jumps", "k_jumped_end"],
    ["k_jumps", *["k_jump_from"] * 21],
    ["k_plt"],
    ["k_chooses", "k_chosen_end"],
    ["k_loads", "k_small", "k_loaded_end"],
    ["k_loads", "k_large", "k_loaded_end"],
]
# Behind what no table tells of.  makecontext() has a function return to the very first instruction of
# another, which for a table is the end of the one before.
BLIND = [["k_calls_bare", "k_bare", "k_bare_end"], ["k_calls_page", "k_lost", "k_page_end"],
         ["k_calls_lost", "k_lost", "k_lost_end"], ["k_context", "k_context_end"]]
THROWS = [["k_try", "k_catch_end"], ["k_try", "k_guarded", "k_cleanup_end"],
          ["k_try", "k_guarded", "k_thrower", "k_thrower"], ["k_in_flight", *["k_thrower"] * 11]]


def is_way_to(path, own):
    """OWN is on the way to the end of PATH, or there."""
    return path[:len(own)] == own


def is_part_of(path, own):
    return any(path[at:at + len(own)] == own for at in range(len(path)))


def judge(samples, paths, blind=(), unseen=()):
    """No path is wrong; what ends a path was seen whole, but for what need not be, UNSEEN, and behind
    BLIND ones in whatever way; and next to nothing else is cut but what the reasons below say."""
    seen, cut, total = set(), {}, 0
    for names, count, labels in samples:
        own, reason = own_of(names), labels.get("stack")
        total += count if own else 0
        fits = is_part_of if reason else is_way_to
        expect(not own or any(fits(path, own) for path in [*paths, *blind]),
               f"wrong: {count} {reason} {names}")
        # A table of what was loaded just now comes a little late.
        is_blind = any(is_part_of(path, own) for path in blind)
        if own and (is_blind or reason in (None, "no table")):
            seen.add(own[-1])
        elif own and reason != "exiting":
            cut[reason] = cut.get(reason, 0) + count
    missing = {path[-1] for path in [*paths, *blind] if path[-1].endswith("_end")}
    missing -= {*seen, *unseen}
    expect(not missing, f"not seen: {missing}; cut: {cut}")
    expect(sum(cut.values()) * 100 <= total, f"cut: {cut} of {total}")


def judge_loaded(samples):
    """Of two libraries that were at one address, each was seen as what it is, by its own table."""
    whole = {tuple(own_of(names)[:2]) for names, _, labels in samples if not labels.get("stack")}
    expect({("k_loads", "k_small"), ("k_loads", "k_large")} <= whole, f"{whole}")


def judge_lost():
    """Code of no file was called, and who called that is not known: what a frame pointer that is none leads to
    is no caller."""
    path, seen = [], 0
    for row in json.loads(profil("tree", "--json", "--min", "0%", "profil.pb.gz").text)["rows"]:
        path[row["depth"]:] = [row.get("function", "")]
        if path[-1] == "k_lost_end":
            seen += 1
            expect(path[0] == "[truncated]" and len(path) <= 3, f"{path}")
    expect(seen, "k_lost_end was not seen")


def kinds(kind=""):
    return [target(f"stack-kinds{kind}"), target(f"libstack-small{kind}.so"), target(f"libstack-large{kind}.so")]


def case_kinds():
    """Children, stacks of their own, jumps, the linker's code, libraries at one address, code without
    a table."""
    samples = take_command(kinds(), *FAST, "--no-fold")
    judge(samples, KINDS, BLIND)
    judge_loaded(samples)
    judge_lost()


def case_kinds_of_32_bits():
    """The same of a 32-bit program, by the kernel engine and the perf engine."""
    need_perf()
    for engine, rate in (("kernel", "4999"), ("perf", "997")):
        samples = take_command(kinds("-32"), "-F", rate, "--no-fold", engine=engine)
        judge(samples, KINDS, BLIND)
        judge_loaded(samples)
        judge_lost()


def case_exceptions():
    """What a handler calls, what is called on the way to it, and exceptions in flight."""
    judge(take_command([target("stack-throws")], *FAST, "--no-fold"), THROWS)


def case_stripped():
    """A static program without any name has whole stacks all the same."""
    need_program("strip")
    expect(run("strip", "-o", "bare", target("stacks-static")).status == 0, "strip")
    samples = take_command(["./bare"], *FAST)
    total = sum(count for _, count, _ in samples)
    whole = sum(count for names, count, labels in samples
                if names and labels.get("stack") in (None, "exiting"))
    expect(whole * 100 >= total * 99, f"{whole} of {total}")


def case_attached():
    """A process that runs already."""
    worker = Running([target("stacks-O2"), "1000"])
    wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
    running = Running([PROFIL, "attach", "-g", "--no-fold", "-q", "--no-report", *FAST, "-p",
                       str(worker.pid)])
    wait_until("the clock", lambda: counting(running.pid))
    turns = worker.so_far().count(b"\n")
    # The second is whole.
    wait_until("all kinds", lambda: worker.so_far().count(b"\n") >= turns + 2)
    os.kill(running.pid, signal.SIGINT)
    done = running.wait()
    expect(done.status == 0, done.words)
    judge(samples_taken(), PLAIN)


def case_nobody():
    """The perf engine, for a user without rights."""
    need_root()
    need_perf()
    if paranoid() > 2:
        raise Skip(f"perf_event_paranoid is {paranoid()}: nobody may open perf events")
    bring_profil()
    samples = take_command([brought("stack-kinds"), brought("libstack-small.so"),
                            brought("libstack-large.so")], "-F", "997", "--no-fold", engine="perf",
                           by=(*AS_NOBODY, "./profil"))
    judge(samples, KINDS, BLIND)
    judge_loaded(samples)
    judge_lost()


def case_timer():
    """The timer engine: the same, but for children that its timers do not enter.  A library is known
    from the next look on."""
    samples = take_command(kinds(), *FAST, "--no-fold", engine="timer")
    judge(samples, KINDS, BLIND, ("k_vfork_end", "k_cloned_end"))
    judge_lost()


def case_timer_exceptions():
    """The timer engine: exceptions."""
    judge(take_command([target("stack-throws")], *FAST, "--no-fold", engine="timer"), THROWS)


def case_same_as_flat():
    """What the contexts of an address add up to is its flat count."""
    inside = {}
    for names, count, _ in take_command(kinds(), *FAST):
        if names:
            inside[names[-1]] = inside.get(names[-1], 0) + count
    flat = {}
    for row in report("profil.pb.gz")["rows"]:
        flat[row["name"]] = flat.get(row["name"], 0) + row["samples"]
    ours = {name for name, count in flat.items() if count and name.startswith("k_")}
    expect(ours, f"{flat}")
    for name in ours:
        expect(inside.get(name) == flat[name], f"{name}: {inside.get(name)}, flat {flat[name]}")
