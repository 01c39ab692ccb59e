# SPDX-License-Identifier: BSD-2-Clause
"""profil.service: what systemd lets it do is what it needs."""

import json
import os
import re
import socket

from command import (PROFIL, Running, Skip, expect, need_counting, need_program, need_root, report, run, target,
                     wait_until)
from measure import check_identity
from serving import HTML, Asked, Served
from test_serve_kept import NAMES, end
from test_serve_live import free_port

UNITS = os.path.join(os.path.dirname(PROFIL), "systemd")
SYSTEMD = "/lib/systemd/systemd"

# A machine of its own: a systemd with no unit but those, and a program that works.
MACHINE = """
mount --make-rprivate / && mount -t proc proc /proc && mount --bind /proc/sys /proc/sys &&
mount -o remount,ro,bind /proc/sys && mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system /run/lock /run/profil &&
cp units/* /run/systemd/system && mount --bind "$1" /run/profil && mount --bind lib /var/lib || exit
"$2" 1000000 &
container=lxc exec {systemd} --system --unit=profil.service --show-status=0 --log-target=null
""".format(systemd=SYSTEMD)


def case_as_a_service():
    """What systemd says of the unit's confinement; and with no capability but the unit's, at a socket that it is handed, the
    whole machine is measured."""
    need_root()
    need_counting()
    need_program("systemd-analyze", "setpriv")
    unit = os.path.join(os.path.dirname(PROFIL), "systemd", "profil.service")
    level = re.search(r"exposure level for profil.service: ([0-9.]+)",
                      run("systemd-analyze", "security", "--no-pager", "--offline=true", unit).text)
    expect(level and float(level[1]) <= 2.0, f"{level}")
    with open(unit) as file:
        kept = re.search(r"^CapabilityBoundingSet=(.*)", file.read(), re.MULTILINE)[1].lower().replace("cap_", "+").split()
    confined = ["setpriv", "--no-new-privs", "--inh-caps", "-all", "--bounding-set", ",".join(["-all", *kept])]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        served = Served("-a", "--every", "1s", "-d", "kept", listen=f"fd:{listening.fileno()}", before=confined,
                        pass_fds=[listening.fileno()])
        expect(served.port == listening.getsockname()[1], served.url)
    wait_until("two", lambda: os.path.exists("kept") and len([name for name in os.listdir("kept") if NAMES.fullmatch(name)]) >= 2)
    served.get("/", HTML)
    done = end(served)
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    found = report(os.path.join("kept", sorted(os.listdir("kept"))[1]))
    check_identity(found)
    expect(found["total"] > 300 and found["facts"]["machine_ns"], f"{found['total']} samples")


def write_units(port):
    """Those that are shipped, at PORT and with short intervals, without what a whole machine begins with."""
    os.makedirs("units")
    for name, source in (("profil.service", os.path.join(UNITS, "profil.service")),
                         ("profil.socket", os.path.join(os.path.dirname(__file__), "../../systemd/profil.socket"))):
        with open(source) as file:
            unit = file.read().replace("[Unit]", "[Unit]\nDefaultDependencies=no").replace(":7997", f":{port}")
        unit = re.sub(r"ExecStart=\S+/profil", "ExecStart=/run/profil/profil", unit).replace("--every 1m", "--every 3s")
        unit = unit.replace("[Service]", f"[Service]\nStandardOutput=file:{os.getcwd()}/out\nStandardError=file:{os.getcwd()}/err")
        with open(os.path.join("units", name), "w") as file:
            file.write(unit)


def case_under_systemd():
    """Begun by systemd with all that the unit forbids, it measures the whole machine, serves its files, and has the names of
    others' programs and of the kernel's functions."""
    need_root()
    need_counting()
    need_program("unshare")
    if not os.path.exists(SYSTEMD):
        raise Skip("needs systemd")
    port = free_port()
    write_units(port)
    os.makedirs("lib/profil")
    machine = Running(["unshare", "--pid", "--fork", "--mount", "--uts", "--cgroup", "--kill-child", "sh", "-c", MACHINE, "sh",
                       os.path.dirname(PROFIL), target("split")])
    kept = os.path.join("lib", "profil")

    def names():
        return sorted(name for name in os.listdir(kept) if NAMES.fullmatch(name))

    wait_until("two intervals", lambda: len(names()) > 2 or machine.process.poll() is not None)
    expect(machine.process.poll() is None, machine.so_far())
    with open("out") as out, open("err") as err:
        url, said = out.read(), err.read()
    expect(not said, said)
    asked = Asked(url)
    # As it is named there.
    found = json.loads(asked.get(f"/profile/{names()[1]}/report.json"))
    check_identity(found)
    expect(any((row["object"], row["name"]) == ("split", "spin_three") for row in found["rows"]), f"no names: {found['rows'][:20]}")
    # Code that is gone when names are sought, as of a BPF program, has none.
    kernel = {named: sum(row["samples"] for row in found["rows"] if row["object"] == "[kernel]" and
                         row["name"].startswith("[kernel]+0x") != named) for named in (False, True)}
    expect(kernel[True] > 10 * kernel[False], f"samples of the kernel's functions, by whether they have a name: {kernel}")
    expect(b"spin_three" in asked.get("/live/report.txt") and b"spin_three" in asked.get("/metrics") and asked.get("/", HTML),
           "nothing is served")
    machine.end()
