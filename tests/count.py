#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Count tests: count.py LOG...

Each LOG is a testlog.json of Meson or a TAP file.  A TAP test counts each of its subtests, another
counts as one.  What failed or was skipped is named, with the last that it said; a skip counts as a
failure, for a test that is not run proves nothing.  The last line is "N passed, N failed", and the
status 1 when one failed.
"""

import json
import re
import sys

# Lines of a failure's words that are shown: a traceback ends with what was wrong.
LAST_LINES = 12

SUBTEST = re.compile(r"^(not )?ok\b *\d*(?: *-)? *([^#]*)(?:# *(\w+))?")


def subtests(text):
    """Yield (name, outcome, words) of every top-level TAP line in TEXT and the comments below it."""
    found = []
    for line in text.splitlines():
        match = SUBTEST.match(line)
        if match:
            directive = (match[3] or "").lower()
            outcome = "skipped" if directive.startswith("skip") else "failed" if match[1] else "passed"
            found.append((match[2].strip(), outcome, []))
        elif found and line.startswith("#"):
            found[-1][2].append(line)
    yield from found


def meson_test(record):
    """Yield (name, outcome, words) of one test of Meson, its subtests where it has any."""
    name, result, output = record["name"], record["result"], record.get("stdout", "")
    words = f'{output}\n{record.get("stderr", "")}'.splitlines()
    found = list(subtests(output)) if re.search(r"^1\.\.\d+", output, re.M) else []
    for subtest, outcome, below in found:
        yield f"{name}: {subtest}", outcome, below
    bad = [outcome for _, outcome, _ in found if outcome != "passed"]
    if result in ("OK", "EXPECTEDFAIL"):
        if not found:
            yield name, "passed", []
    elif not bad:
        # It failed outside its subtests: a crash, a timeout, a broken plan.
        yield name, "skipped" if result == "SKIP" else f"failed ({result})", words


def outcomes(path):
    """Yield (name, outcome, words) of all tests that PATH tells of; a log without one is a failure."""
    count = 0
    try:
        with open(path, encoding="utf-8") as log:
            text = log.read()
    except OSError as error:
        yield f"{path}: {error.strerror}", "failed", []
        return
    records = ([json.loads(line) for line in text.splitlines() if line]
               if path.endswith(".json") else None)
    for test in (subtests(text) if records is None else
                 (outcome for record in records for outcome in meson_test(record))):
        count += 1
        yield test
    if not count:
        yield f"{path}: no test ran", "failed", []


def main(paths):
    passed = failed = 0
    for path in paths:
        for name, outcome, words in outcomes(path):
            if outcome == "passed":
                passed += 1
            else:
                failed += 1
                print(f"{outcome}: {name}")
                for line in words[-LAST_LINES:]:
                    print(f"    {line}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
