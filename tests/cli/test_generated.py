# SPDX-License-Identifier: BSD-2-Clause
"""Code that a runtime makes while it runs: the real JVM and node, by the names that they write."""

import contextlib
import os

from command import (Running, cpu_ticks_of, expect, need_program, need_root, profil, report,
                     wait_until)
from limits import check_least
from maps import remove_maps_with
from measure import take

PATH = "profil.pb.gz"

JAVA = """
public class ProfilSpin {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static void main(String[] a) {
        long sum = 0;
        for (int i = 0; i < 4; i++)
            sum += fib(38);
        System.out.println(sum);
    }
}
"""

JAVASCRIPT = """
function profilSpin(n) { return n < 2 ? n : profilSpin(n - 1) + profilSpin(n - 2); }
for (let i = 0; i < ROUNDS; i++) profilSpin(35);
"""


def check_leader(whole, *names):
    """One of NAMES leads, and has more than half of what is not the kernel's."""
    rows = [row for row in whole["rows"] if row["class"] != "kernel"]
    leader = rows[0]
    expect(leader["class"] == "anonymous" and any(name in leader["name"] for name in names),
           f"leads: {leader}")
    ticks = sum(row["samples"] for row in rows if any(name in row["name"] for name in names))
    check_least(f"{names[0]}: ticks", ticks, 0.5 * sum(row["samples"] for row in rows))
    expect(not whole["generated"], f"generated: {whole['generated']}")


def compile_java():
    need_program("java", "javac")
    with open("ProfilSpin.java", "w") as file:
        file.write(JAVA)
    done = Running(["javac", "ProfilSpin.java"]).wait()
    expect(done.status == 0, done.words)


def case_java():
    """The JVM's map, whose numbers have 0x before them, names a Java method, and it leads."""
    compile_java()
    try:
        measurement = take("java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
                           "ProfilSpin", cpu=False)
    finally:
        remove_maps_with("ProfilSpin.fib")
    check_leader(measurement.report, "ProfilSpin.fib")


def case_node():
    """node's map names a JavaScript function, and it leads."""
    need_program("node")
    try:
        measurement = take("node", "--perf-basic-prof", "-e", JAVASCRIPT.replace("ROUNDS", "4"),
                           cpu=False)
    finally:
        remove_maps_with("profilSpin")
    check_leader(measurement.report, "profilSpin")


def case_node_without_map():
    """Where node wrote no map, the report says what makes it write one, once."""
    need_program("node")
    measurement = take("node", "-e", JAVASCRIPT.replace("ROUNDS", "1"), cpu=False)
    found = measurement.report["generated"]
    expect([(one["runtime"], one["flag"]) for one in found] == [("node", "--perf-basic-prof")],
           f"{found} {measurement.report['rows'][:5]}")
    ticks = sum(row["samples"] for row in measurement.report["rows"] if row["class"] == "anonymous")
    expect(found[0]["samples"] == ticks, f"{found}, {ticks} in generated code")
    words = profil("report", measurement.path).text
    expect(words.count("node names its code with --perf-basic-prof") == 1, words)


def only_child(pid):
    with contextlib.suppress(FileNotFoundError):
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            found = children.read().split()
        return int(found[0]) if len(found) == 1 else 0
    return 0


def case_container():
    """In a container the map has the container's number and is in its own /tmp: while the process
    lives it is found there."""
    need_root()
    need_program("node", "unshare")
    container = Running(["unshare", "--pid", "--fork", "--kill-child", "--mount", "sh", "-ec",
                         "mount -t tmpfs tmpfs /tmp; exec node --perf-basic-prof -e \"$1\"", "sh",
                         JAVASCRIPT.replace("ROUNDS", "1e9")])
    wait_until("the container", lambda: only_child(container.pid))
    pid = only_child(container.pid)
    # By then the function has its last compiled form: each round takes tenths of a second.
    wait_until("work", lambda: cpu_ticks_of(pid) > 150)
    expect(not os.path.exists(f"/tmp/perf-{pid}.map"), "the map is outside")
    done = profil("attach", "-q", "--no-report", "-p", str(pid), "--for", "1s", "-o", PATH)
    expect(done.status == 0, done.words)
    check_leader(report(PATH), "profilSpin")
