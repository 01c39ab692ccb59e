# SPDX-License-Identifier: BSD-2-Clause
"""Unwind tables of files: where they come from."""

import gzip
import os
import platform
import random
import shutil
import struct

from command import NOBODY, PROFIL, Skip, expect, need_counting, need_program, need_root, report, run
from test_stacks import fields

DEBIANS = "/usr/bin/python3"  # not what somebody's PATH has before it
CALLS = "def f(n): return f(n - 1) + n if n else 0\nfor i in range(40000): f(30)"


def take(engine, cache, least=20, **others):
    """The account of stacks of a program, with the cache in the folder CACHE; None: nobody says where."""
    need_program(DEBIANS)
    if platform.machine() != "x86_64":
        raise Skip("unwind tables are read on x86-64")
    env = {name: value for name, value in os.environ.items()
           if name not in ("HOME", "XDG_CACHE_HOME")} | others
    if cache:
        env["XDG_CACHE_HOME"] = cache
    command = (DEBIANS, "-I", "-S", "-c", CALLS)  # nothing that this machine's sites import
    done = run(PROFIL, "run", "-g", "-q", "--no-report", "--engine", engine, *command, env=env)
    expect(done.status == 0, done.stderr)
    stacks = report("profil.pb.gz")["stacks"]
    expect(stacks["whole"] >= least and "no table" not in stacks, f"{engine}: {stacks}")
    return stacks


def table_of(folder, program):
    """What the cache in FOLDER has of PROGRAM: its path and what stat says of it."""
    status = os.stat(program)
    path = f"{folder}/profil/unwind-{status.st_dev:x}-{status.st_ino:x}"
    return path, os.stat(path)


def case_cache():
    """A large program's table is kept, and taken from there; a damaged one is made again."""
    need_counting()
    for engine in ("kernel", "perf"):
        os.mkdir(engine)
        cache = os.path.abspath(engine)
        take(engine, cache)
        path, first = table_of(cache, DEBIANS)
        expect(first.st_mode & 0o777 == 0o600, oct(first.st_mode))
        take(engine, cache)
        _, second = table_of(cache, DEBIANS)
        expect((first.st_ino, first.st_ctime_ns < second.st_ctime_ns) == (second.st_ino, True),
               "it was not used, or written again")
        with open(path, "r+b") as file:
            file.seek(first.st_size // 2)
            byte = file.read(1)[0]
            file.seek(first.st_size // 2)
            file.write(bytes([byte ^ 1]))
        take(engine, cache)
        _, third = table_of(cache, DEBIANS)
        expect(third.st_ino != first.st_ino and third.st_size == first.st_size, "the damaged one stays")
        expect(all(name.startswith("unwind-") for name in os.listdir(f"{cache}/profil")), "left over")


HEAD, ROW, RULE = struct.Struct("<8sQQQQqq20sIQQ"), struct.Struct("<IHH"), struct.Struct("<ihBBhHhHhH")
WORD = (1 << 64) - 1


def sum_of(cached):
    """unwind_cache_sum(), of all that is behind the sum."""
    part = cached[16:]
    words = struct.unpack(f"<{len(part) // 32 * 4 + 4}Q", part + bytes(32 - len(part) % 32))
    prime, sums, total = 0x9e3779b97f4a7c15, [1, 2, 3, 4], len(cached)
    for at in range(0, len(words) - (0 if len(part) % 32 else 4), 4):
        for i in range(4):
            one = (sums[i] ^ words[at + i]) * prime & WORD
            sums[i] = one ^ one >> 32
    for one in sums:
        total = (total ^ one) * prime & WORD
        total ^= total >> 32
    return total


def change(path, seed):
    """Of the table at PATH, every tenth rule has another CFA, or another place of what was saved, and every hundredth
    row another rule."""
    draw = random.Random(seed)
    with open(path, "rb") as file:
        cached = bytearray(file.read())
    head = HEAD.unpack_from(cached)
    expect(head[1] == sum_of(cached), "the sum is another one")
    rows, rules = head[9:]
    for at in range(HEAD.size, HEAD.size + rows * ROW.size, ROW.size):
        if draw.random() < 0.01:
            offset, _, back = ROW.unpack_from(cached, at)
            ROW.pack_into(cached, at, offset, draw.randrange(rules), back)
    for at in range(len(cached) - (rules - 2) * RULE.size, len(cached), RULE.size):
        if draw.random() < 0.1:
            rule = list(RULE.unpack_from(cached, at))
            which, words = draw.choice((0, 0, 2, 4, 6, 8)), 8 * draw.randrange(-16, 17)
            if which == 2:
                rule[which] = draw.randrange(2)
            elif not which or rule[which + 1] != 5:  # UNWIND_IN_REGISTER
                rule[which] += words
            RULE.pack_into(cached, at, *rule)
    cached[8:16] = struct.pack("<Q", sum_of(cached))
    with open(path, "r+b") as file:
        file.write(cached)


def code_of(path):
    """Where in the file PATH there is code."""
    with open(path, "rb") as file:
        image = file.read()
    start, size, count = struct.unpack_from("<Q", image, 32)[0], *struct.unpack_from("<HH", image, 54)
    parts = (struct.unpack_from("<IIQQQQ", image, start + i * size) for i in range(count))
    return [(offset, offset + length) for kind, flags, offset, _, _, length in parts if kind == 1 and flags & 1]


def judge_code(path):
    """Whatever a stack's calls are, they are code."""
    with gzip.open(path) as file:
        parts = list(fields(file.read()))
    texts = [value.decode() for kind, value in parts if kind == 6]
    mappings = {one[1]: (texts[one[5]], one.get(2, 0), one.get(4, 0)) for one in
                (dict(fields(value)) for kind, value in parts if kind == 3)}
    code = {file: code_of(file) for file, *_ in mappings.values() if os.path.isfile(file)}
    expect(os.path.realpath(DEBIANS) in code, f"{mappings}")
    for place in (dict(fields(value)) for kind, value in parts if kind == 4):
        file, start, first = mappings.get(place.get(2), ("", 0, 0))
        offset = place.get(3, 0) - start + first  # a function of Python's has none
        expect(file not in code or any(low <= offset <= high for low, high in code[file]), f"{file}: {offset:#x}")


def case_changed_at_random():
    """A table that is sound and wrong: no more than wrong paths come of it (tests/unit/test-callers.c says how many).
    Each sample is counted with its reason, and each call lies in code."""
    need_counting()
    for engine in ("kernel", "perf"):
        for seed in range(3):
            cache = os.path.abspath(f"{engine}-{seed}")
            os.mkdir(cache)
            take(engine, cache)
            path, first = table_of(cache, DEBIANS)
            change(path, seed)
            cut = take(engine, cache, least=0)
            expect(table_of(cache, DEBIANS)[1].st_ino == first.st_ino, "it was made again")
            expect("no rule" in cut or "unreadable" in cut, f"nothing is cut: {cut}")
            shown = report("profil.pb.gz")
            expect(shown["identity"]["holds"] is True and sum(cut.values()) == shown["total"], f"{cut}, {shown['total']}")
            judge_code("profil.pb.gz")


def case_no_cache():
    """Without a place of the user's own it works the same, and nothing is written anywhere."""
    need_counting()
    need_root()
    os.mkdir("home")
    os.chown("home", NOBODY, NOBODY)
    for engine in ("kernel", "perf"):
        take(engine, None)
        take(engine, None, HOME="/nowhere")
        take(engine, None, HOME=os.path.abspath("home"))
        take(engine, os.path.abspath("home"))
        take(engine, "/proc")
    expect(not os.listdir("home"), os.listdir("home"))


def case_later():
    """The table of a program that is run later is there before its first sample, most often: it has waited until
    then."""
    need_counting()
    if platform.machine() != "x86_64":
        raise Skip("unwind tables are read on x86-64")
    programs = [shutil.copy("/bin/dash", f"later-{number}") for number in range(10)]
    works = "read go; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done"
    done = run(PROFIL, "run", "-g", "-q", "--no-report", "--engine", "kernel", "sh", "-c",
               "for program; do (sleep 0.2; echo) | ./$program -c \"$0\"; done", works, *programs)
    expect(done.status == 0, done.stderr)
    stacks = report("profil.pb.gz")["stacks"]
    expect(stacks["whole"] > 100 and stacks.get("no table", 0) < len(programs) / 2, f"{stacks}")


def case_room_for_what_is_loaded():
    """clang and its libraries have two million rows, more than there is room for without a word: the program that
    loads them has that room, but where --tables says otherwise."""
    need_program("clang")
    need_counting()
    with open("large.c", "w") as source:
        source.write("".join(f"int f{i}(int x) {{ for (int i = 0; i < x; i++) x += i % {i + 2}; return x; }}\n" for i in range(60)))
    for options, is_full in (((), False), (("--tables", "1"), True)):
        done = run(PROFIL, "--engine", "kernel", *options, "-q", "--no-report", "clang", "-O2", "-c", "large.c")
        expect(done.status == 0, done.words)
        stacks = report("profil.pb.gz")["stacks"]
        is_whole = 2 * stacks.get("whole", 0) > sum(stacks.values())
        expect(("tables full" in stacks) == is_full and is_whole != is_full, f"{options}: {stacks}")
