# SPDX-License-Identifier: BSD-2-Clause
"""profil html: how the page looks: to whom, on what, and with names of any kind."""

import base64
import os

import pprof
from browser import Browser
from command import expect, profil, report
from golden import DATA
from page import check_page, check_sums, make, take_some
from test_annotate import place


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


def check_everybody(browser, path):
    for width, dark in ((1280, False), (1280, True), (800, False), (390, False), (390, True)):
        browser.emulate(width, 900, dark)
        browser.open_file(path)
        browser.do("for (const part of document.querySelectorAll('details')) part.open = true")
        contrast, where = browser.do(CONTRAST)
        expect(contrast >= 4.5, f"{width} {dark}: contrast {contrast:.2f}: {where}")
        page = browser.do("return document.documentElement.scrollWidth")
        expect(page <= width, f"the page is {page} wide on {width}")
    expect(browser.do(STUMBLES) == [], f"stumbles: {browser.do(STUMBLES)}")


def case_everybody():
    """Light and dark, on a desk and on a phone: contrast is 4.5 at least, the page is no wider than
    the window, and what assistive technology needs is there."""
    measurement = take_some()
    make(measurement.path)
    browser = Browser()
    check_everybody(browser, "profil.html")
    ground = "return getComputedStyle(document.body).backgroundColor"
    dark = browser.do(ground)
    browser.emulate(1280, 900)
    expect(browser.do(ground) != dark, "light is dark")


def case_other_pages_for_everybody():
    """The page of a comparison, and that of a profile of waits, too."""
    make(os.path.join(DATA, "profiles", "wall.pb.gz"))
    check_everybody(Browser(), "profil.html")
    files = [[os.path.join(DATA, "profiles", f"calls-{side}-{run}.pb.gz") for run in (1, 2, 3)] for side in ("old", "new")]
    for options in ((), ("--per", "run")):
        done = profil("diff", *options, "--html", "diff.html", *files[0], "--", *files[1])
        expect(done.status == 0, done.words)
        check_everybody(Browser(), "diff.html")


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
