# SPDX-License-Identifier: BSD-2-Clause
"""Functions of Python in call stacks, each path held against what it must be
(tests/targets/python-paths.py), with each version of Python that is known and is here."""

import glob
import os
import re

from command import PROFIL, Skip, expect, long, need_counting, report, run, target
from test_stacks import read_frames

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "targets",
                       "python-paths.py")
MAIN = ["k_main"]
GENERATORS = [*MAIN, "k_generators"]
PATHS = [
    [*MAIN, *["k_down"] * 21, "k_down_end"],
    [*MAIN, *["k_even", "k_odd"] * 5, "k_mutual_end"],
    [*GENERATORS, "k_generator", "k_generator_end"],
    [*GENERATORS, "k_generator", "k_second_end"],
    [*GENERATORS, "k_outer_generator", "k_generator", "k_generator_end"],
    [*GENERATORS, "k_outer_generator", "k_generator", "k_second_end"],
    [*MAIN, "k_asyncio", "k_coroutine", "k_awaited", "k_awaited_end"],
    [*MAIN, "k_threads"],
    ["k_thread", "k_thread_end"],
    [*MAIN, "k_unlocked", "k_locked_end"],
    ["k_packs"],
    [*MAIN, "k_sort", "k_key", "k_key_end"],
    [*MAIN, "k_ctypes", "k_compare", "k_compare_end"],
    [*MAIN, "k_reduces", "k_reduced", "k_reduced_end"],
    [*MAIN, "k_lambda", "k_lambda.<locals>.<lambda>", "k_lambda_end"],
    [*MAIN, "k_class", "k_class.<locals>.Body", "k_body_end"],
    ["k_object"],  # the class's body, in the module
    [*MAIN, "k_makes", "k_object.__init__", "k_init_end"],
    [*MAIN, "k_makes", "k_object.k_property", "k_property_end"],
    [*MAIN, "k_makes", "k_object.__del__", "k_del_end"],
    [*MAIN, "k_unicode", "k_größe", "k_漢字", "k_𐍈", "k_unicode_end"],
    *[[*MAIN, "k_exec", f"k_made_{i:02}", f"k_made_{i:02}_end"] for i in range(40)],
    [*MAIN, "k_signal", "k_handler", "k_handler_end"],
    [*MAIN, "k_fork", "k_forked", "k_forked_end"],
    [*MAIN, "k_multiprocessing", "k_process", "k_process_end"],
    [*MAIN, "k_subprocess"],
    ["k_executed", "k_executed_end"],
]
# Where the interpreter stands for what could not be told, at most so many samples of a thousand.
UNCLEAR = 20


def pythons():
    """(version, program) of each interpreter that is here."""
    found = {}
    for path in ["/usr/bin/python3", *sorted(glob.glob("/usr/bin/python3.[0-9]*")),
                 *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))]:
        if path.endswith("-config") or not os.access(path, os.X_OK):
            continue
        done = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)")
        if done.status == 0:
            version, real = done.text.split()
            found[os.path.realpath(real)] = version
    return [(version, path) for path, version in found.items()]


def interpreters(*versions):
    here = [path for version, path in pythons() if version in versions]
    if not here:
        raise Skip(f"no Python {' or '.join(versions)} is here")
    return here


def read(path="profil.pb.gz"):
    """Samples of the profile: (frames from the root, ticks, labels).  A frame is a name, a file and a
    line where it is Python's, else a name alone."""
    for frames, ticks, labels in read_frames(path):
        yield ([frame[1:] if frame[0] == "[python]" else frame[1:2] for frame in frames], ticks,
               labels)


def take_program(command, *options):
    need_counting()
    done = run(PROFIL, "-g", "--engine", "kernel", "--no-report", "-q", "-F", "4999", *options,
               *command)
    expect(done.status == 0, f"exit status {done.status}: {done.words}")
    counts = report("profil.pb.gz")["identity"]
    expect(counts["holds"] is True, f"the accounting identity does not hold: {counts}")
    return list(read())


def take(python, *options, args=()):
    return take_program([python, PROGRAM, *args], *options)


def is_own(frame):
    return len(frame) == 3 and frame[0].startswith("k_")


def lines_of_program():
    """The first line of each function of the program, a decorator's where there is one."""
    lines, scopes, decorator = {}, [], 0
    with open(PROGRAM, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r"( *)(?:async )?(def|class) (\w+)", line)
            if line.lstrip().startswith("@"):
                decorator = number
            if match:
                after = "." if match[2] == "class" else ".<locals>."
                scopes = [*scopes[:len(match[1]) // 4], match[3] + after]
                lines["".join(scopes)[:-len(after)]] = decorator or number
                decorator = 0
    return lines


def check_frame(frame, lines):
    """What Python says of the function: where it is."""
    name, file, line = frame
    if name.startswith("k_made"):
        number = name[len("k_made_"):][:2]
        expect(file == f"<made {number}>", f"of another file: {frame}")
        expect(line == (3 if name.endswith("_end") else 1), f"on another line: {frame}")
    elif name.endswith("_end"):
        expect(file == PROGRAM and line == 1, f"{frame}")
    elif "<lambda>" not in name:
        expect(file == PROGRAM and line == lines[name], f"on another line: {frame}, {lines[name]}")


def judge(samples, paths):
    """Each path is one that there can be, frame by frame; all there can be were seen."""
    lines = lines_of_program()
    seen, total, unclear, unnamed = set(), 0, 0, 0
    for frames, count, labels in samples:
        own = [frame[0] for frame in frames if is_own(frame)]
        total += count
        if labels.get("stack") == "interpreted":
            unclear += count
            continue
        unnamed += count * any(frame[0] == "[python]" for frame in frames)
        for frame in frames:
            if is_own(frame):
                check_frame(frame, lines)
        if labels.get("stack"):
            continue  # cut
        expect(not own or any(path[:len(own)] == own for path in paths), f"wrong: {count} {frames}")
        seen.add(tuple(own))
    missing = [path for path in paths if path[-1].endswith("_end") and tuple(path) not in seen]
    expect(not missing, f"not seen: {missing}")
    expect(unclear * 1000 <= total * UNCLEAR, f"{unclear} unclear of {total}")
    expect(unnamed * 1000 <= total, f"{unnamed} without a name of {total}")


def check(*versions):
    for python in interpreters(*versions):
        judge(take(python, "--no-fold"), PATHS)


def case_paths_3_11():
    """Python 3.11: every path is what it must be."""
    check("3.11")


@long
def case_paths_3_12():
    """Python 3.12."""
    check("3.12")


@long
def case_paths_3_13():
    """Python 3.13, by the offsets that it publishes itself."""
    check("3.13")


def check_deep(*versions):
    for python in interpreters(*versions):
        folded = {tuple(frame[0] for frame in frames if is_own(frame))
                  for frames, _, labels in take(python, args=["deep"]) if not labels.get("stack")}
        # The module runs before: nothing of it, or the body of its class.
        expect(folded <= {(), ("k_object",), ("k_down",), ("k_down", "k_down_end")}, f"{folded}")
        expect(("k_down", "k_down_end") in folded, f"{folded}")
        for frames, _, labels in take(python, "--no-fold", "--max-stack", "64", args=["deep"]):
            own = [frame[0] for frame in frames if is_own(frame)]
            expect(len(own) <= 64, f"{len(own)} calls")
            expect(len(own) < 60 or labels.get("stack") == "too deep", f"{labels} {own}")


def case_deep():
    """Direct recursion is one call, however deep; without folding it is cut, and says so."""
    check_deep("3.11")


@long
def case_deep_of_others():
    """The same of later versions."""
    check_deep("3.12", "3.13")


def case_off():
    """--no-python: the interpreter's own functions."""
    for python in interpreters("3.11", "3.13"):
        samples = take(python, "--no-python", args=["executed"])
        expect(not any(len(frame) == 3 for frames, _, _ in samples for frame in frames), "Python")
        expect(any(("_PyEval_EvalFrameDefault",) in frames[:-1] for frames, _, _ in samples), "C")


# What stands in the call stack of a program whose list of frames is as tests/targets/fake-python.c
# makes it, and the label of the stack.
RIGHT = [("k_outer", "/fake.py", 8), ("k_inner", "/fake.py", 7), ("k_c_spin",)]
IN_C = [("k_c_evaluate",), ("k_c_spin",)]
NAMELESS = [RIGHT[0], ("[python]", "", 0), ("k_c_spin",)]
LISTS = {
    "right": (RIGHT, None),
    "end": (RIGHT, None),
    "no-text": (NAMELESS, None),
    "huge": (NAMELESS, None),
    "long": ([RIGHT[0], ("k" * 512 + "…", "/fake.py", 7), ("k_c_spin",)], None),
    "another": (IN_C, None),
    "elsewhere": (IN_C, None),
    **{how: (IN_C, "interpreted")
       for how in ("endless", "itself", "ends", "no-code", "gone-code", "gone-frame", "kernel", "owner",
                   "caller")},
}


def case_lists():
    """A list of frames that is not what it should be leaves the interpreter's own; a name that
    cannot be read is said to be none."""
    for how, (frames, label) in LISTS.items():
        seen = {}
        for names, count, labels in take_program([target("fake-python-3.11"), how]):
            own = tuple(frame for frame in names if len(frame) == 3 or frame[0].startswith("k_c_"))
            if labels.get("stack") != "exiting":
                seen[own, labels.get("stack")] = seen.get((own, labels.get("stack")), 0) + count
        most = max(seen, key=seen.get)
        expect(most == (tuple(frames), label), f"{how}: {most}")
        wrong = [own for own, _ in seen if list(own) != frames[:len(own)] and set(own) - set(IN_C)]
        expect(not wrong, f"{how}: {wrong}")


def case_unknown_layouts():
    """A version to come, and one that does not publish what it should."""
    for version in ("3.13", "3.14"):
        samples = take_program([target(f"fake-python-{version}"), "right"])
        expect(not any(len(frame) == 3 for frames, _, _ in samples for frame in frames), "Python")
        text = run(PROFIL, "report", "profil.pb.gz").text
        expect(f"Python {version}: its functions are not known" in text, text)


def case_merged():
    """Functions are one by what they are called, wherever they ran; what is not known adds up."""
    here = interpreters("3.11", "3.13")
    for i, python in enumerate(here):
        take(python, args=["executed"])
        os.rename("profil.pb.gz", f"{i}.pb.gz")
    for version in ("3.14", "3.13"):
        take_program([target(f"fake-python-{version}"), "right"])
        os.rename("profil.pb.gz", f"{version}.pb.gz")
    names = [f"{i}.pb.gz" for i in range(len(here))] + ["3.14.pb.gz", "3.13.pb.gz"]
    done = run(PROFIL, "merge", "-o", "profil.pb.gz", *names)
    expect(done.status == 0, done.words)
    ends = {frame for frames, _, _ in read() for frame in frames if frame[0] == "k_executed"}
    expect(len(ends) == 1, f"{ends}")
    text = run(PROFIL, "report", "profil.pb.gz").text
    expect("Python 3.13, Python 3.14: its functions are not known" in text, text)


def case_unknown():
    """Of another version the report says that its functions are not known."""
    for version, python in pythons():
        if version in ("3.8", "3.9", "3.10"):
            samples = take(python, args=["executed"])
            expect(not any(len(frame) == 3 for frames, _, _ in samples for frame in frames), "Python")
            text = run(PROFIL, "report", "profil.pb.gz").text
            expect(f"Python {version}: its functions are not known" in text, text)
            return
    raise Skip("no other Python is here")


def check_short(*versions):
    for python in interpreters(*versions):
        done = run(PROFIL, "-g", "--engine", "kernel", "--no-report", "-q", "-F", "4999", "sh", "-c",
                   f"for i in 1 2 3 4 5 6 7 8; do {python} -S -E -c 'def k_short():\n"
                   "  for i in range(200000): pass\nk_short()'; done")
        expect(done.status == 0, done.words)
        samples = list(read())
        short = sum(count for frames, count, _ in samples if any(is_own(frame) for frame in frames))
        nameless = sum(count for frames, count, _ in samples
                       if any(frame[0] == "[python]" for frame in frames))
        expect(short > 40, f"{short} samples in k_short")
        expect(nameless * 100 <= short, f"{nameless} without a name")
        paths = {tuple(frame[0] for frame in frames if len(frame) == 3)
                 for frames, _, labels in samples
                 if not labels.get("stack") and any(is_own(frame) for frame in frames)}
        expect(paths == {("<module>", "k_short")}, f"{paths}")


def case_short():
    """Processes that live for a moment leave the names of their functions behind."""
    check_short("3.11")


@long
def case_short_of_others():
    """The same of later versions."""
    check_short("3.12", "3.13")
