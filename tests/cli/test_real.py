# SPDX-License-Identifier: BSD-2-Clause
"""Programs that nobody here wrote: the identity holds, ticks agree with CPU time (take() checks
both), and the file that everybody knows to do the work leads."""

import os
import random

from command import expect, need_program, report, run, PROFIL
from limits import check_least
from measure import take


def leader(measurement):
    """The file with the most ticks, and its share of those outside the kernel."""
    row = next(row for row in measurement.by("object")["rows"] if row["class"] != "kernel")
    return row["object"], row["samples"] / measurement.in_user_mode


def write_words(path, size):
    """SIZE bytes that compress about as well as text does, the same every time."""
    source = random.Random(1)
    words = [bytes(source.choices(b"abcdefghijklmnopqrstuvwxyz", k=source.randint(2, 9)))
             for _ in range(2000)]
    with open(path, "wb") as file:
        file.write(b" ".join(source.choices(words, k=size // 6))[:size])


def case_xz():
    """xz with two threads: more than 80 % is liblzma's."""
    need_program("xz")
    write_words("words", 4 << 20)
    measurement = take("xz", "-T2", "--block-size=1MiB", "-6", "-kf", "words", options=())
    name, share = leader(measurement)
    expect(name.startswith("liblzma"), name)
    check_least("liblzma's share", share, 0.8)


def case_python():
    """python3 with four threads: the interpreter or its library leads."""
    need_program("python3")
    program = ("import threading\n"
               "def work():\n"
               "    for i in range(4000000): i * i\n"
               "threads = [threading.Thread(target=work) for _ in range(4)]\n"
               "[t.start() for t in threads]\n"
               "[t.join() for t in threads]\n")
    name, share = leader(take("python3", "-c", program, options=()))
    expect("python" in name, name)
    check_least(f"{name}'s share", share, 0.8)


def case_sqlite():
    """sqlite3 sorting and joining: sqlite's own code leads, as program or as library."""
    need_program("sqlite3")
    query = ("with recursive c(x) as (select 1 union all select x+1 from c where x < 400000) "
             "select count(*), sum(a) from (select x % 1000 as a, x from c order by x % 7919, x);")
    name, share = leader(take("sqlite3", ":memory:", query, options=()))
    expect("sqlite" in name, name)
    check_least(f"{name}'s share", share, 0.5)


def case_gcc():
    """gcc compiling a file: the compiler proper, cc1, leads over driver, assembler and linker."""
    need_program("gcc")
    with open("many.c", "w") as file:
        for i in range(600):
            file.write(f"int f{i}(int *a, int n) {{ int s = {i}; for (int i = 0; i < n; i++)"
                       f" s += a[i] * (s ^ {i}); return s; }}\n")
    name, share = leader(take("gcc", "-O2", "-c", "many.c", "-o", "many.o", options=()))
    expect(name == "cc1", name)
    check_least("cc1's share", share, 0.5)


def case_shell_loop():
    """A shell loop of 300 short processes is the kernel's and the dynamic linker's time, and every
    process was followed."""
    script = "i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done"
    measurement = take("sh", "-c", script, options=())
    expect(measurement.facts["not_followed"] == 0, "a process was not followed")
    expect(measurement.facts["tasks"] == 301, f"tasks: {measurement.facts['tasks']}")
    ticks = measurement.ticks("object", measurement.by("object")["rows"])
    linker = sum(count for name, count in ticks.items() if name.startswith("ld-"))
    check_least("ticks of kernel and linker", ticks["[kernel]"] + linker, 0.8 * measurement.fired)


def case_demo():
    """"make demo" shows names alone, the waits, the call tree, and a page with its flame graph."""
    demo = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "demo")
    done = run(demo, env={**os.environ, "PROFIL": PROFIL})
    expect(done.status == 0, done.words)
    names = [row["function"] for row in report("demo.pb.gz", "-n", "12")["rows"]]
    expect(len(names) == 12 and not any("+0x" in name for name in names), f"{names}")
    expect(" blocked: " in done.words and "futex" in done.words, done.words)
    tree = [line.split() for line in done.text.splitlines()]
    for name, place in ("longest_match", "demo"), ("sqlite3VdbeExec", "demo"), ("start_thread", "libc.so.6"):
        expect([name, place] in [words[-2:] for words in tree], f"{name}: {done.text}")
    page = f"file://{os.getcwd()}/demo.html"
    expect(done.text.splitlines()[-1].strip() == page, done.text)
    with open("demo.html") as file:
        expect("longest_match" in file.read(), "no flame graph")
