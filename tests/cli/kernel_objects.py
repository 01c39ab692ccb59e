# SPDX-License-Identifier: BSD-2-Clause
"""What the kernel holds for those who count: BPF programs, maps and links, and perf events."""

import contextlib
import glob
import json
import os
import re

from command import expect, need_program, run, wait_until

HELD = re.compile(r"^(prog|map|link)_id:\s*(\d+)$", re.MULTILINE)


def bpf_objects():
    """(kind, number) of each."""
    found = set()
    for kind in ("prog", "map", "link"):
        done = run("bpftool", "--json", kind, "show")
        expect(done.status == 0, f"bpftool {kind} show: {done.words}")
        found |= {(kind, each["id"]) for each in json.loads(done.text)}
    return found


def held_by_somebody():
    """Those that a living thread has a descriptor of; libprofil's has a table of its own."""
    held = set()
    for path in glob.glob("/proc/[0-9]*/task/*/fdinfo/*"):
        with contextlib.suppress(OSError):  # gone meanwhile
            with open(path) as info:
                held |= {(kind, int(number)) for kind, number in HELD.findall(info.read())}
    return held


def held_in(path):
    """The kind and the number of the BPF object that PATH, of /proc/PID/fdinfo, is of; None: of none."""
    with contextlib.suppress(OSError), open(path) as info:
        return HELD.search(info.read())


def names_held_by(pid):
    """What the BPF programs and maps that PID has open are called."""
    names = set()
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        found = held_in(path)
        if not found or found[1] == "link":
            continue
        done = run("bpftool", "--json", found[1], "show", "id", found[2])
        now = held_in(path)
        if done.status and (not now or now.groups() != found.groups()):
            continue  # it has been closed meanwhile
        expect(done.status == 0, f"bpftool {found[1]} show: {done.words}")
        names.add(json.loads(done.text)["name"])
    return names


def ticking_events():
    """How many perf events have a timer that runs."""
    with open("/proc/timer_list") as timers:
        return timers.read().count("perf_swevent_hrtimer")


def held_events():
    """How many perf events living threads have descriptors of."""
    return sum(is_event(path) for path in glob.glob("/proc/[0-9]*/task/*/fd/*"))


def is_event(path):
    try:
        return os.readlink(path) == "anon_inode:[perf_event]"
    except OSError:
        return False  # gone meanwhile


class KernelObjects:
    """What there is now, to see later that no more is left but what others have made."""

    def __init__(self):
        need_program("bpftool")
        self.objects = bpf_objects()
        self.events = ticking_events()

    def left(self):
        """What is there since, and nobody's; the kernel frees a little after an owner's end."""
        later = bpf_objects() - self.objects
        return later and later - held_by_somebody()

    def check_gone(self):
        wait_until("the end of all BPF objects", lambda: not self.left())
        wait_until("the end of all clocks", lambda: ticking_events() <= self.events
                   or ticking_events() <= held_events())
