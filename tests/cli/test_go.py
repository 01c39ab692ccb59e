# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks of Go, held against what they must be (tests/targets/go-stacks.go): of goroutines, and of what the
runtime does for them on the thread's own stack."""

import os

from command import expect, need_program, run
from test_stacks import begins, need_perf, take_command

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "targets", "go-stacks.go")
EVEN = ["even", "odd"] * 20 + ["even", "evenEnd", "spin"]
PATHS = [["goes", *EVEN], ["goes", "allocates"], ["goes", "sorts"], ["goes", "copies"],
         ["goes", "deferred", "evenEnd", "spin"], ["grows"] * 101]
OWN = {name for path in PATHS for name in path}
# Where a goroutine begins; and the thread's own stack, where it works for none.
ROOTS = {"runtime.goexit", "runtime.mstart", "runtime.mcall", "runtime.morestack", "runtime.rt0_go"}
# The runtime on the thread's own stack, for a function of the program's.
SWITCHED = [("allocates", "runtime.systemstack"), ("grows", "runtime.newstack")]


def build(*options, source=SOURCE, cgo="0"):
    need_program("go")
    environment = {**os.environ, "GOCACHE": os.path.abspath("cache"), "GO111MODULE": "off", "CGO_ENABLED": cgo}
    done = run("go", "build", *options, "-o", "go-stacks", source, env=environment)
    expect(done.status == 0, done.stderr)
    return ["./go-stacks", "2"]


def plain(names):
    """Without the name of the calling convention, and of the package that is the program."""
    return [name.removesuffix(".abi0").removeprefix("main.") for name in names]


def is_part(own):
    return any(path[at:at + len(own)] == own for path in PATHS for at in range(len(path)))


def judge(samples):
    """How many samples there are, and how many have a stack that is cut.  None is wrong."""
    total = cut = 0
    seen = set()
    for names, count, labels in samples:
        reason, names = labels.get("stack"), plain(names)
        own = [name for name in names if name in OWN]
        total += count
        if reason:
            cut += count if reason != "exiting" else 0
            expect(is_part(own), f"wrong: {count} {reason} {names}")
            continue
        expect(any(begins(own, path) for path in PATHS), f"wrong: {count} {names}")
        # A program that starts was profil before.
        expect(not own or names[0] == "runtime.goexit", f"no goroutine: {count} {names}")
        seen |= {(own[-1], name) for name in names if own}
        seen |= {("", names[0])}
    return total, cut, seen


def case_goroutines():
    """Stacks are whole, with the table of symbols and without, at any address; none is wrong."""
    for options in (), ("-ldflags=-s -w",), ("-buildmode=pie", "-ldflags=-s -w"):
        total, cut, seen = judge(take_command(build(*options), "-F", "4999", "--no-fold"))
        expect(cut * 50 <= total, f"{options}: {cut} of {total} are cut")
        missing = {("spin", "spin"), ("copies", "runtime.memmove"), *SWITCHED} - seen
        expect(not missing, f"not seen: {missing}")
        roots = {name for own, name in seen if not own and name.startswith("runtime.")}
        expect(roots <= ROOTS, f"{roots}")


CALLS_C = """package main

/*
static __attribute__((noinline)) void spins(unsigned long n) { do __asm__ volatile("" : "+r"(n)); while (--n); }
extern void comesBack(void);
static __attribute__((noinline)) void calls(void) { comesBack(); }
*/
import "C"

var sink int

//export comesBack
func comesBack() {
	for i := 0; i < 20000000; i++ {
		sink += i ^ sink
	}
}

//go:noinline
func goes() { C.spins(300000000) }

//go:noinline
func back() { C.calls() }

func main() {
	done := make(chan int)
	for i := 0; i < 2; i++ {
		go func() { goes(); back(); done <- 1 }()
	}
	goes()
	<-done
	<-done
}
"""


def case_c():
    """C that Go has called has Go's callers; Go that C calls back ends where it left C's stack."""
    with open("calls-c.go", "w", encoding="ascii") as file:
        file.write(CALLS_C)
    total = whole = backs = 0
    for names, count, labels in take_command(build(source="calls-c.go", cgo="1"), "-F", "997", "--no-fold"):
        names = plain(names)
        if "spins" in names:
            total += count
            whole += count if "stack" not in labels else 0
            at = names.index("spins")
            expect("stack" in labels or names[0] == "runtime.goexit" and "goes" in names[:at] and
                   names[at - 2:at] == ["runtime.cgocall", "runtime.asmcgocall"], f"wrong: {count} {names}")
        if "comesBack" in names:
            backs += count
            expect(labels.get("stack") == "no rule" and "back" not in names, f"wrong: {count} {labels} {names}")
    expect(total and whole * 50 >= total * 49 and backs, f"{whole} whole of {total}, {backs} called back")


def case_perf():
    """The perf engine has no way to the goroutine's stack: what the runtime does for it is cut, and nothing is wrong."""
    need_perf()
    total, cut, seen = judge(take_command(build(), "-F", "997", "--no-fold", engine="perf"))
    expect(0 < cut < total / 2 and ("spin", "spin") in seen, f"{cut} of {total}")
