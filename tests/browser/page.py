# SPDX-License-Identifier: BSD-2-Clause
"""A page in a browser, and what holds for every one."""

import os

from browser import Browser
from command import expect, profil, target
from measure import FAST, take

# The sums of what the page shows: numbers, and lists of what is said and what is added up.
SUMS = """
const ticks = list => Array.from(list, item => Number(item.dataset.samples));
const sum = list => ticks(list).reduce((a, b) => a + b, 0);
const all = selector => document.querySelectorAll(selector);
return {
	classes: Object.fromEntries(Array.from(all("#summary tbody tr"), row =>
		[row.cells[0].textContent, Number(row.querySelector("[data-samples]").dataset.samples)])),
	total: sum(all("#summary tfoot [data-samples]")),
	rows: sum(all("#rows tbody tr")) + sum(all("#rest")),
	row_count: all("#rows tbody tr").length,
	said: sum(all("#sum")),
	objects: Array.from(all("#hist .object"), object =>
		[Number(object.dataset.samples), sum(object.querySelectorAll("tbody tr"))]),
	functions: Array.from(all("#code .function"), item => [
		Number(item.querySelector(".about").textContent.split(" ")[0].replaceAll(",", "")),
		...Array.from(item.querySelectorAll("table"), table =>
			sum(table.querySelectorAll("tr[data-samples]")))]),
	without: Array.from(all("#code .without li"), item =>
		[Number(item.dataset.count), Number(item.dataset.samples)]),
	names: Array.from(all("#rows tbody .f code"), name => name.textContent),
};
"""


def make(*arguments, output="profil.html"):
    """A page; its size is what profil says of it."""
    done = profil("html", "-o", output, *arguments)
    expect(done.status == 0 and not done.stderr, f"{arguments}: {done.status}: {done.words}")
    expect(done.text.startswith(f"{output}: ") and done.text.count("\n") == 1, done.text)
    return done.text


def check_sums(browser, found):
    """What the page adds up to is what the report FOUND says."""
    sums = browser.do(SUMS)
    total = found["identity"]["samples"]
    expect(sums["classes"] == found["classes"], f"{sums['classes']}, not {found['classes']}")
    expect(sums["total"] == total == sum(sums["classes"].values()), f"{sums['total']}, not {total}")
    if found["row_count"]:
        expect(sums["said"] == sums["rows"] == found["total"],
               f"{sums['rows']} in rows, {sums['said']} said, not {found['total']}")
    for said, *parts in sums["objects"] + sums["functions"]:
        expect(set(parts) == {said}, f"{said} ticks said, {parts} in rows")
    return sums


def check_quiet(browser, path):
    """The console was told nothing, and nothing but the page was fetched."""
    expect(browser.words() == [], "the console has words")
    others = [url for url in browser.requests()
              if url != "file://" + os.path.abspath(path) and not url.startswith("data:")]
    expect(not others, f"fetched: {others}")


def check_page(found, *arguments, most=4 << 20, browser=None):
    """The whole of it: sums, silence, size.  Returns the browser on the page, and the sums."""
    make(*arguments)
    size = os.path.getsize("profil.html")
    expect(size < most, f"{size} bytes")
    browser = browser or Browser()
    browser.requests()
    browser.open_file("profil.html")
    sums = check_sums(browser, found)
    check_quiet(browser, "profil.html")
    return browser, sums


def take_some(*options):
    """A program, its library, the kernel; what else runs meanwhile is not looked at."""
    return take("sh", "-c", '"$1" 0.3; "$2" "$3"; head -c 200M /dev/zero >/dev/null', "sh",
                target("split"), target("split-dlopen"), target("libspin.so"),
                options=(*FAST, *options), cpu=False)
