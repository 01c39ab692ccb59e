# SPDX-License-Identifier: BSD-2-Clause
"""--markdown of every view, and what GitHub's own reader of Markdown (cmark-gfm) makes of it; --json of
every view is one object."""

import html.parser
import json

import pprof
from command import check_error, expect, need_program, profil, report, run

# Names as they are in a profile; protoc reads the text of them.
NAMES = ["a|b", "`tick`", "``two``|", "operator|(std::array<int, 3>&&, int)", "<b>bold</b>", "**not bold**",
         "back\\slash|", "gr\u00fc\u00dfe", "x" * 300, "[link](http://x)"]


class Tables(html.parser.HTMLParser):
    """The tables of a page: lists of rows, lists of cells, each its text; and any other tag."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.cell = [], set(), None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def tables(*arguments):
    """The tables that ARGUMENTS print, all of whose rows are as long as their titles."""
    need_program("cmark-gfm")
    done = profil(*arguments, "--markdown")
    expect(done.status == 0 and not done.stderr, f"{arguments}: {done.status}: {done.words}")
    with open("view.md", "wb") as file:
        file.write(done.stdout)
    page = run("cmark-gfm", "-e", "table", "view.md")
    expect(page.status == 0, page.words)
    found = Tables(page.text)
    expect(found.tags <= {"p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"},
           f"{arguments}: {found.tags} in {page.text}")
    for table in found.tables:
        expect(len({len(row) for row in table}) == 1, f"{arguments}: {table}")
    expect(found.tables, f"{arguments}: no table in {page.text}")
    return found.tables


def place():
    """hostile.pb, whose functions and objects are called by NAMES, and other.pb, the same with other
    ticks."""
    for path, more in ("hostile.pb", 0), ("other.pb", 100):
        cells = [(0, 0x1000 + number, name.replace("\\", "\\\\"), "a|b.c", 7, 50 + number * more)
                 for number, name in enumerate(NAMES)]
        pprof.write(path, [("/tmp/o|b`j", "", 0, 0x10000, 0)], cells)


def shown(name):
    """NAME, in a table: cut in its middle to 100 characters."""
    return name if len(name) <= 100 else name[:50] + "\u2026" + name[-49:]


def column(table, title):
    return [row[table[0].index(title)] for row in table[1:]]


def case_names():
    """Whatever a function or an object is called, each table has it, whole, in its own cell."""
    place()
    wanted = {shown(name) for name in NAMES}
    for arguments in (["report", "hostile.pb"], ["hist", "hostile.pb"],
                      ["diff", "hostile.pb", "other.pb"]):
        table, = tables(*arguments)
        expect(set(column(table, "function")) == wanted,
               f"{arguments}: {set(column(table, 'function')) ^ wanted}")
        if "object" in table[0]:
            expect(set(column(table, "object")) == {"o|b`j"}, f"{table}")
    for table in tables("annotate", "-n", "0", "hostile.pb"):
        expect(column(table, "line") == ["a|b.c:7"], f"{table}")


def case_report():
    """A report's rows are those of its JSON, however they are cut; the rest and the accounting
    follow."""
    place()
    found = report("hostile.pb")
    table, = tables("report", "hostile.pb")
    expect(table[0] == ["share", "95 % interval", "samples", "function", "object"], f"{table[0]}")
    expect([int(ticks) for ticks in column(table, "samples")] ==
           [row["samples"] for row in found["rows"]], f"{table}")
    for by, titles in (("line", ["line", "function", "inlined", "object"]), ("object", ["object", "path"]),
                       ("address", ["address", "function", "inlined", "object"])):
        table, = tables("report", "--by", by, "hostile.pb")
        expect(table[0][3:] == titles, f"{by}: {table[0]}")
        expect(sum(int(ticks) for ticks in column(table, "samples")) == found["total"], f"{table}")
    done = profil("report", "--markdown", "-n", "3", "hostile.pb")
    expect("and 7 more rows with 350 samples" in done.text and
           "500 samples = 500 program" in done.text, done.text)


def case_json():
    """Every view is one JSON object, with the fields that tell how the profile was taken."""
    place()
    for arguments in (["report"], ["annotate"], ["hist"], ["hist", "--strip"], ["diff", "other.pb"]):
        done = profil(*arguments, "--json", "hostile.pb")
        expect(done.status == 0 and not done.stderr, f"{arguments}: {done.words}")
        found = json.loads(done.text)
        if arguments[0] != "diff":
            expect(found["identity"]["holds"] and "facts" in found, f"{arguments}: {found.keys()}")


def case_none():
    """A profile without ticks has no table, and says so."""
    pprof.write("none.pb", [("none", "", 0, 0x1000, 0)], [])
    done = profil("report", "--markdown", "none.pb")
    expect(done.status == 0 and "0 samples" in done.text and "|" not in done.text, done.text)
    check_error(profil("annotate", "--markdown", "none.pb"), says="no samples")
