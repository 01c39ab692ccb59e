# SPDX-License-Identifier: BSD-2-Clause
"""A profil whose file carries capabilities, run by nobody: what it keeps of them, hands on and
trusts, and where it writes (SECURITY.md)."""

import http.server
import json
import os
import shutil
import signal
import stat
import threading

from command import (AS_NOBODY, NOBODY, PROFIL, Running, check_error, expect, need_program, need_root,
                     report, run, target, wait_until)
from engines import brought, for_each, lend
from limits import check_least
from measure import FAST, check_identity
from rights import AS_SOMEBODY, KERNEL, QUIET, SOMEBODY, WAYS, is_measuring


def case_capabilities_are_given_up():
    """While it measures profil has no capability left, in effect or permitted; and nobody may look
    into it: not its descriptors, not its memory."""
    KERNEL.bring()
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
        measurement = KERNEL.take(brought("split"), "0.5", options=(*FAST, *options))
        due = measurement.facts["cpu_ns"] * 1e-9 / measurement.period
        check_least(f"{options}: ticks", measurement.fired, 0.5 * due)
    KERNEL.bring()
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
    def check(way):
        way.bring()
        alone = run(*AS_NOBODY, "python3", "-c", SHOW, env=environment)
        below = way.profil(*QUIET, "--engine", way.engine.name, "python3", "-c", SHOW,
                           env=environment)
        expect(below.status == 0 and alone.status == 0, below.words + alone.words)
        expect(below.text == alone.text, f"with profil:\n{below.text}\nwithout:\n{alone.text}")
        expect("LD_LIBRARY_PATH" in below.text and "TMPDIR" in below.text, below.text)
    for_each(check, WAYS)


def case_environment_is_not_trusted():
    """Nothing in the environment is a library that profil loads, or words that libbpf says."""
    KERNEL.bring()
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
    KERNEL.bring()
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
    KERNEL.bring()
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
    KERNEL.take("true", preexec_fn=lambda: os.umask(0o077))
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
    KERNEL.bring()
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
    KERNEL.bring()
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
    expect(sorted(os.listdir("behind")) == ["own", "own.old", "roots"], os.listdir("behind"))


BEHIND_ITS_BACK = """
./jit & echo $!
while [ ! -s /tmp/perf-$!.map ]; do sleep 0.05; done
rm /tmp/perf-$!.map; touch removed
while [ ! -e planted ]; do sleep 0.05; done; wait
"""


def case_planted_map():
    """Names of generated code are not taken from what another user left in /tmp."""
    KERNEL.bring()
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
        check_least("ticks of the map's code", whole["classes"]["anonymous"], 500)
    finally:
        os.unlink(path)


def case_doctor():
    """doctor says what a copy with capabilities does, and has none of them left in effect."""
    KERNEL.bring()
    done = run(*AS_NOBODY, "./profil", "doctor", "--json")
    checks = {row["item"]: row for row in json.loads(done.text)["checks"]}
    expect("lent by profil's file" in checks["capabilities"]["found"], checks["capabilities"])
    expect("could trace himself" in checks["file"]["found"], checks["file"])
    for item in ("capabilities", "file", "bpf", "perf events", "kernel engine"):
        expect(checks[item]["verdict"] == "ok", checks[item])
