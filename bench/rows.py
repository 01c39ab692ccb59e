# SPDX-License-Identifier: BSD-2-Clause
"""The one table that every measurement adds its rows to."""

import sys

ROWS = []
LEFT_OUT = {}


def row(what, value, unit, limit=None, beside="", least=False):
    """Keep one row; LIMIT is the largest VALUE that passes (LEAST: the smallest), None for a row
    that only tells."""
    verdict = None if limit is None else value >= limit if least else value <= limit
    ROWS.append({"what": what, "value": value, "unit": unit, "limit": limit, "least": least,
                 "pass": verdict, "beside": beside})
    print(f"bench: {what}: {value:.4g} {unit}", file=sys.stderr)


def leave_out(what, why):
    """WHAT cannot be measured on this machine; said once, under the table."""
    LEFT_OUT.setdefault(what, why)


def print_table(machine):
    print(", ".join(f"{name}: {value}" for name, value in machine.items()))
    if machine["load"] > 0.5:
        print("others were at work on this machine: the figures are rough")
    wide = max((len(each["what"]) for each in ROWS), default=0)
    for each in ROWS:
        sign = ">=" if each["least"] else "<="
        limit = "" if each["limit"] is None else f"{sign} {each['limit']:.4g}"
        verdict = {None: "", True: "PASS", False: "FAIL"}[each["pass"]]
        print(f"{each['what']:{wide}}  {each['value']:9.4g} {each['unit']:8} {limit:9} {verdict:4}"
              f"  {each['beside']}".rstrip())
    for what, why in LEFT_OUT.items():
        print(f"left out: {what}: {why}")
