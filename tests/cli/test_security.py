# SPDX-License-Identifier: BSD-2-Clause
"""Who may see what: a profil whose file carries capabilities, run by nobody, who tries each way
around what SECURITY.md promises.  What profil does with them itself is in test_lent.py."""

import os
import shutil
import subprocess

from command import (AS_NOBODY, NOBODY, PROFIL, Running, Skip, check_error, cpu_ticks_of, expect,
                     need_program, need_root, profil, report, run, target, wait_until)
from engines import brought, for_each, lend
from limits import check_least
from measure import FAST, check_split
from rights import AS_SOMEBODY, KERNEL, QUIET, SOMEBODY, WAYS, is_measuring

KERNEL_START = 1 << 63


def guarded(measurement):
    """Ticks in programs that were not looked into."""
    return sum(row["samples"] for row in measurement.report["rows"] if "not looked into" in row["name"])


def child_with_rights(give):
    """A copy of a program that works and tells its CPU time, with rights that GIVE gave it."""
    shutil.copy(target("setuid-child"), "child")
    os.chown("child", 0, 0)
    give("child")


RIGHTS = {
    "set-user-ID": lambda file: os.chmod(file, 0o4755),
    "set-group-ID": lambda file: os.chmod(file, 0o2755),
    "capabilities": lambda file: lend(file, "cap_net_raw+ep"),
    "not readable": lambda file: os.chmod(file, 0o711),
}


def case_programs_with_rights():
    """A set-user-ID or set-group-ID program, one with capabilities and one that may not be read: not
    an address of them is learnt, whatever starts them, and their ticks are accounted for."""
    def check(way):
        for name, give in RIGHTS.items():
            child_with_rights(give)
            brought("split")
            measurement = way.take("sh", "-c", "./child; ./split 0.3; ./child & wait")
            rows = [row for row in measurement.report["rows"]
                    if "spin_setuid" in row["name"] or row["object"] == "child"]
            expect(not rows, f"{name}: {rows}")
            ticks = measurement.ticks("name")
            check_least(f"{name}: ticks", ticks["spin_three"], 2 * ticks["spin_one"])
            words = run("./profil", "report").text
            if way.lends:
                due = measurement.truth.seconds["spin_setuid"] / measurement.period
                measurement.check_between(f"{name}: ticks not looked into", guarded(measurement),
                                          0.98 * due, 1.1 * due + 100)
                expect("samples unresolved: in a program with rights of its own" in words, words)
            else:
                # The kernel takes the clocks away at exec: nothing is left to count with.
                expect(measurement.facts["not_followed"] == 2, f"{name}: {measurement.facts}")
                expect("2 tasks could not be followed" in words, words)
    for_each(check, WAYS)


def case_rights_given_back():
    """What runs behind such a program with the user's own rights again is the user's again."""
    KERNEL.bring()
    shutil.copy(shutil.which("setpriv"), "become")
    os.chmod("become", 0o4755)
    measurement = KERNEL.take("./become", *AS_NOBODY[1:], brought("split"))
    check_split(measurement)


def case_another_user_behind_it():
    """A set-user-ID program that becomes a third user stays unseen, as does what it executes."""
    KERNEL.bring()
    shutil.copy(shutil.which("setpriv"), "become")
    os.chmod("become", 0o4755)
    measurement = KERNEL.take("./become", *AS_SOMEBODY[1:], brought("split"), "0.5")
    rows = [row for row in measurement.report["rows"] if row["object"] in ("split", "become")]
    expect(not rows, f"{rows}")
    due = sum(measurement.truth.seconds.values()) / measurement.period
    measurement.check_between("ticks not looked into", guarded(measurement), 0.98 * due,
                              1.1 * due + 100)


def case_group_of_its_own():
    """A process of the user's with another group is not looked into: ptrace(2) would not either."""
    KERNEL.bring()
    shutil.copy(shutil.which("setpriv"), "become")
    os.chmod("become", 0o4755)
    measurement = KERNEL.take("./become", f"--reuid={NOBODY}", f"--regid={SOMEBODY}",
                             "--clear-groups", brought("split"), "0.3")
    expect(not [row for row in measurement.report["rows"] if row["object"] == "split"], "seen")
    expect(guarded(measurement) > 0, "not counted")


HIDES = """
import ctypes, time
ctypes.CDLL(None).prctl(4, {}, 0, 0, 0)
end = time.process_time() + 0.3
while time.process_time() < end:
    sum(range(10000))
"""


def case_hides_itself():
    """A program that made itself undumpable (a key agent) is not looked into."""
    need_program("python3")
    shown = KERNEL.take("python3", "-c", HIDES.format(1))
    hidden = KERNEL.take("python3", "-c", HIDES.format(0))
    due = 0.3 / hidden.period
    expect(guarded(shown) == 0, f"{guarded(shown)} ticks hidden of one that does not hide")
    hidden.check_between("ticks not looked into", guarded(hidden), 0.95 * due, 1.1 * due + 100)


def case_own_namespace():
    """A process in a user namespace that the user made is his, whoever it is in there."""
    need_program("unshare")
    if run(*AS_NOBODY, "unshare", "-Ur", "true").status:
        raise Skip("nobody may make a user namespace here")
    check_split(KERNEL.take("unshare", "-Ur", brought("split")))


def case_root_sees_all():
    """For root nothing of this is in the way: a set-user-ID child is seen like any other."""
    need_root()
    child_with_rights(RIGHTS["set-user-ID"])
    done = profil(*QUIET, "--engine", "kernel", *FAST, "setpriv", *AS_NOBODY[1:], "./child")
    expect(done.status == 0, done.words)
    names = {row["name"]: row["samples"] for row in report("profil.pb.gz")["rows"]}
    check_least("ticks of spin_setuid", names.get("spin_setuid", 0), 500)  # half of those due


def case_attached_with_rights():
    """attach refuses a process with other rights, though the user started it, by each engine; and a
    process that gets them later is not seen."""
    def check(way):
        way.bring()
        child_with_rights(RIGHTS["set-user-ID"])
        worker = Running([*AS_NOBODY, "./child"])
        wait_until("work", lambda: cpu_ticks_of(worker.pid) > 2)
        done = run(*AS_NOBODY, "./profil", "attach", *QUIET, "--engine", way.engine.name, "-p",
                   str(worker.pid))
        check_error(done, 125, str(worker.pid))
        worker.wait()
        late = Running([*AS_NOBODY, "sh", "-c", "echo ready; read go; exec ./child"],
                       stdin=subprocess.PIPE)
        wait_until("the shell", lambda: b"ready" in late.so_far())
        running = Running([*AS_NOBODY, "./profil", "attach", *QUIET, *FAST, "--engine",
                           way.engine.name, "-p", str(late.pid)])
        wait_until("the clocks", lambda: is_measuring(running.pid))
        late.process.stdin.write(b"go\n")
        late.process.stdin.close()
        late.wait()
        done = running.wait()
        expect(done.status == 0, done.words)
        rows = report("profil.pb.gz")["rows"]
        expect(not [row for row in rows if row["object"] == "child"], f"{rows}")
    for_each(check, WAYS)


def case_kernel_addresses():
    """Where the kernel hides its addresses from the user they are in no profile of his: the kernel
    is one line, with the reason, in whatever way it is looked at."""
    def check(way):
        measurement = way.take(brought("kernel-heavy"))
        visible = run(*AS_NOBODY, "grep", "-m1", "-E", "^0*[1-9a-f][0-9a-f]* [tT] ",
                      "/proc/kallsyms").status == 0
        rows = report("profil.pb.gz", "--by", "address")["rows"]
        rows = [row for row in rows if row["class"] == "kernel"]
        if visible:
            raise Skip("the kernel shows its addresses to nobody here: nothing is to be hidden")
        expect(len(rows) <= 1, f"{rows[:5]}")
        if way.lends:
            expect(rows and rows[0]["name"] == "[kernel]", f"{rows}")
            check_least("ticks of the kernel's", rows[0]["samples"], 0.5 * measurement.fired)
            expect("keeps its addresses" in run("./profil", "report").text, "not said")
        raw = run("gzip", "-dc", "profil.pb.gz").stdout
        expect(not kernel_numbers(raw), f"{kernel_numbers(raw)}")
    for_each(check, WAYS)


def kernel_numbers(raw):
    """The addresses above the middle in a profile's locations: pprof.Profile.location is field 4,
    Location.address field 3."""
    found = []
    for field, value in fields_of(raw):
        if field == 4:
            found += [number for inner, number in fields_of(value)
                      if inner == 3 and number >= KERNEL_START]
    return found


def fields_of(raw):
    at = 0
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(raw):
        key = number()
        if key & 7 == 2:
            size = number()
            yield key >> 3, raw[at:at + size]
            at += size
        else:
            yield key >> 3, number()


def case_kernel_addresses_of_ones_own():
    """A user who has CAP_SYSLOG himself is shown what the kernel shows him: functions by name."""
    need_root()
    os.chmod(".", 0o777)
    shutil.copy(PROFIL, "profil")
    caps = "+bpf,+perfmon,+syslog"
    done = run(*AS_NOBODY, f"--inh-caps={caps}", f"--ambient-caps={caps}", "./profil", *QUIET,
               "--engine", "kernel", *FAST, brought("kernel-heavy"))
    expect(done.status == 0, done.words)
    with open("/proc/sys/kernel/kptr_restrict") as file:
        hidden = int(file.read()) == 2
    rows = [row for row in report("profil.pb.gz")["rows"] if row["class"] == "kernel"]
    expect((len(rows) == 1) if hidden else (len(rows) > 3), f"{rows}")
