#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record.py BUILD [NAME...]: record the profiles of this directory anew, as root.

Programs run in a mount namespace of their own, those that are built here from /demo.  What is kept
of a profile is what profil wrote, but for its texts: a path of a file that this machine has begins
with /recorded, so that it is nowhere; the digits of a build-id are their SHA-1's; a release of the
kernel is the number alone.  So no view finds code, source lines or names outside of the profile.

Whoever records anew records other ticks, and all of tests/data/golden with them."""

import gzip
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "bench"))
from cells import encoded, fields  # pylint: disable=wrong-import-position
DEMO = "/demo"
with open("/proc/mounts", encoding="utf-8") as mounts:
    CGROUP = os.path.join(next((line.split()[1] for line in mounts if " cgroup2 " in line), DEMO), "demo")
INSTALLED = re.compile(rb"/(usr|bin|sbin|lib|lib64|etc|dev|memfd:)")
ANYWHERE = re.compile(rb"/(work|root|home|opt|tmp|var|run|mnt|proc)/(.*/)?")

SOURCES = {
    "inlining.cc": """#include <algorithm>
#include <vector>
namespace demo {
template <typename Number> struct Mixer {
    Number state = 1;
    __attribute__((always_inline)) Number mix(Number a) { state ^= a * 31; state ^= state >> 7; return state *= 0x9e3779b9; }
};
__attribute__((noinline)) unsigned fill(std::vector<unsigned> &cells, unsigned seed)
{ Mixer<unsigned> mixer; for (auto &cell : cells) cell = mixer.mix(seed++ ^ cell); return mixer.state; }
__attribute__((noinline)) void order(std::vector<unsigned> &cells)
{ std::sort(cells.begin(), cells.end(), [](unsigned a, unsigned b) { return (a ^ 5) < (b ^ 5); }); }
}
int main()
{
    std::vector<unsigned> cells(1 << 13);
    unsigned sum = 0;
    for (int i = 0; i < 250; i++) { sum += demo::fill(cells, i); demo::order(cells); }
    return sum == 42;
}
""",
    "words.rs": """use std::collections::BTreeMap;
struct Dice(u64);
impl Iterator for Dice {
    type Item = u64;
    fn next(&mut self) -> Option<u64> { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 7; self.0 ^= self.0 << 17; Some(self.0) }
}
#[inline(never)]
fn count(words: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in words { *counts.entry(word).or_insert(0) += 1; }
    counts
}
fn main() {
    let counts = count(Dice(88172645463325252).take(400_000).map(|n| format!("{:x}", n % 5000)));
    println!("{}", counts.values().max().unwrap());
}
""",
    "crowd.go": """package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"sync"
)

type part struct{ sums [][32]byte }

func (p *part) fill(seed int) {
	for i := 0; i < 60000; i++ {
		p.sums = append(p.sums, sha256.Sum256([]byte(fmt.Sprint(seed, i))))
	}
	sort.Slice(p.sums, func(i, j int) bool { return string(p.sums[i][:]) < string(p.sums[j][:]) })
}

func main() {
	if len(os.Args) > 1 {
		file, _ := os.Create(os.Args[1])
		pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func(seed int) { defer all.Done(); new(part).fill(seed) }(i)
	}
	all.Wait()
}
""",
    "grid.f90": """program grid
  implicit none
  real(8) :: a(300, 300), b(300, 300)
  integer :: i
  a = 1.0d0
  do i = 1, 60
     b = matmul(a, a) * 1.0d-3
     call smooth(a, b)
  end do
  print *, sum(a)
contains
  subroutine smooth(into, from)
    real(8), intent(inout) :: into(:, :)
    real(8), intent(in) :: from(:, :)
    integer :: x, y
    do y = 2, 299
       do x = 2, 299
          into(x, y) = (from(x - 1, y) + from(x + 1, y) + sqrt(from(x, y))) / 3
       end do
    end do
  end subroutine
end program
""",
    "work.c": """#include <stdlib.h>
#ifndef MORE
#define MORE 1
#endif
#define KEEP __attribute__((noinline))
static volatile unsigned sink;
static inline unsigned mix(unsigned a, unsigned b) { a ^= b * 31; return (a ^ a >> 7) * 0x9e3779b9; }
KEEP unsigned leaf(unsigned n) { unsigned s = 1; for (unsigned i = 0; i < n; i++) s = mix(s, i); return s; }
KEEP unsigned cheap(void) { return leaf(300); }
KEEP unsigned dear(void) { unsigned s = 1; for (unsigned i = 0; i < 2000 * MORE; i++) s = mix(s, i); return s; }
KEEP unsigned even(unsigned n);
KEEP unsigned odd(unsigned n) { return n ? even(n - 1) + leaf(20) : 0; }
KEEP unsigned even(unsigned n) { return n ? odd(n - 1) + leaf(10) : 1; }
KEEP static int compare(const void *a, const void *b) { return (int)leaf(3) ? *(const int *)a - *(const int *)b : 0; }
int main(int argc, char **argv)
{
    int numbers[256], turns = argc > 1 ? atoi(argv[1]) : 30000;
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < 256; i++) numbers[i] = (i * 77 + turn) & 255;
        if (turn % 64 == 0) qsort(numbers, 256, sizeof *numbers, compare);
        sink += cheap() + dear() + even(30);
    }
    return 0;
}
""",
    "primes.js": """function sieve(n) { const is = new Uint8Array(n); let count = 0;
  for (let i = 2; i < n; i++) if (!is[i]) { count++; for (let j = i * 2; j < n; j += i) is[j] = 1; } return count; }
function words(n) { let s = {}; for (let i = 0; i < n; i++) s["k" + i % 1000] = i; return Object.keys(s).length; }
let t = 0; for (let i = 0; i < 20; i++) t += sieve(400000) + words(80000); console.log(t);
""",
    "Primes.java": """public class Primes {
  static int sieve(int n) { byte[] is = new byte[n]; int count = 0;
    for (int i = 2; i < n; i++) if (is[i] == 0) { count++; for (int j = i; j < n; j += i) is[j] = 1; } return count; }
  public static void main(String[] a) { int t = 0; for (int i = 0; i < 60; i++) t += sieve(400000); System.out.println(t); }
}
""",
    "sums.py": "print(sum(hash(str(i)) & 1 for i in range(600000)), sorted(map(str, range(200000)))[7])\n",
    "sums.pl": 'my %h; $h{$_ % 1000} .= "x" for 1 .. 900000; print scalar(sort keys %h), "\\n";\n',
    "sums.sql": "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) "
                "select count(*), sum(length(i || 'x')) from n where i % 7;\n",
}

BUILDS = [
    "g++ -O2 -g -o inlining inlining.cc",
    "gcc -O2 -g -o work work.c",
    "gcc -O2 -g -DMORE=2 -o work-more work.c",
    "gcc -O2 -o work-plain work.c",
    "strip -o work-stripped work-plain",
    "gcc -O2 -g -pg -no-pie -o work-pg work.c",
    "gfortran -O2 -g -o grid grid.f90",
    "rustc -O -g --remap-path-prefix=/root=/home/user -o words words.rs",
    "env HOME=/demo GOFLAGS= GO111MODULE=off go build -o crowd crowd.go",
    "javac Primes.java",
]

SPLIT = ["./split", "0.3"]
FEW, MANY = ["-F", "997"], ["-F", "4999"]

# name: (options, command)
RUNS = {
    "split-kernel": (MANY, SPLIT),
    "split-perf": ([*MANY, "--engine", "perf"], SPLIT),
    "split-timer": (["-F", "250", "--engine", "timer"], SPLIT),
    "split-task": ([*MANY, "--clock", "task"], SPLIT),
    "split-dither": ([*MANY, "--dither"], SPLIT),
    "split-dither-2": ([*MANY, "--dither"], SPLIT),
    "split-thread": ([*MANY, "--by-thread"], SPLIT),
    "split-few": (["-F", "47"], SPLIT),
    "split-32": (FEW, ["./split-32", "0.3"]),
    "split-static": (FEW, ["./split-static", "0.3"]),
    "split-raw": (["-F", "250", "--raw"], SPLIT),
    "split-dlopen": (MANY, ["./split-dlopen", "./libspin.so"]),
    "split-threads": ([*MANY, "--by-thread"], ["./split-threads", "4"]),
    "varied": ([*MANY, "--by-thread"],
               ["sh", "-c", "./split 0.2; ./split-dlopen ./libspin.so; head -c 200M /dev/zero >/dev/null"]),
    "split-fork": ([*MANY, "--by-process"], ["./split-fork", "4"]),
    "stripped": (FEW, ["./work-stripped"]),
    "deleted": (FEW, ["./deleted"]),
    "two-copies": (FEW, ["./two-copies", "./libspin.so", "./libspin2.so"]),
    "exec-chain": ([*FEW, "--by-process"], ["./exec-chain", "./split"]),
    "short-processes": ([*FEW, "--by-thread"], ["./short-processes", "60"]),
    "overflow": ([*FEW, "--cells", "64"], ["./many-addresses"]),
    "many-addresses": (FEW, ["./many-addresses"]),
    "vdso": (FEW, ["./vdso-heavy"]),
    "jit": (FEW, ["./jit"]),
    "kernel-files": (MANY, ["sh", "-c", "head -c 300M /dev/zero | tail -c 1; ls -R /usr/share/doc >/dev/null"]),
    "kernel-forks": (FEW, ["./many-forks", "700"]),
    "pipeline": ([*FEW, "--by-process", "--by-cpu"], ["sh", "-c", "cat /usr/bin/perl | xz -1 | sha256sum"]),
    "nothing": (FEW, ["true"]),
    "cc1": (FEW, ["gcc", "-g", "-O2", "-c", "-o", "/dev/null", "work.c"]),
    "cxx": (MANY, ["./inlining"]),
    "cxx-perf": ([*MANY, "--engine", "perf"], ["./inlining"]),
    "fortran": (MANY, ["./grid"]),
    "rust": (MANY, ["./words"]),
    "rust-timer": (["-F", "250", "--engine", "timer"], ["./words"]),
    "go": ([*MANY, "--by-thread"], ["./crowd"]),
    "node": (FEW, ["node", "--perf-basic-prof", "primes.js"]),
    "node-unnamed": (FEW, ["node", "primes.js"]),
    "java": (FEW, ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "Primes"]),
    "python": (FEW, ["/usr/bin/python3", "sums.py"]),
    "perl": (FEW, ["perl", "sums.pl"]),
    "sqlite": (FEW, ["sqlite3", ":memory:", ".read sums.sql"]),
    "wall": ([*FEW, "--wall", "--by-thread"], ["sh", "-c", "./waits kinds; ./waits spinners 3 100"]),
    "cgroups": ([*FEW, "--by-cgroup"],
                ["sh", "-c", f"./split 0.1; echo $$ >{CGROUP}/cgroup.procs; ./split 0.2"]),
    "system-cpu": (["system", "--for", "500ms", "-F", "250", "--by-cpu"], []),
    "system-process": (["system", "--for", "500ms", "-F", "250", "--by-process"], []),
    "system-wall": (["system", "--for", "500ms", "-F", "250", "--wall", "--flat"], []),
    **{f"{name}-{run}": (FEW, [f"./{program}"]) for name, program in
       (("old", "work"), ("new", "work-more")) for run in (1, 2, 3)},
    **{f"calls-{name}-{run}": (["-g", *MANY], [f"./{program}"]) for run in (1, 2, 3) for name, program in
       (("old", "work"), ("new", "work-more"))},
}


def elsewhere(text):
    """A text of a profile that says nothing of the machine it was recorded on."""
    text = text.replace(os.fsencode(ROOT), b"/demo")
    text = re.sub(rb"(memfd:[a-z]+)-[0-9a-f]*", rb"\1", text)
    if INSTALLED.match(text):
        return b"/recorded" + text
    if ANYWHERE.match(text):
        return ANYWHERE.sub(b"/recorded/", text, count=1)
    if re.fullmatch(rb"[0-9a-f]{32,40}", text):
        return hashlib.sha1(text).hexdigest().encode()
    return re.sub(rb"^(profil\.system: Linux [0-9.]+)\S*", rb"\1", text)


def rewrite(source, target):
    with open(source, "rb") as file:
        packed = file.read()
    data = gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed
    out = bytearray()
    for field, whole, content in fields(data):
        if field == 6:
            text = elsewhere(content)
            whole = b"\x32" + encoded(len(text)) + text
        out += whole
    with open(target, "wb") as file:
        file.write(gzip.compress(bytes(out), 9, mtime=0))


def prepare(build):
    """All programs in /demo, which is a file system of this process's alone."""
    subprocess.run(["mount", "-t", "tmpfs", "demo", DEMO], check=True)
    targets = os.path.join(build, "tests", "targets")
    for name in os.listdir(targets):
        if os.path.isfile(os.path.join(targets, name)):
            shutil.copy(os.path.join(targets, name), DEMO)
    shutil.copy(os.path.join(DEMO, "libspin.so"), os.path.join(DEMO, "libspin2.so"))
    os.chdir(DEMO)
    for name, text in SOURCES.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for command in BUILDS:
        subprocess.run(command.split(), check=True)


def record(profil, name):
    """One of RUNS.  The kernel's code would get names of the kernel that reads a profile without."""
    options, command = RUNS[name]
    done = subprocess.run([profil, *options, "-q", "--no-report", "-o", "/demo/out.pb.gz", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if not os.path.exists("/demo/out.pb.gz"):
        sys.exit(f"{name}: {done.stderr.decode()}")
    path = os.path.join(HERE, f"{name}.pb.gz")
    rewrite("/demo/out.pb.gz", path)
    os.unlink("/demo/out.pb.gz")
    with gzip.open(path) as file:
        if "--raw" in options and b"[kernel]" in file.read():
            record(profil, name)


def record_attach(profil):
    """A measurement of a program that runs on."""
    running = subprocess.Popen(["./split", "20"], stdout=subprocess.DEVNULL)
    time.sleep(0.1)
    subprocess.run([profil, "attach", "-p", str(running.pid), "--for", "300ms", "-q", "--no-report",
                    "-o", "/demo/out.pb.gz"], check=False)
    running.kill()
    running.wait()
    rewrite("/demo/out.pb.gz", os.path.join(HERE, "attached.pb.gz"))
    os.unlink("/demo/out.pb.gz")


def record_pg(build):
    """gmon.out of the C library's -pg and of libprofil-gmon, and its profile with calls, which gets
    its names by merge."""
    preload = f"LD_PRELOAD={os.path.join(build, 'libprofil-gmon.so')}"
    subprocess.run(["./work-pg", "150000"], check=True)
    shutil.copy("gmon.out", os.path.join(HERE, "work-libc.gmon"))
    subprocess.run(["env", preload, "./work-pg", "150000"], check=True)
    shutil.copy("gmon.out", os.path.join(HERE, "work-ours.gmon"))
    subprocess.run(["env", preload, "PROFIL_GMON_FORMAT=pprof", "./work-pg", "150000"], check=True)
    subprocess.run([os.path.join(build, "profil"), "merge", "-o", "named.pb.gz", "profil.pb.gz"],
                   check=True)
    rewrite("named.pb.gz", os.path.join(HERE, "work-calls.pb.gz"))
    subprocess.run(["strip", "-g", "-o", os.path.join(HERE, "work-pg"), "work-pg"], check=True)


def record_others():
    """What other profilers write."""
    subprocess.run(["./crowd", "crowd.prof"], check=True)
    rewrite("crowd.prof", os.path.join(HERE, "go-runtime.pb.gz"))
    for name, options in ("plain", []), ("stacks", ["-g"]):
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "499", *options, "-o",
                        "perf.data", "./work"], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run(["perf", "script", "--show-mmap-events", "-i", "perf.data"], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        text = re.sub(rb"([( ])/(usr|lib|root|work)", rb"\1/recorded/\2", text)
        with open(os.path.join(HERE, f"perf-{name}.txt"), "wb") as file:
            file.write(text)
    for seed in ("gmon/be32", "gmon-4.4bsd/le64", "gmon-bsd/le32", "mon/pdp16", "mon/be64",
                 "gperftools/le64", "gperftools/be32", "gperftools/stacks", "folded/stacks"):
        shutil.copy(os.path.join(ROOT, "fuzz", "corpus", seed),
                    os.path.join(HERE, seed.replace("/", "-")))
    # stacks-old-1 to stacks-new-3 were drawn once, by hand: sort_rows is 2.2 times as dear, write calls another.


def message(*parts):
    """A protocol buffer of (field, number or bytes)."""
    out = b""
    for field, value in parts:
        if isinstance(value, int):
            out += encoded(field << 3) + encoded(value & (1 << 64) - 1)
        else:
            out += encoded(field << 3 | 2) + encoded(len(value)) + value
    return out


def tiny(ticks=7, location=1, name=4, text=(), mapping=1):
    """A pprof file of one cell, well-formed but for what is asked for."""
    texts = [b"", b"samples", b"count", b"/recorded/tiny", b"work", *text]
    return message((1, message((1, 1), (2, 2))), (2, message((1, location), (2, ticks))),
                   (3, message((1, 1), (2, 0x1000), (3, 0x2000), (5, 3))),
                   (4, message((1, 1), (2, mapping), (3, 0x1010), (4, message((1, 1), (2, 12))))),
                   (5, message((1, 1), (2, name))), *((6, one) for one in texts))


def break_files():
    """Files that are none, or not whole; no clock had a part in them."""
    def kept(name):
        with open(os.path.join(HERE, name), "rb") as file:
            return file.read()

    whole, gmon = kept("split-kernel.pb.gz"), kept("work-libc.gmon")
    plain = gzip.decompress(whole)
    broken = {
        "empty": b"", "text": b"not a profile\n", "zeros": bytes(64), "gzip-cut": whole[:len(whole) // 2],
        "gzip-sum": whole[:-8] + bytes(8), "gzip-of-text": gzip.compress(b"not a profile\n", mtime=0),
        "gzip-more": whole + b"more", "cut": plain[:-9], "cut-half": plain[:len(plain) // 2],
        "varint": b"\x08" + b"\xff" * 11 + b"\x01", "length": b"\x12" + encoded(1 << 62) + b"x",
        "no-location": tiny(location=9), "no-mapping": tiny(mapping=9), "no-text": tiny(name=99),
        "negative": tiny(ticks=-1), "none": tiny(ticks=0),
        "full": tiny(ticks=(1 << 63) - 1) + message((2, message((1, 1), (2, (1 << 63) - 1)))),
        "control": tiny(name=5, text=(b"a\x1b[31m\nb\xff|`<b>\"",)),
        "renumbered": plain + message((2, message((1, 1), (2, 5), (2, 5)))),
        "gmon-cut": gmon[:len(gmon) - 5], "gmon-head": gmon[:20], "gmon-version": b"gmon\x09" + gmon[5:],
        "prf-cut.PRF": struct.pack("<12H", 1000, 9, 1, 0x850, 0x859, 0x60, 7, 3, 2, 1, 2, 3),
        "perf-line.txt": kept("perf-plain.txt")[:3000] + b"\nwork 12 [oops\n",
    }
    for name, data in broken.items():
        with open(os.path.join(HERE, f"broken-{name}"), "wb") as file:
            file.write(data)


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if "RECORDING" not in os.environ:
        os.makedirs(DEMO, exist_ok=True)
        os.makedirs(CGROUP, exist_ok=True)
        try:
            subprocess.run(["unshare", "-m", sys.executable, __file__, build, *names],
                           env={**os.environ, "RECORDING": "yes", "LC_ALL": "C.UTF-8",
                                "DEBUGINFOD_URLS": ""}, check=True)
        finally:
            os.rmdir(DEMO)
            os.rmdir(CGROUP)
        return
    prepare(build)
    profil = os.path.join(build, "profil")
    for name in names or RUNS:
        if name in RUNS:
            record(profil, name)
    others = {"attached": lambda: record_attach(profil), "pg": lambda: record_pg(build),
              "others": record_others, "broken": break_files}
    for name, make in others.items():
        if not names or name in names:
            make()


if __name__ == "__main__":
    main()
