# SPDX-License-Identifier: BSD-2-Clause
"""profil serve: the list, a page and a comparison, in a real browser."""

import os
import shutil

from browser import Browser
from command import expect, report
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
    text = browser.do("return document.body.textContent")
    expect(text.startswith("before: ") and "samples" in text, text[:300])
    check_silent(browser, served)
