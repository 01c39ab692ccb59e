# SPDX-License-Identifier: BSD-2-Clause
"""Without the privilege to count in the kernel: one line that says what is missing and the one
command that would change it (test_truth.py has what works without).  With no more than that
privilege: everything works."""

import os
import shutil

from command import (AS_NOBODY, PROFIL, check_error, expect, need_program, need_root, report, run,
                     target)
from measure import FAST, check_identity


def as_nobody(*arguments, capabilities=""):
    """Run profil as nobody, in a directory that nobody may write to, with CAPABILITIES only."""
    need_root()
    need_program("setpriv")
    os.makedirs("open", exist_ok=True)
    os.chmod("open", 0o777)
    keep = [f"--inh-caps={capabilities}", f"--ambient-caps={capabilities}"] if capabilities else []
    # The build directory may be closed to others: profil and the target are brought along.
    shutil.copy(PROFIL, "open/profil")
    shutil.copy(target("split"), "open/split")
    return run(*AS_NOBODY, *keep, "./profil", *arguments, cwd="open")


def case_none():
    """As nobody, asked to count in the kernel: one line with the setcap command, 125, the program
    does not run."""
    done = as_nobody("--engine", "kernel", "touch", "ran")
    check_error(done, 125, "setcap")
    for word in ("cap_bpf", "cap_perfmon", "profil"):
        expect(word in done.words.lower(), f"does not name {word}: {done.words}")
    expect(not os.path.exists("open/ran") and not os.path.exists("open/profil.pb.gz"), "a file")


def case_one_is_missing():
    """With one capability of the two, the line names the one that is missing."""
    check_error(as_nobody("--engine", "kernel", "true", capabilities="+bpf"), 125, "CAP_PERFMON")
    check_error(as_nobody("--engine", "kernel", "true", capabilities="+perfmon"), 125, "CAP_BPF")


def case_enough():
    """CAP_BPF and CAP_PERFMON are enough for a user who is not root."""
    done = as_nobody("-q", "--no-report", *FAST, "./split", "0.3", capabilities="+bpf,+perfmon")
    expect(done.status == 0, f"{done.status}: {done.words}")
    whole = report("open/profil.pb.gz")
    check_identity(whole)
    ticks = {row["name"]: row["samples"] for row in whole["rows"]}
    expect(ticks["spin_three"] > 2 * ticks["spin_one"] > 0, f"{whole['rows'][:4]}")


def case_file_capabilities():
    """A profil that was given the capabilities by setcap works for everybody."""
    need_program("setcap")
    as_nobody("--version")
    given = run("setcap", "cap_bpf,cap_perfmon+ep", "open/profil")
    expect(given.status == 0, given.words)
    done = run(*AS_NOBODY, "./profil", "-q", "--no-report", "./split", "0.3", cwd="open")
    expect(done.status == 0, f"{done.status}: {done.words}")
    check_identity(report("open/profil.pb.gz"))


def case_program_has_no_more():
    """The program gets none of profil's capabilities."""
    need_program("setcap")
    as_nobody("--version")
    run("setcap", "cap_bpf,cap_perfmon+ep", "open/profil")
    done = run(*AS_NOBODY, "./profil", "-q", "--no-report", "grep", "-E", "Cap(Eff|Prm|Amb)",
               "/proc/self/status", cwd="open")
    values = [int(line.split()[1], 16) for line in done.text.splitlines()]
    expect(len(values) == 3 and not any(values), f"{done.text} {done.words}")


def case_reading_needs_nothing():
    """Reading a profile needs no privilege."""
    as_nobody("-q", "--no-report", "./split", "0.2", capabilities="+bpf,+perfmon")
    done = run(*AS_NOBODY, "./profil", "report", cwd="open")
    expect(done.status == 0 and "spin_three" in done.text, f"{done.status}: {done.words}")
    os.remove("open/profil.pb.gz")
