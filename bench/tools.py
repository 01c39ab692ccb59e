# SPDX-License-Identifier: BSD-2-Clause
"""Running things and looking at them while they run."""

import collections
import contextlib
import glob
import json
import os
import re
import shutil
import subprocess
import time

Cost = collections.namedtuple("Cost", "began ended cpu peak_kib status")


class Bench:
    """Where the built programs are, and a folder for what they write."""

    def __init__(self, build, folder):
        self.build = build
        self.folder = folder
        self.profil = os.path.join(build, "profil")
        self.perf = shutil.which("perf")

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, command, name="cost"):
        """Start COMMAND under measure, which keeps its figures in the file NAME."""
        return subprocess.Popen(
            [f"{self.build}/bench/measure", self.path(name), *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def cost(self, process, name="cost"):
        """Wait for PROCESS; its cost, what it printed and its words on stderr."""
        out, words = process.communicate()
        with open(self.path(name), encoding="ascii") as source:
            began, ended, cpu, peak = map(int, source.read().split())
        return Cost(began, ended, cpu, peak, process.returncode), out, words

    def run(self, command, name="cost"):
        cost, out, words = self.cost(self.start(command, name), name)
        if cost.status not in (0, 124):  # 124: timeout(1) did what it is for
            raise SystemExit(f"bench: {' '.join(command)[:200]}: status {cost.status}\n{words}")
        return cost, out, words

    def inner(self, command, name):
        """COMMAND as a measured program that keeps its own cost in the file NAME."""
        return [f"{self.build}/bench/measure", self.path(name), *command]

    def inner_cost(self, name):
        with open(self.path(name), encoding="ascii") as source:
            return Cost(*map(int, source.read().split()), 0)

    def profil_run(self, command, profile, *options):
        """Flat, as those it is compared with, unless OPTIONS have -g."""
        flat = () if "-g" in options else ("--flat",)
        return [self.profil, "run", "-q", "--no-report", "-o", self.path(profile), *flat, *options,
                "--", *command]

    def report(self, profile, *options):
        """The report of PROFILE as data."""
        _, out, _ = self.run([self.profil, "report", "--json", *options, self.path(profile)])
        return json.loads(out)

    def perf_record(self, command, data, *options):
        return [self.perf, "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", self.path(data),
                *options, "--", *command]

    def perf_samples(self, data):
        """How many samples are in DATA, by perf's own count."""
        out = subprocess.run([self.perf, "report", "-i", self.path(data), "--stats"],
                             capture_output=True, text=True, check=True).stdout
        return sum(int(count) for count in re.findall(r"SAMPLE events:\s+(\d+)", out)[:1])


def children_of(pid, name):
    """The pids of PID's children that run the program NAME now."""
    children, found = "", []
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as source:
            children = source.read()
    for child in children.split():
        with contextlib.suppress(OSError):  # gone, or a zombie
            if os.path.basename(os.readlink(f"/proc/{child}/exe")) == name:
                found.append(int(child))
    return found


def child_of(pid, name):
    """The pid of PID's child when it runs the program NAME; waits for it to appear."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for child in children_of(pid, name):
            return child
        time.sleep(0.01)
    raise SystemExit(f"bench: {name} did not start")


def status_value(pid, key):
    """A number of /proc/PID/status, or None when the process is gone."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as source:
            match = re.search(rf"^{key}:\s+(\d+)", source.read(), re.M)
            return int(match[1]) if match else None
    return None


def bpf_time(pid):
    """(nanoseconds, runs) of the BPF program that PID has at its clocks, as bpf_stats counts."""
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(OSError):
            with open(path, encoding="ascii") as source:
                facts = dict(line.split(":", 1) for line in source if ":" in line)
            if facts.get("prog_type", "").strip() == "7":  # BPF_PROG_TYPE_PERF_EVENT
                return int(facts["run_time_ns"]), int(facts["run_cnt"])
    return None


@contextlib.contextmanager
def bpf_stats():
    """Let the kernel time BPF programs, and put its switch back afterwards."""
    path = "/proc/sys/kernel/bpf_stats_enabled"
    with open(path, encoding="ascii") as source:
        before = source.read()
    try:
        with open(path, "w", encoding="ascii") as out:
            out.write("1")
        yield
    finally:
        with open(path, "w", encoding="ascii") as out:
            out.write(before)


def machine():
    """What the figures were taken on, as (name, value) pairs."""
    with open("/proc/cpuinfo", encoding="utf-8") as source:
        info = source.read()
    model = re.search(r"^model name\s*:\s*(.*)", info, re.M)
    return {
        "processor": model[1] if model else os.uname().machine,
        "cpus": os.cpu_count(),
        "virtual": " hypervisor" in info,
        "kernel": os.uname().release,
        "load": os.getloadavg()[0],
    }
