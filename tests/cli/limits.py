# SPDX-License-Identifier: BSD-2-Clause
"""How far a right count may lie from the truth.

Every limit here is broken by a right profiler less than once in a million checks (ALPHA), so that a
broken one means a fault.  What a limit takes for granted is said beside it.
"""

import math

ALPHA = 1e-6

# A virtual machine's interrupts can come late by more than a period when its host runs something
# else, and a late timer is not made up for.  The product's own promise is 0.5 %.
LATE = 0.005

# The two clocks, the one that ticks and the one that measures CPU time, are steered apart by NTP by
# at most 500 ppm, and the thread's clock is read a little outside the work.
EARLY = 0.001


# How often a measurement whose counts are off is repeated at most.
REPEATS = 2

# What was repeated since run.py last looked.
repetitions = []


class OffLimits(AssertionError):
    """A count that lies too far from the truth: profil's fault, or that of a machine which was held
    up meanwhile."""


class StillOff(AssertionError):
    """A count that lies too far from the truth each time: nothing repeats it once more."""


def repeated(measure, *arguments):
    """MEASURE(*ARGUMENTS), repeated where a count is off its limits, and for no other reason.

    A virtual machine has moments in which no limit can hold.  Clocks tick on while the host has the
    CPU, and CPU time stands still; or the CPU stands still, unsaid, and of all the ticks that were due
    meanwhile it gets one.  The host mostly does not own to that (/proc/stat, "steal"), so that a
    repetition does not depend on it.  By chance a limit is broken once in a million checks (ALPHA) or
    less, REPEATS + 1 times in a row never: what is off each time is a fault."""
    for left in reversed(range(REPEATS + 1)):
        try:
            return measure(*arguments)
        except OffLimits as fault:
            if not left:
                raise StillOff(str(fault)) from fault
            repetitions.append(str(fault))
    return None


def ticks_off(due, runs):
    """By how many ticks a count may differ from DUE = CPU time / period, over RUNS separate runs.

    The clock of a CPU does not know when a task runs: at each run its phase is uniform, so a run of
    length L holds floor(L / P) ticks, or one more with probability f = frac(L / P).  The difference
    from the expected number is bounded by 1 and has variance f (1 - f) <= min(1/4, L / P).  Over
    independent runs the sum's variance is V <= min(RUNS / 4, DUE), and
      Hoeffding:  P(|off| >= t) <= 2 exp(-2 t^2 / RUNS)
      Bernstein:  P(|off| >= t) <= 2 exp(-(t^2 / 2) / (V + t / 3))
    both of which are solved for t at ALPHA; the smaller t is the limit.  Neighbouring runs on one
    CPU are not independent: their errors cancel, which only makes the sum smaller.
    """
    if runs <= 0:
        return 0.0
    log = math.log(2 / ALPHA)
    variance = min(runs / 4, due)
    hoeffding = math.sqrt(runs * log / 2)
    bernstein = log / 3 + math.sqrt(log * log / 9 + 2 * variance * log)
    # One run is off by less than one tick, ten by less than ten, whatever chance does.
    return min(runs, hoeffding, bernstein)


def ticks_between(seconds, period, runs, elsewhere=0):
    """The least and the most ticks that SECONDS of CPU time in RUNS runs may have got.

    ELSEWHERE are ticks that may rightly have been charged to something else though the program's
    clock counts them here: the kernel's, which interrupts the work (softirqs, faults).
    """
    due = seconds / period
    off = ticks_off(due, runs)
    return due * (1 - LATE) - off - elsewhere, due * (1 + EARLY) + off


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def binomial_tail(seen, total, share):
    """P(|X - total share| >= |seen - total share|), X binomial: exact, summed term by term."""
    if share <= 0 or share >= 1:
        return 1.0 if seen == round(total * share) else 0.0
    expected = total * share
    distance = abs(seen - expected) * (1 - 1e-12)
    return sum(math.exp(log_choose(total, k) + k * math.log(share)
                        + (total - k) * math.log1p(-share))
               for k in range(total + 1) if abs(k - expected) >= distance)


def check_between(what, value, least, most):
    if not least <= value <= most:
        raise OffLimits(f"{what}: {value} is not between {least:.2f} and {most:.2f}")


def check_least(what, value, least):
    check_between(what, value, least, math.inf)


def check_share(what, seen, total, share, together=0):
    """SEEN of TOTAL ticks fell where the work spent SHARE of its time.  Ticks that are drawn anew
    by work of random length are at most as scattered as a binomial's; but TOGETHER of them may have
    come all at once, as those of stolen time do: so many of SEEN may be too many or too few."""
    expected = total * share
    near = min(max(expected, seen - together * (1 - share)), seen + together * share)
    chance = binomial_tail(near, total, share)
    if chance < ALPHA:
        raise OffLimits(f"{what}: {seen} of {total} ticks for a share of {share:.4f}: "
                        f"the chance of that is {chance:.1e}")
