# SPDX-License-Identifier: BSD-2-Clause
"""What passes through profil untouched: input, output, signals, process group, exit status, and
everything else a program can see of how it was started."""

import os
import re
import resource
import signal
import sys
import time

from command import (PROFIL, Running, check_error, check_files, cpu_ticks_below, expect,
                     need_counting, need_program, profil, report, run, target, wait_until)
from measure import check_identity
from terminal import Terminal

QUIET = ("-q", "--no-report")


def through(*command, options=QUIET, **how):
    need_counting()
    return profil(*options, "--", *command, **how)


def expect_same(what, seen, wanted):
    expect(seen == wanted, f"{what}: {seen!r}, not {wanted!r}")


def case_standard_streams():
    """A megabyte of arbitrary bytes goes through stdin and stdout, and stderr is the program's."""
    data = os.urandom(1 << 20)
    with open("data", "wb") as file:
        file.write(data)
    with open("data", "rb") as file:
        done = through("sh", "-c", "echo words >&2; exec cat", stdin=file)
    expect(done.stdout == data, f"{len(done.stdout)} bytes of {len(data)}")
    expect_same("stderr", done.words, "words\n")


def case_own_words():
    """Without -q profil's report goes to stderr and nothing of it to stdout."""
    done = through("echo", "hello", options=())
    expect_same("stdout", done.text, "hello\n")
    expect("kernel" in done.words, f"no report: {done.words!r}")
    check_files("profil.pb.gz")


def case_exit_status():
    """The program's exit status is profil's."""
    for status in (0, 1, 7, 125, 126, 127, 128, 255):
        expect_same("status", through("sh", "-c", f"exit {status}").status, status)


def case_killed_by_signal():
    """A program that a signal kills gives 128 + its number, and a profile."""
    for name, number in (("KILL", 9), ("TERM", 15), ("SEGV", 11), ("USR1", 10), ("INT", 2)):
        done = through("sh", "-c", f"ulimit -c 0; kill -{name} $$")
        expect_same("status", done.status, 128 + number)
        check_identity(report("profil.pb.gz"))
        os.unlink("profil.pb.gz")


def case_not_found():
    """A program that is not there is 127, as env(1) has it, and leaves nothing behind."""
    for name in ("no-such-program", "./no-such-program", "/no/such/program"):
        check_error(through(name), 127, name)
    check_files()


def case_not_to_be_run():
    """A directory, and a file without the permission, are 126."""
    os.mkdir("directory")
    with open("file", "w") as file:
        file.write("#!/bin/sh\n")
    check_error(through("./directory"), 126, "./directory")
    check_error(through("./file"), 126, "./file")
    check_files("directory", "file")


def case_script():
    """A script runs, with its interpreter's line or without one, as under env(1)."""
    for number, head in enumerate(("#!/bin/sh\n", "")):
        with open(f"script{number}", "w") as file:
            file.write(head + "exit 5\n")
        os.chmod(f"script{number}", 0o755)
        expect_same("status", through(f"./script{number}").status, 5)


def case_arguments():
    """What stands behind the program is the program's, though it look like an option."""
    need_counting()
    wanted = ["-F", "0", "--", "--help", "", "a b", "\n"]
    done = profil(*QUIET, sys.executable, "-c", "import sys; print(sys.argv[1:])", *wanted)
    expect_same("arguments", done.text, f"{wanted}\n")


def case_environment():
    """The environment, the working directory, the umask and the limits are the caller's."""
    need_program("env")
    script = "env | grep -v ^_= | sort; pwd; umask; ulimit -a; nice; cat /proc/self/oom_score_adj"
    expect_same("surroundings", through("sh", "-c", script).text, run("sh", "-c", script).text)


def facts_of_start(text):
    """What the target signals says, less what must differ between two processes."""
    return [line for line in text.splitlines() if not line.startswith("parent ")]


def case_process_group():
    """The program is in the caller's process group and session, with its signals and descriptors
    as they were; none of profil's descriptors leaks into it."""
    expect_same("start", facts_of_start(through(target("signals")).text),
                facts_of_start(run(target("signals")).text))


def expect_same_start(prepare):
    """A program that PREPARE() was called for sees the same under profil and without it."""
    direct = run(target("signals"), preexec_fn=prepare)
    under = through(target("signals"), preexec_fn=prepare)
    expect_same("status", under.status, direct.status)
    expect_same("start", facts_of_start(under.text), facts_of_start(direct.text))


def case_ignored_signals():
    """What the caller ignores or blocks, the program finds ignored or blocked (as under nohup)."""
    def prepare():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM])

    expect_same_start(prepare)


def case_ignored_children():
    """A caller that ignores SIGCHLD does not make profil lose its program."""
    def prepare():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    expect_same("status", through("sh", "-c", "exit 3", preexec_fn=prepare).status, 3)
    expect_same_start(prepare)


def case_blocked_children():
    """Nor does one that blocks it."""
    def prepare():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])

    expect_same("status", through("sh", "-c", "exit 3", preexec_fn=prepare).status, 3)
    expect_same_start(prepare)


def case_closed_streams():
    """A program started with its streams closed finds them closed, and profil survives it."""
    def prepare():
        os.close(0)
        os.close(2)

    expect_same_start(prepare)


def start_signals(seconds="20"):
    """profil on the target that tells the signals it gets; returns when it is ready for them."""
    need_counting()
    running = Running([PROFIL, *QUIET, target("signals"), seconds])
    wait_until("the target", lambda: b"ready" in running.so_far())
    return running


def signals_in(text):
    return re.findall(r"signal (\d+)", text)  # behind the terminal's "^C"


def case_forwarded_signals():
    """SIGTERM, SIGHUP and SIGQUIT to profil reach the program, each once, and the profile is
    written."""
    running = start_signals()
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        wanted = f"signal {number}\n".encode()
        os.kill(running.pid, number)
        wait_until(f"signal {number}", lambda wanted=wanted: wanted in running.so_far())
    done = running.wait()
    expect_same("signals", signals_in(done.text), ["1", "3", "15"])
    expect_same("status", done.status, 0)
    check_identity(report("profil.pb.gz"))


def case_ended_by_forwarded_signal():
    """A program that SIGTERM, SIGHUP or SIGQUIT to profil ends gives 128 + N and a profile."""
    need_counting()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        running = Running([PROFIL, *QUIET, "sh", "-c", "ulimit -c 0; echo ready; exec sleep 60"])
        wait_until("the program", lambda running=running: b"ready" in running.so_far())
        os.kill(running.pid, number)
        expect_same("status", running.wait().status, 128 + number)
        check_identity(report("profil.pb.gz"))
        os.unlink("profil.pb.gz")


def case_interrupt_reaches_once():
    """Ctrl-C at the terminal reaches the program exactly once; profil does not send it again."""
    need_counting()
    terminal = Terminal([*QUIET, target("signals"), "20"])
    terminal.read_until("ready")
    terminal.type(b"\x03")
    terminal.read_until("signal 2")
    terminal.type(b"\x1c")
    terminal.read_until("signal 3")
    time.sleep(0.5)  # for one too many to arrive
    os.kill(terminal.pid, signal.SIGTERM)
    expect_same("status", terminal.wait(), 0)
    expect_same("signals", signals_in(terminal.text), ["2", "3", "15"])


def case_interrupt_ends():
    """Ctrl-C ends the program, and profil still writes the profile and reports."""
    need_counting()
    terminal = Terminal([target("split"), "60"])
    wait_until("some CPU time", lambda: cpu_ticks_below(terminal.pid) > 20)
    terminal.type(b"\x03")
    expect_same("status", terminal.wait(), 130)
    expect("spin_three" in terminal.text, f"no report: {terminal.text!r}")
    check_identity(report("profil.pb.gz"))


def case_foreground_job():
    """On a terminal the program is in the foreground group and all three streams are the
    terminal."""
    need_counting()
    terminal = Terminal([*QUIET, target("signals")])
    expect_same("status", terminal.wait(), 0)
    lines = dict(line.split() for line in terminal.text.split("\r\n") if " " in line)
    expect_same("tty", lines["tty"], "111")
    expect_same("foreground", lines["foreground"], lines["group"])
    expect_same("group", lines["group"], str(terminal.pid))


def case_profil_killed():
    """When profil itself is killed, the program goes on unharmed to its own end."""
    need_counting()
    script = f"echo $$; {target('split')} 0.5 >/dev/null; echo status $?; sleep 0.1; echo end >end"
    running = Running([PROFIL, *QUIET, "sh", "-c", script])
    wait_until("the program", lambda: b"\n" in running.so_far())
    os.kill(running.pid, signal.SIGKILL)
    expect_same("status", running.wait().status, 137)
    wait_until("the program's end", lambda: os.path.exists("end"))
    expect(b"status 0" in running.so_far(), running.so_far())
    check_files("end")


def case_stopped():
    """A program that is stopped and continued is none the worse for it."""
    need_counting()
    running = Running([PROFIL, *QUIET, "sh", "-c", "echo $$; kill -STOP $$; exit 4"])
    wait_until("the program", lambda: b"\n" in running.so_far())
    child = int(running.so_far())
    wait_until("the stop", lambda: state_of(child) == "T")
    expect(running.process.poll() is None, "profil ended with the program stopped")
    os.kill(child, signal.SIGCONT)
    expect_same("status", running.wait().status, 4)


def state_of(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


def case_closed_pipe():
    """A reader that goes away ends the program with SIGPIPE, as without profil."""
    need_counting()
    done = run("sh", "-c", '{ "$@"; echo $? >status; } | head -1 >/dev/null', "sh", PROFIL, *QUIET,
               "yes")
    expect_same("status", done.status, 0)
    with open("status") as status:
        expect_same("status", int(status.read()), 141)


def case_limits_are_not_inherited():
    """A low limit on locked memory or open files neither stops profil nor changes for the
    program."""
    def lower():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    done = through("sh", "-c", "ulimit -l; ulimit -n", preexec_fn=lower)
    expect_same("limits", done.text, "64\n64\n")
