# SPDX-License-Identifier: BSD-2-Clause
"""Flame graphs in a real browser, as a file of their own and on the page of profil html."""

import os
import re

from browser import Browser
from command import expect, profil, report
from golden import DATA
from page import check_quiet, make

STACKS = "main;parse;lex 500\nmain;parse;match 250\nmain;write 150\nother;write 100\n"
ENTER, ESCAPE, LEFT, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue012", "\ue013", "\ue014", "\ue015"

SEEN = """return Array.from(document.querySelectorAll("rect"))
	.filter(rect => rect.querySelector("title") && rect.style.display !== "none")
	.map(rect => [rect.querySelector("title").textContent.split("\\n")[0], Number(rect.getAttribute("width")),
		rect.getAttribute("fill") === "#e13fe1"])"""


def fold(text=STACKS):
    with open("stacks.folded", "w", encoding="utf-8") as file:
        file.write(text)


def seen(browser):
    return {name: width for name, width, _ in browser.do(SEEN)}


def lit(browser):
    return sorted(name for name, _, is_lit in browser.do(SEEN) if is_lit)


def box(name):
    return f"""Array.from(document.querySelectorAll("rect")).find(rect => rect.querySelector("title") &&
	rect.querySelector("title").textContent.startsWith("{name}\\n"))"""


def click(browser, name):
    for event in ("mouseenter", "click"):
        browser.do(f"{box(name)}.dispatchEvent(new MouseEvent('{event}'))")


def point_away(browser):
    """The pointer to the margin: where a page scrolls below it, it is on another box."""
    browser.devtools("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)


def check_zoom(browser, width):
    """A click makes a box as wide as all, what it called as much wider, and hides the others."""
    click(browser, "parse")
    now = seen(browser)
    expect(set(now) == {"all", "main", "parse", "lex", "match"}, f"{now}")
    expect(abs(now["parse"] - width) < 1 and abs(now["lex"] - width * 2 / 3) < 1, f"{now}, {width} is all")


def check_keys(browser, status):
    """The arrows go where the boxes lie, Enter enlarges, Escape shows all."""
    click(browser, "all")
    toward, back = (DOWN, UP) if browser.do(
        f"return {box('main')}.getAttribute('y') > {box('all')}.getAttribute('y') ? 1 : 0") else (UP, DOWN)
    for key, name in ((toward, "main"), (toward, "parse"), (RIGHT, "write"), (LEFT, "parse"), (back, "main"),
                      (RIGHT, "other")):
        browser.press(key)
        expect(browser.do(status).startswith(f"{name} ·"), f"{browser.do(status)}, not {name}")
    browser.press(ENTER)
    expect(set(seen(browser)) == {"all", "other", "write"}, f"{seen(browser)}")
    browser.press(ESCAPE)
    expect(len(browser.do(SEEN)) == 8, f"{browser.do(SEEN)}")


def case_page():
    """On the page: search sums what matches, once, with its interval; boxes are enlarged by pointer and
    keys; a function with code has a link to it; nothing is fetched."""
    fold()
    make("stacks.folded")
    browser = Browser()
    browser.requests()
    browser.open_file("profil.html")
    width = browser.do("return document.querySelector('.flame-box').clientWidth")
    expect(abs(seen(browser)["all"] - width) < 1, f"{seen(browser)['all']} wide in {width}")
    status = "return document.getElementById('flame-status').textContent"
    browser.type("#flame-search", "^(parse|lex|write)$")
    expect(lit(browser) == ["lex", "parse", "write", "write"], f"{lit(browser)}")
    expect(browser.do(status) == "matches: 1,000 samples, 100.0 % (99.6 – 100.0 %)", browser.do(status))
    browser.click("#flame-reset")
    browser.type("#flame-search", "WRITE")
    expect(browser.do(status) == "matches: 250 samples, 25.0 % (22.4 – 27.8 %)", browser.do(status))
    browser.do("document.getElementById('flame-search').value = ''")
    browser.type("#flame-search", "(")
    expect(browser.do(status) == "not a regular expression", browser.do(status))
    browser.click("#flame-reset")
    expect(not lit(browser), f"{lit(browser)}")
    check_zoom(browser, width)
    browser.emulate(640, 800)
    browser.wait_for("the narrow page", "return document.querySelector('.flame-box').clientWidth < 640")
    narrow = browser.do("return document.querySelector('.flame-box').clientWidth")
    browser.wait_for("boxes as wide", f"return Math.abs(Number({box('parse')}.getAttribute('width')) - {narrow}) < 1")
    point_away(browser)
    browser.do("document.querySelector('svg.flame').focus()")
    check_keys(browser, status)
    check_quiet(browser, "profil.html")


def case_narrow():
    """What matches may be among what is too narrow to be drawn: a search says so."""
    fold("".join(f"main;rare_{i} 1\n" for i in range(3000)) + "main;rare_often 97000\n")
    make("stacks.folded")
    browser = Browser()
    browser.open_file("profil.html")
    browser.type("#flame-search", "rare")
    said = browser.do("return document.getElementById('flame-status').textContent")
    expect(said.startswith("matches: at least 97,000 samples, 97.0 %"), said)
    fold("main;often 100000\nmain;rare;other 10\n")
    make("stacks.folded")
    browser.open_file("profil.html")
    for pattern, due in ("other", "matches: at least 0 samples, 0.0 %"), ("rare", "matches: 10 samples, 0.0 %"), \
            ("often", "matches: at least 100,000 samples, 100.0 %"):
        browser.do("document.getElementById('flame-search').value = ''")
        browser.type("#flame-search", pattern)
        said = browser.do("return document.getElementById('flame-status').textContent")
        expect(said.startswith(due), said)


def case_picture():
    """An SVG by itself has its own search and keys."""
    fold()
    done = profil("flame", "stacks.folded")
    expect(done.status == 0, done.words)
    browser = Browser()
    browser.requests()
    browser.open_file("profil.svg")
    width = seen(browser)["all"]
    check_zoom(browser, width)
    check_keys(browser, "return Array.from(document.querySelectorAll('text')).map(text => text.textContent)"
                        ".find(text => text.includes(' · ')) || ''")
    browser.do("window.prompt = () => 'lex'")
    browser.press("/")
    expect(lit(browser) == ["lex"], f"{lit(browser)}")
    check_quiet(browser, "profil.svg")


def case_waits():
    """The page of a --wall profile switches between samples and all of the time, with and without scripts; each graph is
    as wide as the page, and is searched, zoomed and walked by itself."""
    path = os.path.join(DATA, "profiles", "wall.pb.gz")
    make(path)
    browser = Browser()
    browser.requests()
    shown = "return ['flame', 'wall'].map(id => document.getElementById(id).checkVisibility())"
    for scripts in (True, False):
        browser.emulate(1000, 900, scripts=scripts)
        browser.open_file("profil.html")
        expect(browser.do(shown) == [True, False], f"{browser.do(shown)}")
        browser.click("#of-wall")
        expect(browser.do(shown) == [False, True], f"{browser.do(shown)}")
    browser.emulate(1000, 900)
    browser.open_file("profil.html")
    browser.type("#flame-search", "vdso")
    browser.click("#of-wall")
    width = browser.do("return document.querySelector('#wall .flame-box').clientWidth")
    whole = "return Number(document.querySelector('#wall rect').getAttribute('width'))"
    expect(abs(browser.do(whole) - width) < 1, f"{browser.do(whole)} in {width}")
    browser.type("#wall-search", "^futex$")
    said = browser.do("return document.getElementById('wall-status').textContent")
    # Between boxes there is a gap.
    expect(re.fullmatch(r"matches: at least 10\.[345] %", said), said)
    expect("__vdso" not in str([name for name, _, is_lit in browser.do(SEEN.replace('"rect"', '"#wall rect"')) if is_lit]), "lit")
    browser.do("document.querySelector('#wall svg').focus()")
    browser.press(DOWN, ENTER)
    now = {name for name, _, _ in browser.do(SEEN.replace('"rect"', '"#wall rect"'))}
    expect("clone3" in now and "_start" not in now, f"{now}")
    expect(browser.do("return document.getElementById('wall-status').textContent").startswith("clone3 · libc.so.6 · 899.8 ms"), "keys")
    browser.click("[name=flame-of]")
    expect(browser.do("return document.getElementById('flame-status').textContent").startswith("matches: 193 samples, "), "flame")
    check_quiet(browser, "profil.html")


def compare(**sides):
    """The page of three runs each, as profil diff writes it."""
    files = {"before": [], "after": []}
    for side, text in sides.items():
        for run in range(3):
            files[side].append(f"{side}-{run}.folded")
            with open(files[side][-1], "w", encoding="utf-8") as file:
                file.write("".join(f"{line.rpartition(' ')[0]} {int(line.split()[-1]) + run}\n"
                                   for line in text.splitlines()))
    done = profil("diff", "--html", "diff.html", *files["before"], "--", *files["after"])
    expect(done.status == 0 and not done.words, done.words)


def case_comparison():
    """A comparison's graph is zoomed, walked and searched as any; a search sums both sides; red and blue are in it, and
    come back after a search; names that are markup are text; nothing is fetched."""
    compare(before=STACKS + "main;<script>window.hacked=1</script>;]]><img src=x onerror=window.hacked=2> 100\n",
            after=STACKS.replace("lex 500", "lex 800") +
            "main;<script>window.hacked=1</script>;]]><img src=x onerror=window.hacked=2> 100\n")
    browser = Browser()
    browser.requests()
    browser.open_file("diff.html")
    fills = f"return ['lex', 'write', 'all'].map(name => ({{lex: {box('lex')}, write: {box('write')}, all: {box('all')}}}" \
            "[name].getAttribute('fill')))"
    lex, write, whole = colors = browser.do(fills)
    expect(int(lex[1:3], 16) > int(lex[5:7], 16) and int(write[1:3], 16) < int(write[5:7], 16)
           and whole[1:3] == whole[5:7], f"{colors}")
    status = "return document.getElementById('flame-status').textContent"
    browser.type("#flame-search", "^lex$")
    expect(lit(browser) == ["lex"], f"{lit(browser)}")
    expect(browser.do(status) == "matches: before 1,503 samples, 45.3 %; after 2,403 samples, 57.0 %", browser.do(status))
    browser.click("#flame-reset")
    expect(browser.do(fills) == colors and not lit(browser), "another colour after a search")
    click(browser, "parse")
    width = browser.do("return document.querySelector('.flame-box').clientWidth")
    now = seen(browser)
    expect(set(now) == {"all", "main", "parse", "lex", "match"} and abs(now["parse"] - width) < 1, f"{now}")
    browser.do("document.querySelector('svg.flame').focus()")
    browser.press(DOWN)
    expect(browser.do(status).startswith("lex · [program] · before 45.3 % (1,503 samples), after 57.0 % (2,403 samples), "
                                         "change +11.7 points, 95 % interval "), browser.do(status))
    expect(browser.do(status).endswith(", p <0.001: a larger share"), browser.do(status))
    browser.press(ESCAPE)
    expect(len(browser.do(SEEN)) == 10, f"{browser.do(SEEN)}")
    state = browser.do("return [window.hacked === undefined, document.scripts.length, document.querySelectorAll('img').length]")
    expect(state == [True, 1, 0], f"{state}")
    check_quiet(browser, "diff.html")
    browser.emulate(1280, 900, scripts=False)
    browser.open_file("diff.html")
    expect(browser.do("return [document.getElementById('flame-tools').checkVisibility(),"
                      "document.querySelectorAll('svg.flame rect').length]") == [False, 10], "another picture without scripts")
    browser.emulate(1280, 900)


def case_without_scripts():
    """Without scripts the picture is there, and nothing that would not work."""
    fold()
    make("stacks.folded")
    browser = Browser()
    browser.emulate(1280, 900, scripts=False)
    browser.open_file("profil.html")
    state = browser.do("return [document.getElementById('flame-tools').checkVisibility(),"
                       "document.querySelectorAll('svg.flame rect').length]")
    expect(state == [False, 8], f"{state}")
    browser.emulate(1280, 900)


WALL = os.path.join(DATA, "profiles", "wall.pb.gz")

TITLES = """return Array.from(document.querySelectorAll("#flame rect"), rect => [
	rect.querySelector("title").textContent, Number(rect.getAttribute("y"))])"""
CHOICES = """return Array.from(document.querySelectorAll("#flame-part optgroup"), group =>
	[group.label, Array.from(group.children, choice => choice.textContent)])"""
CHOOSE = """const select = document.getElementById("flame-part");
	select.value = Array.from(select.options).find(choice => choice.textContent === arguments[0]).value;
	select.dispatchEvent(new Event("change"))"""
SAID = "return document.getElementById('flame-status').textContent"


def drawn(browser):
    """Of each box the name, its samples, and its row counted from the first box down."""
    boxes = [(title.split("\n"), y) for title, y in browser.do(TITLES)]
    return [(words[0], int(words[-1].split()[0].replace(",", "")), round((y - boxes[0][1]) / 17)) for words, y in boxes]


def case_parts_as_without_scripts():
    """What the script draws first is what stands there without it, box by box and word by word."""
    browser = Browser()
    for name in ("wall", "calls-new-1", "go-runtime"):
        make(os.path.join(DATA, "profiles", f"{name}.pb.gz"))
        browser.emulate(1280, 900)
        browser.open_file("profil.html")
        scripted = browser.do(TITLES)
        browser.emulate(1280, 900, scripts=False)
        browser.open_file("profil.html")
        expect(scripted == browser.do(TITLES) and len(scripted) > 10, f"{name}: {scripted[:5]}")
    browser.emulate(1280, 900)


def case_parts():
    """Each process and thread has a graph of its samples, as many as the report has; nothing is fetched."""
    make(WALL)
    browser = Browser()
    browser.requests()
    browser.open_file("profil.html")
    choices = dict(browser.do(CHOICES))
    expect(list(choices) == ["Processes", "Threads"], f"{choices}")
    for by, title in ("process", "Processes"), ("thread", "Threads"):
        rows = {row.get("tid") or row["pid"]: row["samples"] for row in report(WALL, "--value", "cpu", "--by", by)["rows"]
                if row["samples"]}
        expect(len(rows) == len(choices[title]) > 2, f"{choices[title]}, {rows}")
        for choice in choices[title]:
            due = rows[int(choice.split("(")[1].split(")")[0])]
            browser.do(CHOOSE, choice)
            boxes = drawn(browser)
            expect(boxes[0][1] == due == sum(n for _, n, row in boxes if row == 1), f"{choice}: {due}, {boxes}")
    browser.do(CHOOSE, "all: 208 samples")
    expect(drawn(browser)[0] == ("all", 208, 0), f"{drawn(browser)[0]}")
    check_quiet(browser, "profil.html")


# g calls itself; f stands under main and under g.
RECURSION = "main;f 100\nmain;g;f 50\nmain;g;g;f 25\nmain;g;g 10\nother;f;<script>window.hacked=1</script> 15\n"


def case_around():
    """Around a function its callers stand above and what it called below, with the sums of the report; one that is on a
    stack twice is counted once; a search sums both sides; keys do it all; names that are markup are text."""
    fold(RECURSION)
    make("stacks.folded")
    totals = {row["name"]: row["total"]["samples"] for row in report("stacks.folded")["rows"]}
    browser = Browser()
    browser.requests()
    browser.open_file("profil.html")
    expect(browser.do("return document.getElementById('flame-around').disabled"), "around nothing")
    click(browser, "f")
    browser.click("#flame-around")
    point_away(browser)
    boxes = drawn(browser)
    expect(boxes[0] == ("f", 190, 0) and totals["f"] == 190, f"{boxes}")
    above = sorted((name, n, -row) for name, n, row in boxes if row < 0)
    expect(above == [("g", 25, 2), ("g", 75, 1), ("main", 25, 3), ("main", 50, 2), ("main", 100, 1), ("other", 15, 1)],
           f"{above}")
    below = [(name, n) for name, n, row in boxes if row > 0]
    expect(below == [("<script>window.hacked=1</script>", 15)], f"{below}")
    browser.type("#flame-search", "^(g|<script>.*)$")
    expect(browser.do(SAID) == "matches: callers 75 samples, 39.5 %; what it called 15 samples, 7.9 %", browser.do(SAID))
    browser.do("document.querySelector('#flame svg').focus()")
    browser.press(ESCAPE)
    expect(drawn(browser)[0] == ("all", 200, 0), f"{drawn(browser)}")
    click(browser, "g")
    browser.do("document.querySelector('#flame svg').focus()")
    browser.press("b")
    expect(drawn(browser) == [("g", 85, 0), ("main", 85, -1), ("f", 50, 1), ("g", 35, 1), ("f", 25, 2)] and
           totals["g"] == 85, f"{drawn(browser)}")
    browser.press(UP)
    expect(browser.do(SAID).startswith("main · [program] · 85 samples, 42.5 % ("), browser.do(SAID))
    expect(browser.do("return window.hacked === undefined"), "a name was run")
    check_quiet(browser, "profil.html")


def case_around_narrow():
    """What is too little to be told apart is a box of its own, on the side of the callers and of the callees, and the
    function's sum is still that of the report."""
    fold("".join(f"main;p{i};rare 3\n" for i in range(3000)) + "main;q;rare 90000\nmain 900000\n")
    make("stacks.folded")
    total = next(row for row in report("stacks.folded")["rows"] if row["name"] == "rare")["total"]["samples"]
    browser = Browser()
    browser.open_file("profil.html")
    expect(browser.do(f"return Boolean({box('rare')})"), "no box")
    click(browser, "rare")
    browser.click("#flame-around")
    boxes = drawn(browser)
    expect(boxes[0] == ("rare", total, 0) and total == 99000, f"{boxes}")
    expect(sum(n for _, n, row in boxes if row == -1) == total, f"{boxes}")
    expect([n for name, n, _ in boxes if name.startswith("where it is too narrow")] == [9000, 9000], f"{boxes}")
