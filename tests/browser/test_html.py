# SPDX-License-Identifier: BSD-2-Clause
"""profil html: the page, in a real browser: what stands there, and how it is worked with."""

import os

import pprof
from browser import Browser
from command import PROFIL, check_error, check_files, expect, profil, report, run
from golden import DATA
from page import check_page, check_quiet, make, take_some
from test_annotate import place


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
		Number(row.dataset.samples)])"""


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
    browser.click("#rows th[data-key=samples] button")
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
	Array.from(section.querySelectorAll("tr[data-samples]"), row => [Number(row.dataset.samples),
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


TIMES = """return Array.from(document.querySelectorAll(".apart"), section => [section.id, Array.from(
	section.querySelectorAll("tbody tr"), row => [row.querySelector(".f").textContent.trim(),
		row.querySelector("td.n").textContent.trim()])])"""
EDGES = """return Array.from(document.querySelectorAll(".apart tbody tr:nth-child(-n + 5) .f"), name =>
	[name.textContent.trim(), Math.round(name.getBoundingClientRect().left)])"""


def case_time_of_threads():
    """With all of the time of threads, reasons, functions, processes and threads have rows of that, as the report has
    them; the picture has its parts; on a narrow page names can be seen."""
    path = os.path.join(DATA, "profiles", "wall.pb.gz")
    browser, _ = check_page(report(path, "--value", "cpu"), path)
    tables = browser.do(TIMES)
    expect([name for name, _ in tables] == ["reason", "function", "process", "thread"], f"{[name for name, _ in tables]}")
    for by, rows in tables:
        shown = report(path, "--by", by)
        expect([name for name, _ in rows] == [row["name"] for row in shown["rows"]], f"{by}: {rows}")
        for (name, text), row in zip(rows, shown["rows"]):
            share = 100 * row["self_ns"] / shown["total_ns"]
            said = float(text.strip("<% ") or 0)
            expect(abs(said - share) <= 0.1, f"{by}: {name}: {text}, {share}")
    wall = report(path)["wall"]
    parts = browser.do("return Array.from(document.querySelectorAll('#time .whose span'), part => [part.className, part.style.flexGrow])")
    expect([name for name, _ in parts] == ["on", "queued", "blocked"], f"{parts}")
    for (name, width), key in zip(parts, ("running_ns", "runqueue_ns", "blocked_ns")):
        expect(abs(float(width) - wall[key]) < 1e-5 * wall[key], f"{name}: {width}, not {wall[key]}")
    browser.emulate(390, 3000)
    browser.open_file("profil.html")
    edges = browser.do(EDGES)
    expect(len(edges) >= 20 and all(edge < 340 for _, edge in edges), f"{edges}")


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
        [row.querySelector(".f code").textContent, Number(row.dataset.samples), Number(row.dataset.total)])"""
    by_self = browser.do(rows)
    expect({name: (own, total) for name, own, total in by_self} == found, f"{by_self}, not {found}")
    browser.click("#rows th[data-key=total] button")
    totals = [row[2] for row in browser.do(rows)]
    expect(totals == sorted(totals, reverse=True), f"{totals}")
    browser.click("#rows th[data-key=samples] button")
    own = [row[1] for row in browser.do(rows)]
    expect(own == sorted(own, reverse=True), f"{own}")
    check_quiet(browser, "profil.html")


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
