# SPDX-License-Identifier: BSD-2-Clause
"""What profil exports for speedscope, in speedscope."""

import json
import os
import re
import shutil

from browser import Browser, serve
from command import Skip, expect, profil, report, target
from golden import DATA
from measure import take

SPEEDSCOPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node_modules",
                          "speedscope", "dist", "release")

# Its table has only the rows that are in view; the window is long enough for all.  A row has 20
# pixels.
ROW_HEIGHT = 25
ROWS = r"""
const rows = [];
for (const row of document.querySelectorAll("table tr")) {
	const cells = Array.from(row.cells, cell => cell.textContent.trim());
	if (cells.length === 3 && /^[\d,]+ \(/.test(cells[1]))
		rows.push([cells[0], cells[1], cells[2]]);
}
return rows;
"""


def shown_rows(path, title):
    """[(total, self, name)] of its table, of the profile in PATH, which is shown as TITLE; it says no error."""
    if not os.path.isdir(SPEEDSCOPE):
        raise Skip("needs speedscope: tools/setup test")
    shutil.copytree(SPEEDSCOPE, "speedscope")
    done = profil("export", "--to", "speedscope", "-o", "speedscope/ticks.json", path)
    expect(done.status == 0 and not done.words, done.words)
    with open("speedscope/ticks.json") as file:
        frames = len(json.load(file)["shared"]["frames"])
    browser = Browser(1280, 1000 + ROW_HEIGHT * frames)
    address = serve(os.path.abspath("speedscope"))
    browser.open(f"{address}/index.html#profileURL={address}/ticks.json&view=sandwich")
    browser.wait_for("the profile", f"return document.title.includes('{title}')")
    browser.press("3")  # the table
    browser.wait_for("the table", f"return (() => {{ {ROWS} }})().length > 0")
    rows = browser.do(ROWS)
    severe = [word for word in browser.words() if "rror" in word and "favicon" not in word]
    expect(not severe, f"{severe}")
    return rows


def ticks_in(cell):
    return int(re.match(r"[\d,]+", cell)[0].replace(",", ""))


def case_totals():
    """speedscope loads it without a word of error, and its table has the profile's total and each
    function's ticks as the report has them."""
    measurement = take("sh", "-c", '"$1" 0.3; "$2" "$3"', "sh", target("split"),
                       target("split-dlopen"), target("libspin.so"), cpu=False)
    total, found = 0, {}
    for whole, own, name in shown_rows(measurement.path, "split"):
        ticks = ticks_in(own)
        total += ticks
        found[name] = found.get(name, 0) + ticks
        share = float(re.search(r"\(([\d.]+)%\)", own)[1]) if "<" not in own else 0
        expect(abs(share - 100 * ticks / measurement.fired) < 1, f"{name}: {own} ({whole})")
    expect(total == measurement.fired, f"{total} ticks, not {measurement.fired}")
    for name, ticks in measurement.ticks("name").items():
        expect(found.get(name) == ticks, f"{name}: {found.get(name)}, not {ticks}")


def case_stacks():
    """Of call stacks its table has each function's self and total as the report has them, recursion
    counted once, and what was cut by its reason."""
    path = os.path.join(DATA, "profiles", "folded-stacks")
    shown, wanted = report(path, "-n", "0"), {}
    for row in shown["rows"]:
        one = wanted.setdefault(row["name"], [0, 0])
        one[:] = one[0] + row["samples"], one[1] + row["total"]["samples"]
    found = {name: [ticks_in(own), ticks_in(total)]
             for total, own, name in shown_rows(path, "profil")}
    cut = {name: counts for name, counts in found.items() if name.startswith("[truncated")}
    tree = json.loads(profil("tree", "--json", path).text)
    whole = tree["stacks"].pop("whole")
    expect(sum(total for _, total in cut.values()) == sum(tree["stacks"].values()) > 0
           and not any(own for own, _ in cut.values()) and whole > 0, f"{cut}, {tree['stacks']}")
    found = {name: counts for name, counts in found.items() if name not in cut}
    expect(found == wanted, f"{found}, not {wanted}")
