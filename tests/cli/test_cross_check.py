# SPDX-License-Identifier: BSD-2-Clause
"""Two engines that agree: --cross-check compares two runs, and so these run alone.  What it finds and
refuses is in test_perf.py."""

from command import PROFIL, Skip, expect, need_root, report, run, target
from engines import brought, paranoid
from limits import check_least
from measure import FAST
from rights import KERNEL


def case_cross_check():
    """--cross-check runs the program by two engines and says that they agree: two that do are said
    to differ once in twenty, five times in a row with a chance of 3e-7."""
    need_root()
    for _ in range(5):
        done = run(PROFIL, "--cross-check", *FAST, "-q", target("split"), "0.3")
        lines = done.words.splitlines()
        expect(all(line.startswith("profil: cross-check: ") for line in lines), done.words)
        expect(done.text.count("spin_three") == 2, f"not run twice: {done.text}")
        engines = [report(path)["facts"]["engine"]
                   for path in ("profil.pb.gz", "profil.perf.pb.gz")]
        expect(engines == ["kernel", "perf"], f"{engines}")
        if done.status == 0:
            break
    expect(done.status == 0 and "agree: 0 of" in lines[0] and len(lines) == 1, done.words)


def case_cross_check_of_what_one_sees():
    """Where perf_event_paranoid hides the kernel from one of both, that is no disagreement: the rest
    is compared, and that is said.  Five times in a row as above."""
    if paranoid() != 2:
        raise Skip(f"perf_event_paranoid is {paranoid()}, not 2")
    KERNEL.bring()
    script = f"{brought('kernel-heavy')}; {brought('split')} 0.5"
    for _ in range(5):
        done = KERNEL.profil("--cross-check", *FAST, "-q", "sh", "-c", script)
        if done.status == 0:
            break
    expect(done.status == 0 and " agree: 0 of" in done.words, done.words)
    expect("kernel's are left out, which the perf engine does not see" in done.words, done.words)
    check_least("ticks of the kernel's", report("profil.pb.gz")["classes"]["kernel"], 100)
