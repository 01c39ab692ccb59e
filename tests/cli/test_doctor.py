# SPDX-License-Identifier: BSD-2-Clause
"""What profil doctor says is so, and what works works."""

import json
import os
import re

from command import AS_NOBODY, check_error, expect, need_counting, profil, run
from engines import BPF, PERF_EVENT_OPEN, refuse
from test_privilege import as_nobody


def checks_of(done):
    found = json.loads(done.text)
    return found["works"], {row["item"]: row for row in found["checks"]}


def first_line(path):
    with open(path) as file:
        return file.readline().strip()


def case_everything_there():
    """With the privilege the engine is said to work, and does; what is read is quoted."""
    need_counting()
    done = profil("doctor", "--json")
    works, checks = checks_of(done)
    expect(done.status == 0 and works, f"{done.status}: {done.text}")
    expect(os.uname().release in checks["kernel"]["found"], checks["kernel"])
    paranoid = first_line("/proc/sys/kernel/perf_event_paranoid")
    expect(f"paranoid {paranoid})" in checks["perf events"]["found"], checks["perf events"])
    for item in ("BTF", "capabilities", "bpf", "perf events", "kernel engine", "perf engine",
                 "timer engine"):
        expect(checks[item]["verdict"] == "ok", checks[item])
    expect(profil("-q", "--no-report", "true").status == 0, "it works, and does not")
    os.unlink("profil.pb.gz")


def case_nothing_granted():
    """As nobody: what is missing is bad, with the command that would grant it; what needs none of it
    works where the machine lets it."""
    done = as_nobody("doctor", "--json")
    works, checks = checks_of(done)
    perf = int(first_line("/proc/sys/kernel/perf_event_paranoid")) <= 2
    expect(done.status == (0 if perf else 125) and works == perf, f"{done.status}: {done.text}")
    expect((checks["perf engine"]["verdict"] == "ok") == perf, checks["perf engine"])
    expect(checks["capabilities"]["verdict"] == "bad"
           and "setcap" in checks["capabilities"]["advice"], checks["capabilities"])
    expect(checks["bpf"]["verdict"] == "bad" or
           first_line("/proc/sys/kernel/unprivileged_bpf_disabled") == "0", checks["bpf"])
    expect(checks["kernel engine"]["verdict"] == "bad", checks["kernel engine"])


def case_no_new_privileges():
    """Capabilities of the file that cannot take effect are noticed."""
    as_nobody("--version")
    given = run("setcap", "cap_bpf,cap_perfmon+ep", "open/profil")
    expect(given.status == 0, given.words)
    _, checks = checks_of(run(*AS_NOBODY, "./profil", "doctor", "--json", cwd="open"))
    expect(checks["file"]["verdict"] == "ok" and checks["kernel engine"]["verdict"] == "ok", f"{checks}")
    expect(checks["capabilities"]["verdict"] == "ok"
           and "lent by profil's file" in checks["capabilities"]["found"], checks["capabilities"])
    # What setpriv itself may do is gone with one exec more.
    _, checks = checks_of(run(*AS_NOBODY, "--no-new-privs", "env", "./profil", "doctor", "--json",
                              cwd="open"))
    expect(checks["file"]["verdict"] == "bad" and checks["kernel engine"]["verdict"] == "bad",
           f"{checks}")


def case_refused():
    """What a filter refuses to who has all capabilities is no engine's, and the rest works."""
    need_counting()
    for call, rest in ((BPF, "perf engine"), (PERF_EVENT_OPEN, "timer engine")):
        done = profil("doctor", "--json", preexec_fn=lambda call=call: refuse(call))
        works, checks = checks_of(done)
        expect(checks["capabilities"]["verdict"] == "ok", checks["capabilities"])
        expect(checks["kernel engine"]["verdict"] == "bad"
               and "seccomp" in checks["kernel engine"]["found"], checks["kernel engine"])
        expect(works and checks[rest]["verdict"] == "ok", f"{checks}")


def case_for_eyes():
    """The text has a row for each check, with the same verdict, and ends with a sentence."""
    _, checks = checks_of(profil("doctor", "--json"))
    text = profil("doctor").text
    for item, row in checks.items():
        expect(re.search(rf"^{row['verdict']} +{re.escape(item)} +\S", text, re.M),
               f"{item}: {text}")
    expect(text.endswith("here.\n") or text.endswith("yet.\n"), text)


def case_wrong():
    """An operand and an unknown option are one line and 125."""
    check_error(profil("doctor", "me"), 125, "'me'")
    check_error(profil("doctor", "--fix"), 125, "--fix")
