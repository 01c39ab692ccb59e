# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks, each held against what it must be.

The target's functions of a stack are named k_...; a sample may fall into any of them, so that a path
is right if one of those there can be begins with it.  What was cut has a reason and no wrong call.
"""

import gzip
import os
import platform
import re

from command import PROFIL, TARGETS, Running, Skip, expect, need_counting, need_program, report, run, wait_until
from kernel_objects import names_held_by

ALARMS = ["k_alarms", "k_under_alarm"]
MUTUAL = ["k_even", "k_odd"] * 5 + ["k_even", "k_mutual_end"]
PATHS = [["k_down"] * depth + [f"k_down_{depth}"] for depth in (1, 20, 100, 200)] + [
    MUTUAL,
    ["k_array", "k_array_end"],
    ["k_aligned", "k_aligned_end"],
    ["k_alloca", "k_alloca_end"],
    ["k_many", "k_many_end"],
    ["k_threads"],
    ["k_thread", "k_thread_end"],
    ["k_reads", "k_read_end"],
    ["k_sort", "k_compare", "k_compare_end"],
    ALARMS + ["k_handler", "k_handler_end"],
    ALARMS + ["k_other_handler", "k_other_handler_end"],
    ["k_faults", "k_fault", "k_fault_handler", "k_fault_end"],
]
HANDLERS = {"k_handler", "k_other_handler", "k_fault_handler"}
# With the jump that the compiler has made of the call, and without.
JUMPS = [["k_before_jump", "k_jump", "k_jump_end"], ["k_before_jump", "k_jump_end"]]
# An alarm that comes between two calls is handled at once: rarely a sample comes just then, too.
JUMPS += [["k_alarms", "k_handler"], ["k_alarms", "k_other_handler"]]

VARINT_KINDS = {0, 2}
NEW_CALLS = 64


def folded_paths():
    """The same where calls of a function by itself are one; the sample itself may lie in another."""
    down = [["k_down", path[-1]] for path in PATHS if path[0] == "k_down"]
    return [["k_down"] * 2] + down + [path for path in PATHS if path[0] != "k_down"]


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """The fields of a message: a number or bytes each."""
    at = 0
    while at < len(data):
        key, at = number(data, at)
        expect(key & 7 in VARINT_KINDS, f"a field of another kind: {key}")
        value, at = number(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(value):
    at, found = 0, []
    while not isinstance(value, int) and at < len(value):
        one, at = number(value, at)
        found.append(one)
    return [value] if isinstance(value, int) else found


def read_frames(path):
    """Samples of the profile: (frames from the root, how many, labels); a frame is its mapping, and its
    function's name, file and first line."""
    with gzip.open(path) as file:
        parts = list(fields(file.read()))
    texts = [value.decode() for kind, value in parts if kind == 6]
    mappings = {}
    for mapping in (dict(fields(value)) for kind, value in parts if kind == 3):
        mappings[mapping[1]] = texts[mapping.get(5, 0)]
    functions = {}
    for function in (dict(fields(value)) for kind, value in parts if kind == 5):
        functions[function[1]] = (texts[function.get(2, 0)], texts[function.get(4, 0)],
                                  function.get(5, 0))
    frames = {}
    for location in (list(fields(value)) for kind, value in parts if kind == 4):
        lines = [functions[dict(fields(value))[1]] for kind, value in location if kind == 4]
        mapping = mappings.get(dict(location).get(2), "")
        frames[dict(location)[1]] = [(mapping, *line) for line in reversed(lines)]
    for sample in (list(fields(value)) for kind, value in parts if kind == 2):
        stack = sum((numbers(value) for kind, value in sample if kind == 1), [])
        labels = [dict(fields(value)) for kind, value in sample if kind == 3]
        yield ([frame for location in reversed(stack) for frame in frames[location]],
               sum((numbers(value) for kind, value in sample if kind == 2), [])[0],
               {texts[label[1]]: texts[label.get(2, 0)] for label in labels})


def read(path):
    """Samples of the profile: (names from the root, how many, labels)."""
    for frames, ticks, labels in read_frames(path):
        yield [name for _, name, *_ in frames], ticks, labels


def own_of(names):
    """The target's own; what the compiler has specialized is the same function."""
    return [name.split(".")[0] for name in names if name.startswith("k_")]


def begins(path, of):
    return of[:len(path)] == path


def take(kind, *options, engine="kernel"):
    """The samples of one run of the target."""
    target = f"{TARGETS}/stacks-{kind}"
    if not os.path.exists(target):
        raise Skip(f"the compiler makes no such program: {kind}")
    return take_command([target], "-F", "4999", *options, engine=engine)


def take_command(command, *options, engine="kernel", by=(PROFIL,)):
    """The samples of one run of COMMAND.  The accounting identity holds for them."""
    if platform.machine() != "x86_64":
        raise Skip("unwind tables are x86-64's")
    if engine == "kernel":
        need_counting()
    done = run(*by, "-g", "--engine", engine, "--no-report", "-q", *options, *command)
    expect(done.status == 0, f"exit status {done.status}: {done.stderr}")
    return samples_taken()


def samples_taken():
    """Those in the profile just taken."""
    counts = report("profil.pb.gz")["identity"]
    samples = list(read("profil.pb.gz"))
    total = sum(count for _, count, _ in samples)
    expect(counts["holds"] is True and counts["samples"] == total,
           f"the accounting identity does not hold: {counts}, {total}")
    return samples


def check(kind, *options, paths=None):
    """Every whole path of the target is one there is, and each kind of path was seen to its end."""
    possible = (PATHS if paths is None else paths) + JUMPS
    samples = take(kind, *options)
    whole = [(names, count) for names, count, labels in samples if "stack" not in labels]
    cut = {}
    for names, count, labels in samples:
        # A thread's first function has no callers, and that is whole.
        if labels.get("stack", "whole") != "whole":
            cut[labels["stack"]] = cut.get(labels["stack"], 0) + count
        # Those of the program and its libraries are there before it starts.
        expect(labels.get("stack") != "no table" or not own_of(names), f"late tables: {names}")
    seen, wrong = {}, []
    for names, count in whole:
        own = own_of(names)
        if not any(begins(own, path) for path in possible):
            wrong.append((count, own))
        if own:
            seen[own[-1]] = seen.get(own[-1], 0) + count
    expect(not wrong, f"wrong paths: {wrong[:5]}")
    missing = {path[-1] for path in possible if path[-1].endswith("_end") or "down_" in path[-1]}
    missing -= set(seen)
    expect(not missing, f"not seen: {missing}; cut: {cut}")
    # Starting a program and ending has no stack, and a library's table may come a little late.
    unexplained = sum(cut.values()) - cut.get("exiting", 0) - cut.get("no table", 0)
    # A sample adds 64 calls at most: of a path of 200 the first three are cut until all of it is known.
    unexplained -= min(cut.get("tree growing", 0), sum(len(path) // NEW_CALLS for path in possible))
    total = sum(count for _, count, _ in samples)
    expect(unexplained * 100 <= total, f"cut: {cut} of {total}")


def case_optimized():
    """Compiled with -O2 and without frame pointers."""
    check("O2", "--no-fold")


def case_plain():
    """Compiled with -O0: frame pointers, and each variable in memory."""
    check("O0", "--no-fold")


def case_pointers():
    """Compiled with -O1 and frame pointers."""
    check("O1", "--no-fold")


def case_untold():
    """Without call frame information: the code is followed."""
    check("untold-O0", "--no-fold")


def case_framed():
    """Where there is so much of it that it is followed where something ran: by the kernel engine afterwards, by the perf
    engine first, and not by a signal handler."""
    for engine in ("kernel", "perf", "timer"):
        check_leaves("framed-O0", engine)


def case_untold_leaves():
    """The same where what calls nothing has no frame."""
    for kind in ("untold-O1", "framed-O1"):
        check_leaves(kind)


def check_leaves(kind, engine="kernel"):
    """What is whole is right, what is cut skips none."""
    possible = PATHS + JUMPS
    whole = 0
    for names, count, labels in take(kind, "--no-fold", engine=engine):
        own = own_of(names)
        if "stack" not in labels:
            expect(any(begins(own, path) for path in possible), f"wrong: {count} {own}")
            whole += count if len(own) > 1 else 0
        else:
            expect(any(path[at:at + len(own)] == own for path in possible for at in range(len(path))),
                   f"wrong: {count} {labels} {own}")
    expect(whole or engine == "timer", f"no path is whole: {engine} engine")


def case_static():
    """A static program, the C library's tables in its own."""
    check("static", "--no-fold")


def case_32_bit():
    """A 32-bit program, whose system calls and signals go through a vdso of its own."""
    check("32-O2", "--no-fold")


def case_32_bit_plain():
    """The same with frame pointers."""
    check("32-O0", "--no-fold")


def case_32_bit_static():
    """A static 32-bit program."""
    check("32-static", "--no-fold")


def case_lto():
    """A program that is optimized as a whole when it is linked, by each engine."""
    check("lto", "--no-fold")
    check_timer("lto", "--no-fold")
    check_perf("lto", "--no-fold")


def case_pg():
    """A program compiled with -pg, by each engine: each function calls mcount, and the C library has a timer of its
    own, with SIGPROF."""
    check("pg", "--no-fold")
    check_timer("pg", "--no-fold")
    check_perf("pg", "--no-fold")


def case_folded():
    """A function that calls itself is one call; two that call each other are not."""
    check("O2", paths=folded_paths())


def case_deep():
    """A stack deeper than --max-stack is cut there, and says so."""
    cut = {}
    for names, count, labels in take("O2", "--no-fold", "--max-stack", "64"):
        own = own_of(names)
        if own and own[-1] in ("k_down_100", "k_down_200"):
            expect("stack" in labels, f"whole: {names}")
            cut[labels["stack"]] = cut.get(labels["stack"], 0) + count
            expect(len(names) <= 65, f"{len(names)} calls")
    expect(set(cut) == {"too deep"}, f"cut: {cut}")


def case_full():
    """Where the table of contexts is full, samples are known as far as it goes, and none is lost; the
    tree names the option that enlarges it."""
    samples = take("O2", "--no-fold", "--contexts", "64")
    cut = {labels.get("stack") for _, _, labels in samples}
    expect("tree full" in cut, f"cut: {cut}")
    text = run(PROFIL, "tree", "profil.pb.gz").text
    expect("cut: more calling contexts than --contexts" in text, text)


def case_tables_full():
    """Where there is no room for a file's unwind table, its callers are not known, and the tree names the option
    that enlarges it."""
    if platform.machine() != "x86_64":
        raise Skip("unwind tables are read on x86-64")
    compiler = run("gcc", "-print-prog-name=cc1").text.strip()
    with open("much.c", "w", encoding="ascii") as file:
        file.writelines(f"int f{i}(int a, int b) {{ return a * {i} % (b | 1) + b / (a | 1); }}\n" for i in range(300))
    cut = {}
    for size in ("1", "32"):
        done = run(PROFIL, "run", "-q", "--no-report", "--engine", "kernel", "--tables", size, compiler,
                   "-quiet", "-O2", "much.c", "-o", "much.s")
        expect(done.status == 0, done.stderr)
        cut[size] = report("profil.pb.gz")["stacks"].get("tables full", 0)
        if size == "1":
            text = run(PROFIL, "tree", "profil.pb.gz").text
    expect(cut["1"] > 20 and cut["32"] == 0, f"{cut}")
    expect("cut: more unwind tables than --tables has room for" in text, text)


def check_returns(samples):
    """A handler is called from where the kernel has it return to, by name: not from the function
    that stands before."""
    seen, lost = set(), 0
    for names, count, _ in samples:
        lost += 0 if names else count
        for caller, name in zip(names, names[1:]):
            if name in HANDLERS:
                expect(caller == "__restore_rt", f"{name} is called from {caller}: {count} {names}")
                seen.add(name)
    expect(lost or "k_fault_handler" in seen, f"seen: {seen}")


def loaded(*options):
    """What is in the kernel while a program is measured."""
    running = Running([PROFIL, "run", "-q", "--no-report", "--engine", "kernel", *options, "cat"], stdin=-1)
    wait_until("the program", lambda: "survey" in (names := names_held_by(running.pid)) and
               any(name.startswith("tick") for name in names))
    names = names_held_by(running.pid)
    running.process.stdin.close()
    expect(running.wait().status == 0, options)
    return names


def case_flat():
    """--flat loads the program that knows no stacks, and none of their maps; its samples are addresses
    alone, and no more is in the file.  Else stacks are counted, whether -g says so or not."""
    need_counting()
    need_program("bpftool")
    flat, usual, asked = loaded("--flat"), loaded(), loaded("-g")
    expect("tick" in flat and "tick_with_stack" not in flat, f"{flat}")
    expect("tick_with_stack" in usual and "tick" not in usual and usual == asked, f"{usual}, {asked}")
    expect({"contexts", "tables", "table_rows", "asked"} <= usual, f"{usual}")
    expect(not {name for name in flat if re.search("stack|context|table|asked|know_file", name)}, f"{flat}")
    for engine in ("kernel", "perf", "timer"):
        done = run(PROFIL, "--flat", "--engine", engine, "-q", "--no-report", f"{TARGETS}/stacks-O2")
        expect(done.status == 0, done.words)
        with gzip.open("profil.pb.gz") as file:
            samples = [list(fields(value)) for kind, value in fields(file.read()) if kind == 2]
        expect(len(samples) > 10, f"{engine}: {len(samples)} samples")
        for sample in samples:
            places = sum((numbers(value) for kind, value in sample if kind == 1), [])
            expect(len(places) == 1 and not [kind for kind, _ in sample if kind == 3], f"{engine}: {sample}")


def case_returns():
    """What a signal's handler returns to is named, and what it interrupted."""
    check_returns(take("static", "--no-fold"))


def case_perf_returns():
    """The same of the perf engine."""
    need_perf()
    check_returns(take("static", "--no-fold", "-F", "997", engine="perf"))


def ends(path, of):
    """Whether it is cut behind some of the calls there are."""
    return bool(path) and of[-len(path):] == path


def check_perf(kind, *options, paths=None):
    """The same of the perf engine, at a rate at which its rings hold a quarter of a second.  The kernel
    copies one piece of stack, up to the first page that is not there: what is above is not known of a
    handler on a stack of its own, nor behind memory on the stack that nobody has touched."""
    need_perf()
    possible = (PATHS if paths is None else paths) + JUMPS
    seen, lost, cut, total = set(), 0, {}, 0
    for names, count, labels in take(kind, "-F", "997", *options, engine="perf"):
        own, total = own_of(names), total + count
        if not names:
            lost += count
        elif "stack" not in labels:
            expect(any(begins(own, path) for path in possible), f"wrong path: {count} {own}")
            seen.update(own[-1:])
        elif labels["stack"] == "unreadable" and any(ends(own, path) for path in possible):
            seen.add(own[-1])
        elif labels["stack"] != "exiting":
            cut[labels["stack"]] = cut.get(labels["stack"], 0) + count
    missing = {path[-1] for path in possible if path[-1].endswith("_end") or "down_" in path[-1]}
    expect(lost or missing <= seen, f"not seen: {missing - seen}; cut: {cut}")
    expect(sum(cut.values()) * 20 <= total, f"cut: {cut} of {total}")


def check_timer(kind, *options, paths=None):
    """The same of the timer engine, which looks at the kernel's own tick and may miss some."""
    starts = {path[0] for path in PATHS}
    possible = (PATHS if paths is None else paths) + JUMPS
    seen, cut, total = set(), {}, 0
    for names, count, labels in take(kind, *options, engine="timer"):
        own, total = own_of(names), total + count
        if "stack" in labels:
            cut[labels["stack"]] = cut.get(labels["stack"], 0) + count
            continue
        expect(any(begins(own, path) for path in possible), f"wrong path: {count} {own}")
        seen.update(own)
    expect(len(starts & seen) * 2 >= len(starts), f"seen: {seen}; cut: {cut}")
    # A stack of 200 calls is new at up to four samples, each of which stands for 20 and more.
    growing = cut.get("tree growing", 0)
    unexplained = sum(cut.values()) - cut.get("no table", 0) - growing
    expect(unexplained * 20 <= total and growing * 10 <= total, f"cut: {cut} of {total}")


def need_perf():
    """Skip where the kernel refuses perf events."""
    if run(PROFIL, "--engine", "perf", "--no-report", "-q", "true").status:
        raise Skip("perf events are refused here")


def case_perf_optimized():
    """The perf engine: compiled with -O2 and without frame pointers."""
    check_perf("O2", "--no-fold")


def case_perf_plain():
    """The perf engine: compiled with -O0."""
    check_perf("O0", "--no-fold", "--stack-size", "32768")


def case_perf_static():
    """The perf engine: a static program."""
    check_perf("static", "--no-fold")


def case_perf_32_bit():
    """The perf engine: 32-bit programs."""
    check_perf("32-O2", "--no-fold")
    check_perf("32-static", "--no-fold")


def case_perf_folded():
    """The perf engine: a function that calls itself is one call."""
    check_perf("O2", paths=folded_paths())


def case_perf_small_piece():
    """What lies higher up the stack than the piece is cut, and no path is wrong for it."""
    need_perf()
    reasons = set()
    for names, _, labels in take("O2", "--no-fold", "-F", "997", "--stack-size", "1024",
                                 engine="perf"):
        own = own_of(names)
        reasons.add(labels.get("stack"))
        if own and own[-1] == "k_down_200":
            expect(labels.get("stack") == "stack size", f"{labels}: {names}")
            expect(set(own[:-1]) <= {"k_down"}, f"{own}")
    expect("stack size" in reasons, f"{reasons}")


def case_timer_optimized():
    """The timer engine: compiled with -O2 and without frame pointers."""
    check_timer("O2", "--no-fold")


def case_timer_plain():
    """The timer engine: compiled with -O0."""
    check_timer("O0", "--no-fold")


def case_timer_pointers():
    """The timer engine: compiled with -O1 and frame pointers."""
    check_timer("O1", "--no-fold")


def case_timer_folded():
    """The timer engine: a function that calls itself is one call."""
    check_timer("O2", paths=folded_paths())


def case_timer_deep():
    """The timer engine: a deeper stack than --max-stack is cut there."""
    reasons = set()
    for names, _, labels in take("O2", "--no-fold", "--max-stack", "64", engine="timer"):
        own = own_of(names)
        reasons.add(labels.get("stack"))
        expect(len(names) <= 65, f"{len(names)} calls")
        if own and own[-1] in ("k_down_100", "k_down_200"):
            expect(labels.get("stack") == "too deep", f"{labels}: {names}")
    expect("too deep" in reasons, f"{reasons}")


def case_timer_growing():
    """The timer engine: of a stack that is new, one sample adds a part."""
    cut = [len(names) for names, _, labels in take("O2", "--no-fold", engine="timer")
           if labels.get("stack") == "tree growing"]
    # What is around it was known before, and the place itself is no call.
    expect(cut and 64 < min(cut) < 80, f"cut: {cut}")


def case_timer_full():
    """The timer engine: where the table of contexts is full, no sample is lost."""
    cut = {labels.get("stack") for _, _, labels in
           take("O2", "--no-fold", "--contexts", "64", engine="timer")}
    expect("tree full" in cut, f"cut: {cut}")
