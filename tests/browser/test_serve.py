# SPDX-License-Identifier: BSD-2-Clause
"""profil serve: the list, a page and a comparison, in a real browser."""

import json
import os
import shutil
import signal

from browser import Browser
from command import Running, expect, need_counting, report, target
from golden import DATA
from page import check_sums
from serving import Served


def check_silent(browser, served):
    """The console was told nothing, and nothing was fetched from elsewhere."""
    expect(browser.words() == [], "the console has words")
    home = f"http://{served.host}:{served.port}/"
    others = [url for url in browser.requests() if not url.startswith((home, "data:"))]
    expect(not others, f"fetched: {others}")


def case_list():
    """The printed address leads to the list, without the token in it; from there to the page, whose sums
    are those of profil report, and to a comparison; nothing else is fetched."""
    os.mkdir("folder")
    for name in ("wall", "attached"):
        shutil.copy(os.path.join(DATA, "profiles", f"{name}.pb.gz"), "folder")
    shutil.copy("folder/wall.pb.gz", "folder/\"><script>alert(1)</script>.pb.gz".replace("/s", "\u2215s"))
    served = Served("folder")
    browser = Browser()
    browser.open(served.url)
    expect(browser.do("return location.href") == f"http://{served.host}:{served.port}/", "the token stays")
    rows = browser.do("return Array.from(document.querySelectorAll('#list tbody tr'), "
                      "row => [row.querySelector('a').textContent, Number(row.dataset.samples)])")
    expect(len(rows) == 3 and ["attached.pb.gz", report("folder/attached.pb.gz")["identity"]["samples"]]
           in rows, f"{rows}")
    check_silent(browser, served)
    browser.click("a[href='/profile/attached%2Epb%2Egz']")
    check_sums(browser, report("folder/attached.pb.gz"))
    check_silent(browser, served)
    browser.open(f"http://{served.host}:{served.port}/")
    browser.click("form button")
    text = browser.wait_for("the comparison", "return document.querySelector('#changes tbody') && document.body.textContent")
    expect("before: wall.pb.gz" in text and browser.do("return document.querySelectorAll('#flame svg rect').length") > 20,
           text[:300])
    check_silent(browser, served)
    # One more on a side is a repeat.
    browser.open(f"http://{served.host}:{served.port}/")
    browser.click("#list tr:nth-child(3) [name=before]")
    browser.click("form button")
    text = browser.wait_for("the comparison", "return document.querySelector('#changes tbody') && document.body.textContent")
    expect("and 1 more" in text and "between runs" in text and "one run a side" not in text, text[:300])
    check_silent(browser, served)


SAMPLES = "return Number(document.getElementById('sum')?.dataset.samples)"


def case_moves():
    """While a program is measured its page moves: samples, table, flame graph and histogram; what was
    typed, sorted, folded and enlarged stays; when it has ended, the sums are those of the report."""
    need_counting()
    program = Running([target("split"), "1000000"])
    served = Served("-p", str(program.pid))
    browser = Browser()
    browser.open(served.url)
    browser.wait_for("samples", SAMPLES + " > 50")
    browser.wait_for("a flame graph", "return document.querySelector('#flame svg rect')")
    # An element that the driver has found may be another by the time that it clicks.
    browser.do("document.querySelector('#rows th[data-key=name] button').click()")
    browser.type("#filter", "spin")
    browser.do("document.querySelectorAll('#hist details').forEach(fold => fold.open = !fold.open)")
    folds = browser.do("return document.querySelector('#hist details').open")
    browser.do("""const box = Array.from(document.querySelectorAll('#flame rect')).find(rect =>
        rect.querySelector('title')?.textContent.startsWith('main'));
        box.dispatchEvent(new MouseEvent('click'))""")
    hidden = "return Array.from(document.querySelectorAll('#flame rect')).filter(rect => rect.style.display).length"
    before = browser.do(SAMPLES)
    browser.wait_for("more samples", SAMPLES + f" > {before + 500}")
    expect(browser.do("return document.activeElement.id") == "filter", "the reader's place is lost")
    expect(browser.do("return document.getElementById('filter').value") == "spin", "the words are lost")
    shown = browser.do("return Array.from(document.querySelectorAll('#rows tbody tr:not([hidden]) .f code'), "
                       "name => name.textContent)")
    expect(shown and all("spin" in name for name in shown), f"not filtered: {shown}")
    expect(browser.do("return document.querySelector('#rows th[data-key=name]').ariaSort") == "ascending",
           "not sorted")
    expect(browser.do("return document.querySelector('#hist details').open") == folds, "folds move")
    zoomed = browser.do("return document.querySelector('#flame rect[style*=opacity]') !== null")
    expect(zoomed, f"not enlarged any more: {browser.do(hidden)}")
    os.kill(program.pid, signal.SIGKILL)
    browser.wait_for("the end", "return document.getElementById('moves').textContent === 'ended'")
    found = json.loads(served.get("/report.json"))
    browser.wait_for("all samples", SAMPLES + f" === {found['total']}")
    check_sums(browser, found)
    check_silent(browser, served)
    facts = browser.do("return document.querySelector('.facts dd').textContent.replaceAll(',', '')")
    expect(int(facts) == found["identity"]["samples"], f"{facts} samples above")


def case_intervals():
    """Where intervals are kept, the list leads to the running one, whose page moves."""
    need_counting()
    program = Running([target("split"), "1000000"])
    served = Served("-p", str(program.pid), "-d", "kept", "--every", "24h")
    browser = Browser()
    browser.open(served.url)
    browser.click("a[href='/live/']")
    browser.wait_for("samples", SAMPLES + " > 50")
    before = browser.do(SAMPLES)
    browser.wait_for("more samples", SAMPLES + f" > {before + 200}")
    os.kill(program.pid, signal.SIGKILL)
    browser.wait_for("the end", "return document.getElementById('moves').textContent === 'ended'")
    found = json.loads(served.get("/live/report.json"))
    browser.wait_for("all samples", SAMPLES + f" === {found['total']}")
    check_silent(browser, served)
