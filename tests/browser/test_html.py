# SPDX-License-Identifier: BSD-2-Clause
"""profil html: the page, in a real browser."""

import base64
import glob
import os
import shutil
import sys

import gmon
import pprof
from browser import Browser
from command import (PROFIL, Skip, check_error, check_files, expect, long, profil, report, run,
                     target)
from golden import DATA
from measure import FAST, take
from test_annotate import place, place_large

HERE = os.path.dirname(os.path.abspath(__file__))

# Small files of each format.
CORPUS = os.path.join(HERE, "..", "..", "fuzz", "corpus")
READERS = ("gmon", "gmon-4.4bsd", "gmon-bsd", "gperftools", "mon", "perf-script", "pprof")

# What DOS's own tests share.
sys.path.append(os.path.join(HERE, "..", "dos"))

# The sums of what the page shows: numbers, and lists of what is said and what is added up.
SUMS = """
const ticks = list => Array.from(list, item => Number(item.dataset.ticks));
const sum = list => ticks(list).reduce((a, b) => a + b, 0);
const all = selector => document.querySelectorAll(selector);
return {
	classes: Object.fromEntries(Array.from(all("#summary tbody tr"), row =>
		[row.cells[0].textContent, Number(row.querySelector("[data-ticks]").dataset.ticks)])),
	total: sum(all("#summary tfoot [data-ticks]")),
	rows: sum(all("#rows tbody tr")) + sum(all("#rest")),
	row_count: all("#rows tbody tr").length,
	said: sum(all("#sum")),
	objects: Array.from(all("#hist .object"), object =>
		[Number(object.dataset.ticks), sum(object.querySelectorAll("tbody tr"))]),
	functions: Array.from(all("#code .function"), item => [
		Number(item.querySelector(".about").textContent.split(" ")[0].replaceAll(",", "")),
		...Array.from(item.querySelectorAll("table"), table =>
			sum(table.querySelectorAll("tr[data-ticks]")))]),
	without: Array.from(all("#code .without li"), item =>
		[Number(item.dataset.count), Number(item.dataset.ticks)]),
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


def case_measured():
    """Of a run measured now, by either engine, every part of the page adds up to the accounting
    identity; the console is silent, and nothing is fetched."""
    browser = Browser()
    for engine in ("kernel", "perf"):
        measurement = take_some("--engine", engine)
        _, sums = check_page(measurement.report, browser=browser)
        expect({"spin_three", "spin_one"} <= set(sums["names"]), f"{sums['names']}")
        expect(sums["names"] == [row["name"] for row in measurement.report["rows"]],
               "another order")
        covered = sum(said for said, *_ in sums["functions"]) + sum(ticks for _, ticks in sums["without"])
        count = len(sums["functions"]) + sum(count for count, _ in sums["without"])
        at_address = sum(said for said, *_ in sums["objects"])
        expect(count == 12 or covered >= 0.8 * at_address,
               f"the code of {covered} of {measurement.fired} ticks")


ROWS = """return Array.from(document.querySelectorAll("#rows tbody tr:not([hidden])"),
	row => [row.querySelector(".f code").textContent, row.querySelector(".o").textContent,
		Number(row.dataset.ticks)])"""


def case_sorted_and_filtered():
    """Titles sort, by mouse and by keyboard; words filter and their ticks are told; / and Escape do
    what the manual says."""
    measurement = take_some()
    browser, _ = check_page(measurement.report)
    rows = browser.do(ROWS)
    ticks = [row[2] for row in rows]
    expect(len(rows) > 5 and ticks == sorted(ticks, reverse=True), f"not by ticks: {rows}")

    def sorted_by(key):
        return browser.do("return document.querySelector(arguments[0]).ariaSort",
                          f"#rows th[data-key={key}]")

    for key, column in (("name", 0), ("object", 1)):
        browser.click(f"#rows th[data-key={key}] button")
        now = [row[column].lower() for row in browser.do(ROWS)]
        # What an ASCII name begins with is in the order of its letters in any collation.
        letters = [name[0] for name in now if name[:1].isalpha()]
        expect(sorted_by(key) == "ascending" and letters == sorted(letters), f"{key}: {now}")
        browser.press("\ue007")  # Enter: the button has the focus
        again = [row[column].lower() for row in browser.do(ROWS)]
        letters = [name[0] for name in again if name[:1].isalpha()]
        expect(sorted_by(key) == "descending" and letters == sorted(letters, reverse=True), again)
    browser.click("#rows th[data-key=ticks] button")
    expect(browser.do(ROWS) == rows and sorted_by("name") is None, "not as it was")

    browser.do("document.activeElement.blur()")
    browser.press("/", *"SPIN libsp")
    shown = browser.do(ROWS)
    wanted = [row for row in rows if "spin" in (row[0] + row[1]).lower() and "libsp" in row[1]]
    expect(shown == wanted and wanted, f"{shown}, not {wanted}")
    told = browser.do("return document.getElementById('found').textContent")
    part = sum(row[2] for row in wanted)
    expect(f"{len(wanted)} of {len(rows)} rows, {part:,} samples" in told, told)
    browser.press("\ue00c")  # Escape
    expect(browser.do(ROWS) == rows, "the filter is not emptied")
    browser.type("#filter", "no such thing")
    expect(browser.do(ROWS) == [], "rows that do not match")
    check_quiet(browser, "profil.html")


FOLDED = """
const seen = selector => Array.from(document.querySelectorAll(selector)).filter(node => node.checkVisibility()).length;
return {rows: seen("#rows tbody tr"), code: seen("#code td"),
	open: document.querySelectorAll("#code .function[open]").length,
	functions: document.querySelectorAll("#code .function").length,
	links: document.querySelectorAll("#rows a").length};
"""


def place_many():
    """Twelve functions of known lines without code, one of the kernel, and sixteen without any; as a page."""
    cells = [(0, 16 * i, f"f{i}", "f.c", 10 + i, 100 - i) for i in range(12)]
    cells += [(0, 0x800 + 16 * i, f"cold{i}", "", 0, 1) for i in range(16)]
    cells.append((1, 0x20, "entry", "", 0, 150))
    pprof.write("many.pb", [("many", "", 0, 0x1000, 0), ("gone.so", "", 0, 0x1000, 0)], cells)
    make("--functions", "13", "many.pb")


def case_folded():
    """Ten rows and ten functions' code are open; a link opens what it leads to, and the filter finds what is
    folded.  Of code that is not here, of which only addresses are known, is a line and no link."""
    place_many()
    browser = Browser()
    # All that is clicked is in sight.
    browser.emulate(1280, 4000)
    browser.open_file("profil.html")
    state = browser.do(FOLDED)
    expect(state["rows"] == 10 and state["open"] == 10, f"{state}")
    expect(state["functions"] == state["links"] == 12, f"{state}")
    text = browser.do("return document.querySelector('#code .without').innerText")
    expect(text.startswith("gone.so: ") and "(1 function, 150 " in text and "\n" not in text, text)
    folded = "return document.getElementById('f12').parentElement.open"
    expect(browser.do(folded) is False, "the last function is open")
    browser.click("#more summary")
    expect(browser.do(FOLDED)["rows"] == 29, "rows stay folded")
    browser.click("#rows a[href='#f12']")
    expect(browser.do(folded), "the link does not open")
    browser.open_file("profil.html")
    browser.type("#filter", "cold15")
    expect(browser.do(FOLDED)["rows"] == 1, "a folded row is not found")
    browser.emulate(1280, 4000, scripts=False)
    browser.open_file("profil.html")
    expect(browser.do(FOLDED)["rows"] == 10, "without scripts")
    browser.click("#more summary")
    expect(browser.do(FOLDED)["rows"] == 29, "rows stay folded without scripts")
    browser.click("#rows a[href='#f12']")
    expect(browser.do(folded), "the link does not open without scripts")


APART = """return Object.fromEntries(Array.from(document.querySelectorAll(".apart"), section => [section.id,
	Array.from(section.querySelectorAll("tr[data-ticks]"), row => [Number(row.dataset.ticks),
		row.querySelector(".f").textContent.trim()])]))"""


def case_apart():
    """Processes, threads, CPUs and control groups are tables where the profile keeps several apart, and
    nothing where it does not."""
    browser = Browser()
    for name, wanted in (("varied", ["process"]), ("system-cpu", ["cpu"]), ("cgroups", ["cgroup"]),
                         ("split-threads", ["thread"]), ("sqlite", [])):
        path = os.path.join(DATA, "profiles", f"{name}.pb.gz")
        make("-n", "12", path)
        browser.open_file("profil.html")
        tables = browser.do(APART)
        expect(list(tables) == wanted, f"{name}: {list(tables)}")
        for by, rows in tables.items():
            found = report(path, "-n", "0", "--by", by)["rows"]
            expect(rows[:12] == [[row["samples"], row["name"]] for row in found[:12]], f"{name} by {by}: {rows}")
            expect(sum(row[0] for row in rows) == sum(row["samples"] for row in found), f"{name} by {by}: the sum")


def case_call_stacks():
    """Where the profile has call stacks, functions have what they took themselves and with what they
    called, and are sorted by either."""
    stacks = (("a", 600), ("b a", 1000), ("d b c", 500), ("e", 2000))  # innermost first
    with open("stacks.txt", "w", encoding="ascii") as file:
        for names, count in stacks:
            calls = "".join(f"\t{0x1000 + 16 * ord(name):x} {name}+0x1 (/x/work)\n" for name in names.split())
            file.write(f"work 1 1.000000: 1000000 cpu-clock: \n{calls}\n" * count)
    browser, _ = check_page(report("stacks.txt"), "stacks.txt")
    found = {row["name"]: (row["samples"], row["total"]["samples"]) for row in report("stacks.txt")["rows"]}
    expect(found == {"a": (600, 1600), "b": (1000, 1500), "c": (0, 500), "d": (500, 500), "e": (2000, 2000)},
           f"{found}")
    rows = """return Array.from(document.querySelectorAll("#rows tbody tr"), row =>
        [row.querySelector(".f code").textContent, Number(row.dataset.ticks), Number(row.dataset.total)])"""
    by_self = browser.do(rows)
    expect({name: (own, total) for name, own, total in by_self} == found, f"{by_self}, not {found}")
    browser.click("#rows th[data-key=total] button")
    totals = [row[2] for row in browser.do(rows)]
    expect(totals == sorted(totals, reverse=True), f"{totals}")
    browser.click("#rows th[data-key=ticks] button")
    own = [row[1] for row in browser.do(rows)]
    expect(own == sorted(own, reverse=True), f"{own}")
    check_quiet(browser, "profil.html")


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</style></script><script>window.hacked = 2</script>",
    "\\\"><img src=x onerror=\\\"window.hacked = 3\\\">",
    "' onmouseover='window.hacked = 4",
    "operator<< <std::map<int, char const*>&&>(a & b) `|`",
    "gr\u00fc\u00dfe\u4e16\u754c\u202eedoc",
    "&lt;b&gt;&#39;&amp;",
    "]]><!-- --><svg onload=window.hacked=5>",
    "\\377\\303(broken\\n\\033[31m",
    "templ<" + "std::pair<int, long>, " * 4000 + ">",
    "long_name_" * 8000,
]


def case_hostile_names():
    """Functions, objects and files that are called like markup are text and nothing else; what is
    no text at all is a question mark; what is too long is cut, first what is not the name's own."""
    cells = [(number % 2, 0x1000 + number, name, name.replace("\\n", "") + ".c", 7, 100 - number)
             for number, name in enumerate(HOSTILE)]
    odd = HOSTILE[0]
    pprof.write("odd.pb", [(odd, "", 0, 0x10000, 0), ("/tmp/" + HOSTILE[2], "", 0, 0x10000, 0)],
                cells)
    found = report("odd.pb")
    browser, sums = check_page(found, "odd.pb", most=1 << 20)
    state = browser.do("return [window.hacked === undefined, document.scripts.length,"
                       "document.querySelectorAll('img, main svg:not(.strip)').length,"
                       "document.title]")
    expect(state[:3] == [True, 1, 0] and state[3] == "odd.pb \u2013 profil", f"{state}")
    for number, name in enumerate(HOSTILE):
        # As protoc reads the text of it.
        text = name.encode().decode("unicode_escape").encode("latin-1", "replace")
        if number == 5:
            text = name.encode()
        shown = sums["names"][number]
        if number < 8:
            expect(shown == text.decode(), f"{shown!r}, not {text.decode()!r}")
    expect(sums["names"][8] == "??(broken??[31m", sums["names"][8])
    expect(sums["names"][9] == "templ<\u2026>", sums["names"][9])
    expect(len(sums["names"][10]) == 240 and "\u2026" in sums["names"][10], sums["names"][10])


def case_without_scripts():
    """Where scripts are off, everything is there but what only they can do."""
    place("x86_64")
    make("loop.pb")
    browser = Browser()
    browser.emulate(1280, 900, scripts=False)
    browser.open_file("profil.html")
    sums = check_sums(browser, report("loop.pb"))
    expect(sums["names"] == ["spin", "lost", "_start"], f"{sums['names']}")
    state = browser.do("return [document.querySelector('.tools').checkVisibility(),"
                       "document.querySelectorAll('thead button').length,"
                       "document.querySelector('.source').innerText]")
    expect(state[:2] == [False, 0] and "total" in state[2], f"{state}")


# The least contrast (WCAG 2.2, 1.4.3) of any text to what is behind it, with the text.
CONTRAST = """
const over = (top, below) => {
	const alpha = top.length > 3 ? top[3] : 1;
	return [0, 1, 2].map(i => alpha * top[i] + (1 - alpha) * below[i]);
};
const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
const known = new Map();
const rgba = color => {
	if (known.has(color))
		return known.get(color);
	canvas.clearRect(0, 0, 1, 1);
	canvas.fillStyle = color;
	canvas.fillRect(0, 0, 1, 1);
	const data = canvas.getImageData(0, 0, 1, 1).data;
	known.set(color, [data[0], data[1], data[2], data[3] / 255]);
	return known.get(color);
};
const ground = node => {
	if (!node)
		return [255, 255, 255];
	const own = rgba(getComputedStyle(node).backgroundColor);
	return own[3] === 1 ? own.slice(0, 3) : over(own, ground(node.parentElement));
};
const light = color => {
	const [r, g, b] = color.map(c => c / 255).map(c =>
		c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
	return .2126 * r + .7152 * g + .0722 * b;
};
let least = [99, ""];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
	const node = texts.currentNode.parentElement;
	if (!texts.currentNode.textContent.trim() || !node.checkVisibility() ||
	    node.closest("script, style, title"))
		continue;
	const behind = ground(node);
	const front = over(rgba(getComputedStyle(node).color), behind);
	const [a, b] = [light(front), light(behind)];
	const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
	if (contrast < least[0])
		least = [contrast, node.outerHTML.slice(0, 120)];
}
return least;
"""

# What a reader that cannot see, or has no mouse, would stumble over.
STUMBLES = """
const list = [];
const all = selector => document.querySelectorAll(selector);
const tell = (what, node) => list.push(what + ": " + node.outerHTML.slice(0, 100));
if (all("h1").length !== 1 || !document.documentElement.lang || !document.title)
	list.push("no one title, or no language");
let level = 1;
for (const title of all("h1, h2, h3")) {
	if (title.tagName[1] > level + 1)
		tell("a level left out", title);
	level = Number(title.tagName[1]);
}
for (const cell of all("th"))
	if (!cell.scope)
		tell("no scope", cell);
for (const title of all("thead th"))
	if (!title.textContent.trim())
		tell("no title", title);
for (const table of all("table"))
	if (!table.caption && !table.closest("[aria-label], [aria-labelledby]"))
		tell("no name", table);
for (const picture of all("svg"))
	if (!picture.ariaHidden && !picture.ariaLabel)
		tell("no words", picture);
for (const part of all("[aria-labelledby]"))
	if (!document.getElementById(part.getAttribute("aria-labelledby")))
		tell("its title is not there", part);
for (const link of all("a[href^='#']"))
	if (!document.getElementById(link.hash.slice(1)))
		tell("leads nowhere", link);
for (const part of all("input"))
	if (!part.labels.length)
		tell("no label", part);
for (const part of all(".scroll"))
	if (part.tabIndex !== 0 || !part.role)
		tell("cannot be scrolled by keys", part);
const ids = Array.from(all("[id]"), node => node.id);
if (new Set(ids).size !== ids.length)
	list.push("an id stands twice");
return list;
"""


def case_everybody():
    """Light and dark, on a desk and on a phone: contrast is 4.5 at least, the page is no wider than
    the window, and what assistive technology needs is there."""
    measurement = take_some()
    make(measurement.path)
    browser = Browser()
    for width, dark in ((1280, False), (1280, True), (800, False), (390, False), (390, True)):
        browser.emulate(width, 900, dark)
        browser.open_file("profil.html")
        browser.do("for (const part of document.querySelectorAll('details')) part.open = true")
        contrast, where = browser.do(CONTRAST)
        expect(contrast >= 4.5, f"{width} {dark}: contrast {contrast:.2f}: {where}")
        page = browser.do("return document.documentElement.scrollWidth")
        expect(page <= width, f"the page is {page} wide on {width}")
    expect(browser.do(STUMBLES) == [], "stumbles")
    ground = "return getComputedStyle(document.body).backgroundColor"
    dark = browser.do(ground)
    browser.emulate(1280, 900)
    expect(browser.do(ground) != dark, "light is dark")


def case_printed():
    """On paper the ground is white whatever the screen's is, and what only a screen can do is not
    there."""
    place("x86_64")
    make("loop.pb")
    browser = Browser()
    browser.emulate(1280, 900, dark=True, media="print")
    browser.open_file("profil.html")
    state = browser.do("return [getComputedStyle(document.body).backgroundColor,"
                       "document.querySelector('.tools').checkVisibility(),"
                       "document.querySelector('nav').checkVisibility()]")
    expect(state == ["rgb(255, 255, 255)", False, False], f"{state}")
    contrast, where = browser.do(CONTRAST)
    expect(contrast >= 4.5, f"contrast {contrast:.2f}: {where}")
    page = base64.b64decode(browser.devtools("Page.printToPDF", printBackground=True)["data"])
    expect(page.startswith(b"%PDF") and len(page) > 10000, f"{len(page)} bytes of PDF")


def case_imported():
    """Every format that is read has its page: gmon.out of all kinds, perf script's text,
    gperftools', pprof's and DOS's files."""
    program = target("split")
    with open("gmon.out", "wb") as file:
        file.write(gmon.gnu({0x1139 + 2 * i: 5 + i for i in range(40)}))
    browser, _ = check_page(report("gmon.out", "--program", program), "--program", program,
                            "gmon.out")
    for path in sorted(path for reader in READERS for path in glob.glob(f"{CORPUS}/{reader}/*")):
        check_page(report(path), path, browser=browser)
    for name in ("A.PRF", "E.PRF", "M.PRF", "M.MAP"):
        shutil.copy(os.path.join(DATA, "prohst", name), name)
    for name in ("A.PRF", "E.PRF", "M.PRF"):
        _, sums = check_page(report(name), name, browser=browser)
        expect(set(sums["classes"]) == {"program", "dos", "I/O", "high"}, f"{sums['classes']}")


def case_dos():
    """A DOS program run now has its page, the other views and exports, by the names of its map."""
    from dosbox import assemble, need_dosbox
    need_dosbox()
    browser = Browser()
    with open("SHARES.COM", "wb") as file:
        file.write(assemble("shares"))
    starts = {"start": 0x100, "half": 0x180, "quarter": 0x190, "fifteen": 0x1a0, "tenth": 0x1b0}
    rows = ["", " Start  Stop   Length Name                   Class",
            " 00000H 001FFH 00200H CODE                   CODE", "",
            "  Address         Publics by Value", ""]
    rows += [f" 0000:{start:04X}       {name}" for name, start in starts.items()]
    with open("SHARES.MAP", "wb") as file:
        file.write("\r\n".join([*rows, "", "Program entry point at 0000:0100", ""]).encode())
    done = profil("--no-report", "SHARES.COM")
    expect(done.status == 0, done.words)
    for path in ("profil.pb.gz", "SHARES.PRF"):
        _, sums = check_page(report(path), path, browser=browser)
        expect(sums["names"][:2] == ["half", "quarter"], f"{sums['names']}")
    for view in (["hist"], ["annotate"], ["diff", "profil.pb.gz"], ["export", "--to", "folded"]):
        done = run(PROFIL, *view, "profil.pb.gz")
        expect(done.status == 0 and b"half" in done.stdout, f"{view}: {done.words}{done.text}")


def case_few_and_none():
    """A profile with few ticks has counts and no shares; one with none has its page."""
    pprof.write("few.pb", [("few", "", 0, 0x1000, 0)], [(0, 0x10, "main", "few.c", 3, 8)])
    browser, _ = check_page(report("few.pb"), "few.pb")
    text = browser.do("return document.body.innerText")
    expect("too few to rank" in text and " %" not in text.split("HISTOGRAM")[0].split("95 %")[0],
           text)
    pprof.write("none.pb", [("none", "", 0, 0x1000, 0)], [])
    check_page(report("none.pb"), "none.pb", browser=browser)
    text = browser.do("return document.body.innerText")
    expect("no samples" in text and "NaN" not in text and "inf" not in text, text)


@long
def case_large():
    """1,000,000 cells, each a function of its own: the page is bounded, says so, and adds up."""
    with open("gmon.out", "wb") as file:
        file.write(gmon.gnu({0x1000 + 2 * i: 1 + i * 7919 % 97 for i in range(1000000)},
                            arcs=False))
    found = report("gmon.out", "-n", "1")
    before = os.times()
    _, sums = check_page(found, "gmon.out", most=2 << 20)
    after = os.times()
    expect(found["row_count"] == 1000000 and sums["row_count"] == 1000, f"{sums['row_count']} rows")
    used = (after.children_user - before.children_user +
            after.children_system - before.children_system)
    print(f"# {os.path.getsize('profil.html')} bytes, {used:.1f} s of CPU")
    said = make("-n", "10", "--functions", "0", "gmon.out")
    expect("10 of 1000000 functions, the code of 0" in said, said)


def case_long_function():
    """Of a function of 20,000 instructions, 6,000 with ticks, the hottest are shown, and the rest
    as sums between them."""
    place_large()
    browser, sums = check_page(report("large.pb"), "large.pb", most=300 << 10)
    expect([parts[0] for parts in sums["functions"]] == [sums["total"]], f"{sums['functions']}")
    rows = browser.do("return Array.from(document.querySelectorAll('.asm tbody tr'),"
                      "row => [row.className, Number(row.dataset.ticks || 0)])")
    if len(rows) == 6000:
        raise Skip("no instructions here: built without Capstone")
    # Each of 150 with three on either side, and a fold between all.
    expect(len(rows) <= 150 * 8 + 1, f"{len(rows)} rows")
    shown = [ticks for kind, ticks in rows if kind != "fold" and ticks]
    expect(shown.count(7) >= 150 and any(kind == "fold" and ticks > 0 for kind, ticks in rows),
           f"{rows[:40]}")


def case_many_objects():
    """Objects beyond those drawn are a line, and no tick is lost."""
    pprof.write("many.pb", [(f"lib{i}.so", "", 0x1000 * i, 0x1000 * (i + 1), 0) for i in range(40)],
                [(i, 0x1000 * i + 5, f"f{i}", "", 0, 10 + i) for i in range(40)])
    browser, sums = check_page(report("many.pb"), "many.pb")
    expect(len(sums["objects"]) == 16, f"{len(sums['objects'])} objects")
    more = sum(10 + i for i in range(24))
    text = browser.do("return document.querySelector('.sums').textContent")
    expect(f"+ {more} in 24 more objects" in text, text)


def case_errors():
    """What is asked wrongly is said in one line, and no page is begun."""
    place("x86_64")
    files = os.listdir(".")
    check_error(profil("html", "nosuch.pb"), says="nosuch.pb")
    check_error(profil("html", "a.pb", "b.pb"), says="more than one")
    check_error(profil("html", "-o", "no/folder.html", "loop.pb"), says="no/folder.html")
    check_error(profil("html", "-o", "/dev/full", "loop.pb"), says="/dev/full")
    check_error(profil("html", "--functions", "all", "loop.pb"), says="--functions")
    check_files(*files)
    done = run("sh", "-c", '"$1" html -o /dev/stdout loop.pb | cat', "sh", PROFIL)
    expect(done.text.endswith("</html>\n") and not done.words, done.text[-200:])
