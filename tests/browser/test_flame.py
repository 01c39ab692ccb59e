# SPDX-License-Identifier: BSD-2-Clause
"""Flame graphs in a real browser, as a file of their own and on the page of profil html."""

import os
import re

from browser import Browser
from command import expect, profil
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
