# SPDX-License-Identifier: BSD-2-Clause
"""Who may see what: a profil whose file carries capabilities, run by nobody, who tries each way
around what SECURITY.md promises."""

import http.server
import json
import os
import shutil
import signal
import stat
import subprocess
import threading

from command import (PROFIL, Running, Skip, check_error, expect, need_program, need_root, profil, report,
                     run, target, wait_until)
from engines import ENGINES, bring, brought, for_each_engine, lend, measure_by, promise
from limits import check_between
from measure import FAST, check_identity, check_split
from test_attach import counting, cpu_ticks_of
from test_privilege import AS_NOBODY

KERNEL = ENGINES[0]
QUIET = ("-q", "--no-report")
NOBODY = 65534
SOMEBODY = 65533
AS_SOMEBODY = ("setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups")
KERNEL_START = 1 << 63


def guarded(measurement):
    """Ticks in programs that were not looked into."""
    return sum(row["ticks"] for row in measurement.report["rows"] if "not looked into" in row["name"])


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
    def check(engine):
        for name, give in RIGHTS.items():
            child_with_rights(give)
            brought("split")
            measurement = measure_by(engine, "sh", "-c", "./child; ./split 0.3; ./child & wait")
            rows = [row for row in measurement.report["rows"]
                    if "spin_setuid" in row["name"] or row["object"] == "child"]
            promise(not rows, f"{name}: {rows}")
            ticks = measurement.ticks("name")
            expect(ticks["spin_three"] > 2 * ticks["spin_one"] > 0, f"{name}: {ticks}")
            words = run("./profil", "report").text
            if engine.name == "kernel":
                due = measurement.truth.seconds["spin_setuid"] / measurement.period
                check_between(f"{name}: ticks not looked into", guarded(measurement), 0.98 * due,
                              1.1 * due + 100)
                expect("ticks unresolved: in a program with rights of its own" in words, words)
            else:
                # The kernel takes the clocks away at exec: nothing is left to count with.
                expect(measurement.facts["not_followed"] == 2, f"{name}: {measurement.facts}")
                expect("2 tasks could not be followed" in words, words)
    for_each_engine(check)


def case_rights_given_back():
    """What runs behind such a program with the user's own rights again is the user's again."""
    bring(KERNEL)
    shutil.copy(shutil.which("setpriv"), "become")
    os.chmod("become", 0o4755)
    measurement = measure_by(KERNEL, "./become", *AS_NOBODY[1:], brought("split"))
    check_split(measurement)


def case_another_user_behind_it():
    """A set-user-ID program that becomes a third user stays unseen, as does what it executes."""
    bring(KERNEL)
    shutil.copy(shutil.which("setpriv"), "become")
    os.chmod("become", 0o4755)
    measurement = measure_by(KERNEL, "./become", *AS_SOMEBODY[1:], brought("split"), "0.5")
    rows = [row for row in measurement.report["rows"] if row["object"] in ("split", "become")]
    expect(not rows, f"{rows}")
    due = sum(measurement.truth.seconds.values()) / measurement.period
    check_between("ticks not looked into", guarded(measurement), 0.98 * due, 1.1 * due + 100)


def case_group_of_its_own():
    """A process of the user's with another group is not looked into: ptrace(2) would not either."""
    bring(KERNEL)
    shutil.copy(shutil.which("setpriv"), "become")
    os.chmod("become", 0o4755)
    measurement = measure_by(KERNEL, "./become", f"--reuid={NOBODY}", f"--regid={SOMEBODY}",
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
    shown = measure_by(KERNEL, "python3", "-c", HIDES.format(1))
    hidden = measure_by(KERNEL, "python3", "-c", HIDES.format(0))
    due = 0.3 / hidden.period
    expect(guarded(shown) == 0, f"{guarded(shown)} ticks hidden of one that does not hide")
    check_between("ticks not looked into", guarded(hidden), 0.95 * due, 1.1 * due + 100)


def case_own_namespace():
    """A process in a user namespace that the user made is his, whoever it is in there."""
    need_program("unshare")
    if run(*AS_NOBODY, "unshare", "-Ur", "true").status:
        raise Skip("nobody may make a user namespace here")
    check_split(measure_by(KERNEL, "unshare", "-Ur", brought("split")))


def case_root_sees_all():
    """For root nothing of this is in the way: a set-user-ID child is seen like any other."""
    need_root()
    child_with_rights(RIGHTS["set-user-ID"])
    done = profil(*QUIET, "--engine", "kernel", *FAST, "setpriv", *AS_NOBODY[1:], "./child")
    expect(done.status == 0, done.words)
    names = {row["name"]: row["ticks"] for row in report("profil.pb.gz")["rows"]}
    expect(names.get("spin_setuid", 0) > 1000, f"{names}")


def case_attached_with_rights():
    """attach refuses a process with other rights, though the user started it, by each engine; and a
    process that gets them later is not seen."""
    def check(engine):
        bring(engine)
        child_with_rights(RIGHTS["set-user-ID"])
        worker = Running([*AS_NOBODY, "./child"])
        wait_until("work", lambda: cpu_ticks_of(worker.pid) > 2)
        done = run(*AS_NOBODY, "./profil", "attach", *QUIET, "--engine", engine.name, "-p",
                   str(worker.pid))
        check_error(done, 125, str(worker.pid))
        worker.wait()
        late = Running([*AS_NOBODY, "sh", "-c", "echo ready; read go; exec ./child"],
                       stdin=subprocess.PIPE)
        wait_until("the shell", lambda: b"ready" in late.so_far())
        running = Running([*AS_NOBODY, "./profil", "attach", *QUIET, *FAST, "--engine", engine.name,
                           "-p", str(late.pid)])
        wait_until("the clocks", lambda: is_measuring(running.pid))
        late.process.stdin.write(b"go\n")
        late.process.stdin.close()
        late.wait()
        done = running.wait()
        expect(done.status == 0, done.words)
        rows = report("profil.pb.gz")["rows"]
        promise(not [row for row in rows if row["object"] == "child"], f"{rows}")
    for_each_engine(check)


def is_measuring(pid):
    """Whether PID has its clocks: perf events, of which the perf engine has no BPF program."""
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return counting(pid) or (any("perf_event" in link for link in links)
                             and not any("bpf" in link for link in links))


def case_capabilities_are_given_up():
    """While it measures profil has no capability left, in effect or permitted; and nobody may look
    into it: not its descriptors, not its memory."""
    bring(KERNEL)
    worker = Running([*AS_NOBODY, "./profil", *QUIET, "--engine", "kernel", "sleep", "30"])
    wait_until("the clocks", lambda: is_measuring(worker.pid))
    wait_until("the end of the start", lambda: capabilities(worker.pid)["CapPrm"] == 0)
    expect(not any(capabilities(worker.pid).values()), f"{capabilities(worker.pid)}")
    for name in ("fd", "mem", "environ", "maps"):
        looked = run(*AS_NOBODY, "sh", "-c", "ls -l /proc/$0/$1/ || head -c 1 /proc/$0/$1",
                     str(worker.pid), name)
        expect(looked.status != 0 and not looked.stdout, f"{name}: {looked.text} {looked.words}")
    seized = run(*AS_NOBODY, "python3", "-c", PTRACE, str(worker.pid))
    expect(seized.text == "-1 1\n", f"ptrace: {seized.text} {seized.words}")
    os.kill(worker.pid, signal.SIGTERM)
    worker.wait()


def case_all_goes_on_without():
    """With the capabilities given up everything goes on: snapshots, a new period, a task's clock,
    two engines one after the other."""
    for options in (("--every", "100ms", "--dither"), ("--clock", "task"), ("--by-thread",),
                    ("--raw",)):
        measurement = measure_by(KERNEL, brought("split"), "0.5", options=(*FAST, *options))
        expect(measurement.fired > 1000, f"{options}: {measurement.fired} ticks")
    bring(KERNEL)
    done = run(*AS_NOBODY, "./profil", "--cross-check", "-q", *FAST, "./split", "0.3")
    expect("kernel engine" in done.words and "perf engine" in done.words, done.words)
    running = Running([*AS_NOBODY, "./profil", *QUIET, "--engine", "kernel", "-o", "late", "sleep", "30"])
    wait_until("the clocks", lambda: is_measuring(running.pid))
    os.kill(running.pid, signal.SIGUSR1)
    wait_until("a snapshot", lambda: os.path.exists("late"))
    os.kill(running.pid, signal.SIGTERM)
    expect(running.wait().status == 143, "not ended")


# PTRACE_SEIZE; what it returns, and errno (1: EPERM).
PTRACE = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(0x4206, int(sys.argv[1]), None, None), ctypes.get_errno())
"""


def capabilities(pid):
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":\t", 1) for line in status)
    return {name: int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}


SHOW = """
import ctypes, os
libc = ctypes.CDLL(None)
for line in open("/proc/self/status"):
    if line.startswith(("Cap", "NoNewPrivs", "Seccomp", "SigBlk", "SigIgn", "Uid", "Gid", "Groups")):
        print(line.strip())
print("securebits", libc.prctl(27, 0, 0, 0, 0), "dumpable", libc.prctl(3, 0, 0, 0, 0),
      "keepcaps", libc.prctl(7, 0, 0, 0, 0))
own = os.open("/proc/self/fd", os.O_RDONLY)
print("descriptors", sorted(int(fd) for fd in os.listdir(own) if int(fd) < own))
print("limits", open("/proc/self/limits").read())
print("environment", sorted((k, v) for k, v in os.environ.items() if k != "_"))
"""


def case_program_inherits_nothing():
    """What a program sees of its rights, descriptors, limits and environment is what it sees without
    profil: what the C library takes from one with capabilities is there again."""
    need_program("python3")
    environment = {**os.environ, "LD_LIBRARY_PATH": "/nowhere/at/all", "TMPDIR": "/var/tmp",
                   "GCONV_PATH": "/nowhere", "MALLOC_TRACE": "", "RES_OPTIONS": "ndots:2"}
    def check(engine):
        bring(engine)
        alone = run(*AS_NOBODY, "python3", "-c", SHOW, env=environment)
        below = run(*AS_NOBODY, "./profil", *QUIET, "--engine", engine.name, "python3", "-c", SHOW,
                    env=environment)
        expect(below.status == 0 and alone.status == 0, below.words + alone.words)
        promise(below.text == alone.text, f"with profil:\n{below.text}\nwithout:\n{alone.text}")
        expect("LD_LIBRARY_PATH" in below.text and "TMPDIR" in below.text, below.text)
    for_each_engine(check)


def case_environment_is_not_trusted():
    """Nothing in the environment is a library that profil loads, or words that libbpf says."""
    bring(KERNEL)
    shutil.copy(target("libspin.so"), "libspin.so")
    for name in ("libdebuginfod.so.1", "libelf.so.1", "libbpf.so.1"):
        with open(name, "w") as file:
            file.write("not a library\n")
    environment = {**os.environ, "LD_LIBRARY_PATH": os.getcwd(), "PROFIL_DEBUG": "1",
                   "LD_PRELOAD": os.path.join(os.getcwd(), "libspin.so"),
                   "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": "debug"}
    running = Running([*AS_NOBODY, "./profil", *QUIET, "--engine", "kernel", "sleep", "30"],
                      env=environment)
    wait_until("the clocks", lambda: is_measuring(running.pid))
    with open(f"/proc/{running.pid}/maps") as maps:
        mapped = maps.read()
    expect("libbpf" in mapped and os.getcwd() + "/lib" not in mapped, mapped)
    os.kill(running.pid, signal.SIGTERM)
    done = running.wait()
    expect(done.status == 143 and not done.words, f"{done.status}: {done.words}")


class Asked(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked()
        self.send_error(404)

    def log_message(self, *words):
        pass


def profils():
    """The processes that run this directory's profil."""
    own = os.path.join(os.getcwd(), "profil")
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == own:
                yield int(entry)
        except OSError:
            pass


def case_debuginfod_without_rights():
    """Debug information is asked for by a process without any capability, as nobody: a cache that
    only root may write stays empty, and one of the user's own is his."""
    bring(KERNEL)
    shutil.copy(target("split"), "bare")
    run("strip", "bare")
    os.mkdir("cache")
    os.chmod("cache", 0o700)
    seen = []
    with http.server.HTTPServer(("127.0.0.1", 0), Asked) as server:
        server.asked = lambda: seen.extend(capabilities(pid) for pid in profils())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for cache in ("cache", "own"):
            environment = {**os.environ, "DEBUGINFOD_CACHE_PATH": os.path.abspath(cache),
                           "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}"}
            done = run(*AS_NOBODY, "./profil", *QUIET, "--engine", "kernel", "./bare", "0.2",
                       env=environment)
            expect(done.status == 0, done.words)
        server.shutdown()
    expect(not os.listdir("cache"), f"in root's folder: {os.listdir('cache')}")
    expect(os.stat("own").st_uid == NOBODY, "the cache is not the user's")
    expect(seen and not any(any(sets.values()) for sets in seen), f"{seen}")


def case_kernel_addresses():
    """Where the kernel hides its addresses from the user they are in no profile of his: the kernel
    is one line, with the reason, in whatever way it is looked at."""
    def check(engine):
        measurement = measure_by(engine, brought("kernel-heavy"))
        visible = run(*AS_NOBODY, "grep", "-m1", "-E", "^0*[1-9a-f][0-9a-f]* [tT] ",
                      "/proc/kallsyms").status == 0
        rows = report("profil.pb.gz", "--by", "address")["rows"]
        rows = [row for row in rows if row["class"] == "kernel"]
        if visible:
            raise Skip("the kernel shows its addresses to nobody here: nothing is to be hidden")
        promise(len(rows) <= 1, f"{rows[:5]}")
        if engine.name == "kernel":
            expect(rows and rows[0]["name"] == "[kernel]", f"{rows}")
            expect(rows[0]["ticks"] > 0.5 * measurement.fired, f"{rows}")
            expect("keeps its addresses" in run("./profil", "report").text, "not said")
        raw = run("gzip", "-dc", "profil.pb.gz").stdout
        promise(not kernel_numbers(raw), f"{kernel_numbers(raw)}")
    for_each_engine(check)


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


def case_set_user_id_profil():
    """A profil that is set-user-ID or set-group-ID does nothing at all, for nobody and for root."""
    need_root()
    need_program("setpriv")
    os.chmod(".", 0o777)
    for mode in (0o4755, 0o2755, 0o6755):
        shutil.copy(PROFIL, "profil")
        os.chmod("profil", mode)
        for arguments in (("touch", "ran"), ("report",), ("doctor",)):
            check_error(run(*AS_NOBODY, "./profil", *arguments), 125, "chmod ug-s")
    expect(not os.path.exists("ran"), "a program ran")


def case_more_than_needed():
    """Of more capabilities than it needs profil keeps none: one that may write everywhere writes
    where its user may."""
    bring(KERNEL)
    lend("profil", "cap_bpf,cap_perfmon,cap_dac_override,cap_sys_ptrace,cap_sys_admin+ep")
    os.mkdir("closed")
    os.chmod("closed", 0o755)
    check_error(run(*AS_NOBODY, "./profil", *QUIET, "-o", "closed/p.pb.gz", "touch", "ran"), 125,
                "closed/p.pb.gz")
    others = Running(["sleep", "30"])
    check_error(run(*AS_NOBODY, "./profil", "attach", *QUIET, "-p", str(others.pid)), 125, "sleep")
    secret = os.path.join("closed", "secret")
    with open(secret, "w") as file:
        file.write("not a profile\n")
    os.chmod(secret, 0o600)
    check_error(run(*AS_NOBODY, "./profil", "report", secret), 125, "Permission denied")
    expect(not os.path.exists("ran"), "a program ran")


def case_files_are_the_users():
    """The profile belongs to the user, with his umask."""
    measure_by(KERNEL, "true", preexec_fn=lambda: os.umask(0o077))
    found = os.stat("profil.pb.gz")
    expect((found.st_uid, found.st_gid) == (NOBODY, NOBODY), f"{found}")
    expect(stat.S_IMODE(found.st_mode) == 0o600, f"{found.st_mode:o}")


def plant(make, mode):
    """A folder of root's that everybody may write to, with what somebody else put into it."""
    if os.path.exists("common"):
        shutil.rmtree("common")
    os.mkdir("common")
    os.chmod("common", mode)
    done = run(*AS_SOMEBODY, "sh", "-c", make, os.getcwd())
    expect(done.status == 0, done.words)


def case_planted_links():
    """A symbolic link or a pipe that another user put in the way is not followed, by nobody or by
    root, with the sticky bit and without; what it points to stays as it is."""
    bring(KERNEL)
    victim = os.path.abspath("victim")
    for mode in (0o1777, 0o777):
        for by in (AS_NOBODY, ()):
            for make in ("ln -s $0/victim common/p.pb.gz", "ln -s ../victim common/p.pb.gz",
                         "ln -s $0/new common/p.pb.gz", "mkfifo -m 666 common/p.pb.gz"):
                with open(victim, "w") as file:
                    file.write("precious\n")
                os.chown(victim, NOBODY if by else 0, NOBODY if by else 0)
                plant(make, mode)
                done = run(*by, "./profil", *QUIET, "-o", "common/p.pb.gz", "touch", "ran")
                check_error(done, 125, "another user's")
                with open(victim) as file:
                    expect(file.read() == "precious\n", "the victim was written over")
                expect(not os.path.exists("new") and not os.path.exists("ran"), "something is made")
                expect(os.listdir("common") == ["p.pb.gz"], os.listdir("common"))


def case_links_of_ones_own():
    """A link of the user's own, or of the folder's owner, is followed: the file behind it is
    replaced, or made."""
    bring(KERNEL)
    os.mkdir("common")
    os.chmod("common", 0o1777)
    os.mkdir("behind")
    os.chmod("behind", 0o777)
    expect(run(*AS_NOBODY, "ln", "-s", "../behind/own", "common/own").status == 0, "no link")
    os.symlink("../behind/roots", "common/roots")
    for name in ("own", "roots", "own"):
        done = run(*AS_NOBODY, "./profil", *QUIET, "-o", f"common/{name}", "true")
        expect(done.status == 0, done.words)
        expect(os.path.islink(f"common/{name}"), "the link was replaced")
        check_identity(report(f"behind/{name}"))
    expect(sorted(os.listdir("behind")) == ["own", "roots"], os.listdir("behind"))


BEHIND_ITS_BACK = """
./jit & echo $!
while [ ! -s /tmp/perf-$!.map ]; do sleep 0.05; done
rm /tmp/perf-$!.map; touch removed
while [ ! -e planted ]; do sleep 0.05; done; wait
"""


def case_planted_map():
    """Names of generated code are not taken from what another user left in /tmp."""
    bring(KERNEL)
    brought("jit")
    running = Running([*AS_NOBODY, "./profil", *QUIET, "--engine", "kernel", *FAST, "sh", "-c",
                       BEHIND_ITS_BACK])
    wait_until("the map's end", lambda: os.path.exists("removed"))
    path = f"/tmp/perf-{int(running.so_far().split()[0])}.map"
    try:
        with open(path, "w") as file:
            file.write("0 7fffffffffffffff planted\n")
        os.chown(path, SOMEBODY, SOMEBODY)
        open("planted", "w").close()
        done = running.wait()
        expect(done.status == 0, done.words)
        whole = report("profil.pb.gz")
        names = {row["name"] for row in whole["rows"]}
        expect("planted" not in names, f"{names}")
        expect(whole["classes"]["anonymous"] > 1000, f"{whole['classes']}")
    finally:
        os.unlink(path)


def case_doctor():
    """doctor says what a copy with capabilities does, and has none of them left in effect."""
    bring(KERNEL)
    done = run(*AS_NOBODY, "./profil", "doctor", "--json")
    checks = {row["item"]: row for row in json.loads(done.text)["checks"]}
    expect("lent by profil's file" in checks["capabilities"]["found"], checks["capabilities"])
    expect("could trace himself" in checks["file"]["found"], checks["file"])
    for item in ("capabilities", "file", "bpf", "perf events", "kernel engine"):
        expect(checks[item]["verdict"] == "ok", checks[item])
