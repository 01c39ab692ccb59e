# SPDX-License-Identifier: BSD-2-Clause
"""The whole machine: all users, all CPUs, what is idle, control groups and containers."""

import json
import os
import shutil
import signal
import time

from command import (AS_NOBODY, PROFIL, Running, Skip, check_error, check_files, cpu_ticks_of,
                     descriptors, expect, need_counting, need_program, need_root, profil, report, run, target,
                     wait_until)
from limits import check_between, check_least, ticks_between
from measure import FAST, Measurement, check_identity, check_split
from pprof import Profile
from stolen import stolen_since, stolen_so_far
from test_attach import STALE, counting

PATH = "profil.pb.gz"
CPUS = sorted(os.sched_getaffinity(0))
ONLINE = os.cpu_count()

# /proc/stat tells times in hundredths of a second, cut off.
COARSE = 0.010
# Seconds that profil may wait for a CPU between the clocks' start or end and its look at the times.
APART = 0.1


def system(*options, rate=FAST, **how):
    need_root()
    need_counting()
    return Running([PROFIL, "system", "-q", "--no-report", *rate, "-o", PATH, *options], **how)


def switches():
    """Context switches of the whole machine since it started."""
    with open("/proc/stat") as stat:
        return next(int(line.split()[1]) for line in stat if line.startswith("ctxt "))


class Whole:
    """The whole machine is measured from here on, until end()."""

    def __init__(self, *options, **how):
        self.switches = switches()
        self.stolen_before = stolen_so_far()
        self.running = system("--by-process", *options, **how)
        wait_until("the clock", lambda: counting(self.running.pid))

    def end(self, number=signal.SIGINT):
        os.kill(self.running.pid, number)
        done = self.running.wait()
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        whole = report(PATH)
        check_identity(whole)
        check_times(whole, switches() - self.switches, stolen_since(self.stolen_before))
        return whole


def interrupts_on_idle():
    """Ticks of the kernel's work on idle CPUs, which is in no task's CPU time."""
    return sum(row["samples"] for row in report(PATH, "--by", "process")["rows"]
               if row["name"] == "[no process]")


def check_times(whole, runs, stolen):
    """Ticks against the kernel's times: what ran against the CPU time of all tasks, all of it
    against the time that passed on all CPUs, what was idle against what the kernel says was.

    A run lasts from one switch of a CPU to the next.  An idle CPU of a virtual machine may get
    fewer ticks than are due, never more; the host's theft is time in which clocks tick on.  The clocks
    start and end before or after the times are read, by as long as profil waits for a CPU between."""
    facts, idle = whole["facts"], whole["classes"].get("idle", 0)
    period = facts["period_ns"] * 1e-9
    busy = whole["identity"]["samples"] - idle
    least, most = ticks_between(facts["cpu_ns"] * 1e-9, period, runs)
    slack = ((STALE + APART) * ONLINE + stolen) / period
    check_between("ticks of what ran", busy, least - slack, most + slack + interrupts_on_idle())
    _, most = ticks_between(facts["machine_ns"] * 1e-9, period, runs=ONLINE)
    check_between("all ticks", busy + idle, 0, most + slack)
    _, most = ticks_between(facts["idle_ns"] * 1e-9 + 4 * COARSE, period, runs)
    check_between("idle ticks", idle, 0, most + slack)
    expect(facts["machine_ns"] == ONLINE * facts["duration_ns"], facts)


def set_online(cpu, online):
    """Returns when, at the earliest and the latest."""
    began = time.monotonic()
    with open(f"/sys/devices/system/cpu/cpu{cpu}/online", "w") as file:
        file.write("1" if online else "0")
    return began, time.monotonic()


def case_cpu_away():
    """The time of all CPUs is without that in which one was offline.  A second that profil may take
    to hear of it, on a busy machine; what is away is three."""
    need_root()
    cpu = CPUS[-1]
    if not os.path.exists(f"/sys/devices/system/cpu/cpu{cpu}/online"):
        raise Skip(f"CPU {cpu} cannot be taken offline here")
    running = system()
    try:
        wait_until("the clock", lambda: counting(running.pid))
        went = set_online(cpu, False)
        time.sleep(3)
    finally:
        came = set_online(cpu, True)
    wait_until("the CPU", lambda: os.cpu_count() == ONLINE)
    time.sleep(1)
    os.kill(running.pid, signal.SIGINT)
    done = running.wait()
    expect(done.status == 0, f"{done.status}: {done.words}")
    facts = report(PATH)["facts"]
    expect(facts["cpus_joined"] == 1, f"{facts}")
    away = (ONLINE * facts["duration_ns"] - facts["machine_ns"]) * 1e-9
    check_between("seconds away", away, came[0] - went[1] - 1, came[1] - went[0] + 1)


def worker(name, seconds, cpu, user=()):
    """A program of known truth, a copy of its own name, on one CPU."""
    need_program("taskset")
    shutil.copy(target("split"), name)
    return [*user, "taskset", "-c", str(cpu), f"./{name}", str(seconds)]


def case_two_users():
    """Programs of two users, one a CPU's, get the ticks of their CPU time each, by function and by
    process; and what is idle is a row of its own."""
    need_program("setpriv")
    whole = Whole()
    works = {"first-work": Running(worker("first-work", 0.6, CPUS[0])),
             "second-work": Running(worker("second-work", 0.6, CPUS[-1], AS_NOBODY))}
    dones = {name: work.wait() for name, work in works.items()}
    whole.end()
    processes = {row["pid"]: row["samples"] for row in report(PATH, "--by", "process")["rows"]}
    for name, done in dones.items():
        expect(done.status == 0, done.words)
        measurement = Measurement(done, PATH)
        rows = report(PATH, "--object", name)["rows"]
        check_split(measurement, rows=rows)
        mine = sum(row["samples"] for row in rows)
        expect(processes[works[name].pid] >= mine, f"{name}: {processes}, {mine}")


def case_idle():
    """Where nothing is to do, what is idle is a class, the last in the accounts, and a row."""
    whole = Whole("--by-cpu")
    until, before, seen_idle = time.monotonic() + 5, idle_seconds(), 0
    # A virtual machine that stands still is idle for long in one piece, and ticks once at most.
    while seen_idle < 20 and time.monotonic() < until:
        time.sleep(COARSE)
        before, seen_idle = (now := idle_seconds()), seen_idle + (now > before)
    seen = whole.end()
    idle = seen["classes"].get("idle", 0)
    if seen_idle < 20:  # where other work never leaves a CPU alone, there is little or none: whole.end() has judged how much
        return
    expect(idle > 0, seen["classes"])
    rows = [row for row in seen["rows"] if row["class"] == "idle"]
    expect(len(rows) == 1 and rows[0]["name"] == "[idle]" and rows[0]["samples"] == idle, rows)
    text = profil("report", PATH).text
    expect(f"+ {idle:,} idle\n" in text, text)
    expect("on all CPUs" in text, text)
    apart = [row for row in report(PATH, "--by", "cpu")["rows"] if row["name"].endswith("[idle]")]
    expect(sum(row["samples"] for row in apart) == idle, apart)


def idle_seconds():
    with open("/proc/stat") as stat:
        fields = stat.readline().split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")


def case_by_cpu():
    """--by cpu: work that is pinned to a CPU is that CPU's, and the rows are the CPUs."""
    need_program("go")
    whole = Whole("--by", "cpu")
    cpu = CPUS[-1]
    done = run(*worker("pinned-work", 0.5, cpu))
    whole.end()
    rows = report(PATH, "--by", "cpu")["rows"]
    expect({row["cpu"] for row in rows if "cpu" in row} <= set(range(ONLINE)), rows)
    expect(any(row["name"] == f"cpu {cpu}" and row["cpu"] == cpu for row in rows), rows)
    # Labels go through the pprof file: another program filters by them.
    raw = run("go", "tool", "pprof", "-symbolize=none", "-top", "-sample_index=samples", "-nodefraction=0",
              "-focus=pinned-work", f"-tagfocus=cpu={cpu}:{cpu}", PATH)
    expect(raw.status == 0, raw.words)
    focused = sum(int(line.split()[0]) for line in raw.text.splitlines()
                  if line.endswith(("spin_three", "spin_one")))
    rows = report(PATH, "--object", "pinned-work")["rows"]
    check_split(Measurement(done, PATH), rows=rows)
    expect(focused == sum(row["samples"] for row in rows if row["name"].startswith("spin_")),
           raw.text)


def cgroup_root():
    """Where control groups of version 2 are mounted."""
    need_root()
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            _, where, kind, *_ = line.split()
            if kind == "cgroup2" and os.access(where, os.W_OK):
                return where
    os.mkdir("cgroups")
    if run("mount", "-t", "cgroup2", "none", "cgroups").status == 0:
        return os.path.abspath("cgroups")
    raise Skip("needs control groups of version 2 that can be mounted")


class Group:
    """A control group of the case's own, and below it one for each worker."""

    def __init__(self, name):
        self.root = cgroup_root()
        self.path = os.path.join(self.root, name)
        os.makedirs(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.rmdir(self.path)
        if self.root == os.path.abspath("cgroups"):
            run("umount", "cgroups")

    def run(self, name, *command):
        """Run COMMAND in group NAME, which is gone afterwards."""
        group = os.path.join(self.path, name)
        os.mkdir(group)
        done = run("sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', group, *command)
        # The last thread may not have left it yet.
        wait_until("an empty group", lambda: removed(group))
        return done


def removed(group):
    try:
        os.rmdir(group)
    except OSError:
        return False
    return True


def case_by_cgroup():
    """--by cgroup: each group is a row by its path, though it is gone at the end; and so for run."""
    name = f"profil-test-{os.getpid()}"
    with Group(name) as group:
        whole = Whole("--by", "cgroup")
        dones = {part: group.run(part, *worker(f"work-{part}", seconds, CPUS[0]))
                 for part, seconds in (("a", 0.4), ("b", 0.3))}
        whole.end()
        rows = {row["cgroup"]: row["samples"] for row in report(PATH, "--by", "cgroup")["rows"]
                if "cgroup" in row}
        for part, done in dones.items():
            measurement = Measurement(done, PATH)
            due = sum(measurement.truth.seconds.values())
            least, _ = measurement.ticks_between(due, sum(measurement.truth.runs.values()))
            mine = sum(ticks for path, ticks in rows.items() if path.endswith(f"/{name}/{part}"))
            # Beside its work a process has its beginning and its end.
            check_between(f"ticks of group {part}", mine, least,
                          1.5 * due / measurement.period + 100 + measurement.stolen_ticks)
        done = profil("-q", "--no-report", *FAST, "--by", "cgroup", "-o", "run.pb.gz", "sh", "-c",
                      f'mkdir {group.path}/c; echo $$ >{group.path}/c/cgroup.procs; "$0" 0.2; '
                      f'echo $$ >{group.root}/cgroup.procs; rmdir {group.path}/c',
                      target("split"))
        expect(done.status == 0, done.words)
        whole = report("run.pb.gz", "--by", "cgroup")
        check_identity(whole)
        names = [row["name"] for row in whole["rows"] if row["samples"] > 100]
        expect(len(names) == 1 and names[0].endswith(f"/{name}/c"), whole["rows"])


def case_attach_by_cpu():
    """attach --by cpu shows on which CPU a process was, and its profile has no idle."""
    work = Running(worker("pinned-work", 30, CPUS[0]))
    running = Running([PROFIL, "attach", "-q", "--no-report", *FAST, "-o", PATH, "--by", "cpu", "-p",
                       str(work.pid)])
    wait_until("the clock", lambda: counting(running.pid))
    before = cpu_ticks_of(work.pid)
    wait_until("CPU time", lambda: cpu_ticks_of(work.pid) > before + 10)
    os.kill(running.pid, signal.SIGINT)
    done = running.wait()
    expect(done.status == 0 and not done.words, done.words)
    whole = report(PATH, "--by", "cpu")
    check_identity(whole)
    expect([row["name"] for row in whole["rows"]] == [f"cpu {CPUS[0]}"], whole["rows"])
    expect("idle" not in whole["classes"], whole["classes"])


def held(pid):
    """How many PID holds; one that it has open for a moment, such as a file whose unwind table it
    makes, is gone at another look."""
    looks = []
    for _ in range(10):
        looks.append(set(descriptors(pid).items()))
        time.sleep(0.01)
    return len(set.intersection(*looks))


def case_descriptors():
    """profil holds one descriptor a CPU and some fifty, whatever number of threads there are."""
    few = Whole()
    before = held(few.running.pid)
    few.end()
    need_program("python3")
    crowd = Running(["python3", "-c", """
import threading
for _ in range(300):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
"""])
    wait_until("300 threads", lambda: b"ready" in crowd.so_far())
    many = Whole()
    after = held(many.running.pid)
    many.end()
    expect(before == after, f"{before} descriptors, {after} with 300 threads more")
    expect(after <= ONLINE + 50, f"{after} descriptors for {ONLINE} CPUs")


def case_ends():
    """It ends at SIGINT, SIGTERM, SIGHUP and SIGQUIT, and when its time is over; the profile is
    written."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        Whole().end(number)
        os.unlink(PATH)
    begin = time.monotonic()
    done = system("--for", "300ms").wait()
    expect(done.status == 0 and time.monotonic() - begin >= 0.3, f"{done.status}: {done.words}")
    whole = report(PATH)
    check_identity(whole)
    check_between("duration", whole["facts"]["duration_ns"], 3e8, 60e9)
    expect(whole["facts"]["command"] == "the whole machine", whole["facts"]["command"])
    check_files(PATH)


def case_snapshot():
    """SIGUSR1 and --every write the profile so far, whose accounts balance, too."""
    whole = Whole("--every", "200ms")
    wait_until("a snapshot", lambda: os.path.exists(PATH))
    seen = report(PATH)
    check_identity(seen)
    expect(seen["facts"]["partial"] is True, seen["facts"])
    expect(whole.end()["facts"]["partial"] is False, "the last is a snapshot")


def case_others_are_refused():
    """For any user but root it is one line and 125, though profil's file carries capabilities, and
    though only one of the two user numbers is root's."""
    need_root()
    need_program("setpriv", "setcap")
    os.mkdir("open")
    os.chmod("open", 0o777)
    shutil.copy(PROFIL, "open/profil")
    run("setcap", "cap_bpf,cap_perfmon,cap_syslog,cap_sys_admin+ep", "open/profil")
    # Two user numbers are refused to whatever command, as profil's file had a set-user-ID bit.
    for who, word in ((AS_NOBODY, "root"), (("setpriv", "--ruid=65534"), "set-user-ID"),
                      (("setpriv", "--euid=65534"), "set-user-ID")):
        check_error(run(*who, "./profil", "system", "--for", "100ms", cwd="open"), 125, word)
    expect(os.listdir("open") == ["profil"], os.listdir("open"))


def case_wrong():
    """What it cannot do is one line and 125, and no file."""
    need_root()
    need_counting()
    for options, word in ((("true",), "'true'"), (("--clock", "task"), "--clock task"),
                          (("--engine", "perf"), "perf engine"), (("--for", "0s"), "--for")):
        check_error(profil("system", *options), 125, word)
    check_error(profil("--engine", "perf", "--by", "cpu", "true"), 125, "--by-cpu")
    check_error(profil("--engine", "perf", "--by-cgroup", "true"), 125, "--by-cgroup")
    check_files()


# A container in small: a mount namespace with a root of its own, in which /bin/cat is another.
CONTAINER = """
    [ -e root ] || mkdir root
    mount -t tmpfs root root; cd root; mkdir bin old
    for name in usr lib lib64; do
        [ ! -e "/$name" ] || { mkdir "$name"; mount --rbind "/$name" "$name"; }
    done
    cp "$1" bin/cat
    pivot_root . old; cd /
    exec /bin/cat "$2"
"""


def contain(seconds):
    need_program("unshare", "pivot_root")
    return Running(["unshare", "-m", "--propagation", "private", "sh", "-ec", CONTAINER, "sh",
                    os.path.abspath("made"), str(seconds)])


def rows_of_container():
    return [row for row in report(PATH)["rows"] if row["path"] == "/bin/cat"]


def case_container():
    """A container's program is named from the file it has there, not from the one that is called so
    here; once the container is gone, by its address and a line that says why."""
    shutil.copy(target("split"), "made")
    whole = Whole()
    container = contain(20)
    wait_until("work", lambda: comm(container.pid) == "cat" and cpu_ticks_of(container.pid) > 50)
    whole.end()
    names = {row["name"]: row["samples"] for row in rows_of_container()}
    check_least("ticks of spin_one", names.get("spin_one", 0), 100)
    check_least("ticks of spin_three", names.get("spin_three", 0), names["spin_one"])
    container.process.kill()
    container.wait()

    whole = Whole()
    done = contain(0.3).wait()
    expect(done.status == 0, done.words)
    seen = whole.end()
    rows = rows_of_container()
    check_least("ticks of the container", sum(row["samples"] for row in rows), 500)
    expect(all(row["name"].startswith("cat+0x") for row in rows), f"guessed names: {rows}")
    notes = [note["note"] for note in seen["notes"] if note["path"] == "/bin/cat"]
    expect(notes and all("mount namespace" in note for note in notes), seen["notes"])


def comm(pid):
    with open(f"/proc/{pid}/comm") as name:
        return name.read().strip()


def case_stacks():
    """The whole machine with call stacks: the account is whole, a program's functions have their callers, and idle CPUs
    were called by nobody."""
    whole = Whole("-g")
    expect(run("./" + shutil.copy(target("stacks-O2"), "worker"), "3").status == 0, "worker")
    shown = whole.end()
    expect(sum(shown["stacks"].values()) == shown["total"], f"{shown['stacks']}")
    tree = json.loads(profil("tree", "--json", "--min", "0%", "--comm", "worker", PATH).text)
    paths, names = {}, []
    for row in tree["rows"]:
        names[row["depth"]:] = [row["function"]]
        if row["object"] == "worker" and row["self"]:
            paths[tuple(names)] = row["self"]
    # Until its table is there, which takes as long as profil must wait for a CPU, a file's callers are cut.
    cut = sum(count for path, count in paths.items() if path[0] == "[truncated]")
    expect(all(path[:2] in (("_start", "__libc_start_main"), ("clone3", "start_thread")) for path in paths
               if path[0] != "[truncated]") and 2 * cut < sum(paths.values()), f"{paths}")
    idle = json.loads(profil("tree", "--json", "--function", "idle", PATH).text)
    expect(idle["shown"] == 0 or idle["rows"][0]["depth"] == 0, f"{idle['rows'][:1]}")


def case_idle_is_no_code():
    """What is idle is shown as a row, and neither drawn as text nor annotated as a function."""
    Profile().write("idle.pb", [("/bin/a", "", 0x1000, 0x2000, 0x1000), ("[idle]", "", 0, 1 << 62, 0)],
                    [(0, 0x1010, "work", "a.c", 3, 40), (1, 0, "", "", 0, 100)])
    whole = report("idle.pb")
    expect(whole["classes"]["idle"] == 100, whole["classes"])
    expect(whole["rows"][0]["name"] == "[idle]", whole["rows"])
    annotated = profil("annotate", "idle.pb").text
    expect("work in a" in annotated and "[idle] in" not in annotated, annotated)
    drawn = profil("hist", "idle.pb").text
    expect("140 samples = 40 above + 100 without an address" in drawn, drawn)


def case_carried_on():
    """merge adds idle ticks and CPUs up, diff and hist show such profiles, and export takes them as
    far as each format can."""
    for name in ("one", "two"):
        whole = Whole("--by-cpu")
        run(*worker("pinned-work", 0.2, CPUS[0]))
        whole.end()
        os.rename(PATH, f"{name}.pb.gz")
    one, two = report("one.pb.gz"), report("two.pb.gz")
    done = profil("merge", "one.pb.gz", "two.pb.gz", "-o", "sum.pb.gz")
    expect(done.status == 0, done.words)
    both = report("sum.pb.gz")
    check_identity(both)
    for key in both["classes"]:
        expect(both["classes"][key] == one["classes"].get(key, 0) + two["classes"].get(key, 0), key)
    for key in ("machine_ns", "idle_ns", "cpu_ns"):
        expect(both["facts"][key] == one["facts"][key] + two["facts"][key], key)

    def cpus(path):
        return {row["name"]: row["samples"] for row in report(path, "--by", "cpu")["rows"]}
    for name, ticks in cpus("sum.pb.gz").items():
        expect(ticks == cpus("one.pb.gz").get(name, 0) + cpus("two.pb.gz").get(name, 0), name)
    done = profil("diff", "--json", "one.pb.gz", "two.pb.gz")
    expect(done.status == 0, done.words)
    json.loads(done.text)
    for command in (("hist",), ("annotate",), ("report", "--csv"), ("report", "--by", "object")):
        done = profil(command[0], "one.pb.gz", *command[1:])
        expect(done.status == 0, f"{command}: {done.words}")
    for form in ("pprof", "folded", "callgrind", "speedscope", "firefox", "perf-script"):
        done = profil("export", "--to", form, "-o", f"one.{form}", "one.pb.gz")
        expect(done.status == 0, f"{form}: {done.words}")
        with open(f"one.{form}", "rb") as exported:
            has_idle = b"[idle]" in exported.read()
        expect(form == "pprof" or has_idle == ("idle" in one["classes"]), f"{form}: {has_idle}")
    expect(report("one.pprof", "--by", "cpu")["rows"] == report("one.pb.gz", "--by", "cpu")["rows"],
           "pprof: other CPUs")
