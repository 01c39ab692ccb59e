# SPDX-License-Identifier: BSD-2-Clause
"""The programs that are measured: none but the last two was written here."""

import os
import random
import shutil

PYTHON = """
import hashlib, sys, threading, zlib
def work(seed):
    text = b"".join(b"%d:%d," % (seed, i * i) for i in range(120000))
    for level in range(1, 7):
        packed = zlib.compress(text, level)
        hashlib.sha256(packed).digest()
    words = {}
    for word in text.decode().split(","):
        words[word[-3:]] = words.get(word[-3:], 0) + 1
    sorted(words.items(), key=lambda item: item[1])
threads = [threading.Thread(target=work, args=(i,)) for i in range(int(sys.argv[1]))]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""

SQL = """
CREATE TABLE t(a INTEGER, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
INSERT INTO t SELECT (i * 7919) % 1000003, printf('%08x', i * 104729) FROM n;
CREATE INDEX t_b ON t(b);
SELECT count(*), sum(a), min(b) FROM (SELECT a, b FROM t ORDER BY b DESC, a);
SELECT count(*) FROM t AS x JOIN t AS y ON x.b = y.b WHERE x.a % 3 = 0;
"""


def of_the_system(name):
    """The program NAME that the system has, and no script that somebody's PATH has before it."""
    return shutil.which(name, path=os.defpath) or name


def text_data(size):
    """SIZE bytes that compress like a log: words of a small vocabulary, from a fixed seed."""
    source = random.Random(1)
    words = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 9))) for _ in range(4000)]
    parts, length = [], 0
    while length < size:
        line = " ".join(source.choices(words, k=12)) + "\n"
        parts.append(line)
        length += len(line)
    return "".join(parts)[:size]


def c_source(functions):
    """A C file of FUNCTIONS functions, no two alike."""
    source = random.Random(2)
    parts = []
    for number in range(functions):
        a, b, c = (source.randint(3, 99) for _ in range(3))
        parts.append(
            f"int f{number}(int *p, int n)\n{{\n\tint s = {a};\n"
            f"\tfor (int i = 0; i < n; i++) {{\n\t\tif (p[i] % {b} == {c % b})\n"
            f"\t\t\ts += p[i] * {c};\n\t\telse\n\t\t\tp[i] ^= s >> {a % 7};\n"
            f"\t\tswitch (s & {a % 4 + 3}) {{\n\t\tcase 0: s += i; break;\n"
            f"\t\tcase 1: s -= p[i] << {b % 5}; break;\n\t\tcase 2: s ^= {b}; break;\n"
            f"\t\tdefault: s += {c};\n\t\t}}\n\t}}\n\treturn s;\n}}\n")
    return "\n".join(parts)


class Programs:
    """Makes what the programs work on in FOLDER; SCALE 1 makes each take about three seconds."""

    def __init__(self, folder, build, scale):
        self.folder = folder
        self.build = build
        self.cpus = os.cpu_count()
        self.all = {
            f"xz -T{self.cpus}": self.xz(scale),
            "python3, threads": ["python3", "-c", PYTHON, str(max(4, int(16 * scale)))],
            "sqlite3": ["sqlite3", ":memory:", SQL.format(rows=int(1600000 * scale))],
            "gcc -O2": self.gcc(scale),
            "sh, 300 processes": ["sh", "-c", "i=0; while [ $i -lt 300 ]; do"
                                  " ls / >/dev/null; i=$((i + 1)); done"],
            "600 threads of 2 ms": [f"{build}/bench/short-threads"],
            "spin": self.spin(1400 * scale),
        }

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
        return path

    def xz(self, scale):
        data = self.file("data", text_data(int(12e6 * scale)))
        return ["sh", "-c", f"exec xz -T{self.cpus} --block-size={max(1, int(3e6 * scale))} -9kc"
                            f" {data} >/dev/null"]

    def gcc(self, scale):
        source = self.file("many.c", c_source(int(450 * scale)))
        return ["gcc", "-O2", "-c", "-o", "/dev/null", source]

    def spin(self, millions, threads=None):
        return [f"{self.build}/bench/spin", str(max(1, int(millions))),
                str(threads or self.cpus)]

    def for_seconds(self, seconds):
        """xz over and over for SECONDS."""
        data = self.file("small", text_data(2000000))
        return ["timeout", str(seconds), "sh", "-c",
                f"while xz -T{self.cpus} --block-size=500000 -9kc {data} >/dev/null; do :; done"]
