# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks: the tree of calls, and what of them stands in other views."""

import csv
import io
import json
import os
import re
import shutil

from command import expect, profil
from golden import DATA
from recorded import Recorded
from terminal import Terminal


def go_runtime():
    """A profile of 14 samples with call stacks."""
    shutil.copy(os.path.join(DATA, "profiles", "go-runtime.pb.gz"), ".")
    return "go-runtime.pb.gz"


def said(*arguments):
    done = profil(*arguments)
    expect(done.status == 0 and not done.words, f"{arguments}: {done.status}: {done.words}")
    return done.text


def case_no_stacks():
    """A profile without call stacks is refused with one line that names the option."""
    for form in ([], ["--json"], ["--reverse"]):
        done = profil("tree", *form, Recorded("split-kernel").path)
        expect(done.status == 125 and len(done.words.splitlines()) == 1 and "-g" in done.words and not done.text,
               f"{form}: {done.status}: {done.words}{done.text}")


def case_callers():
    """Who called a function, in every form; both ways are the same calls."""
    path = go_runtime()
    text = said("report", "--callers", "--function", "^cmpbody$", path)
    expect(text == said("report", "--callers=^cmpbody$", path), "--callers=REGEX is another")
    done = profil("report", "--callers=a", "--function", "b", path)
    expect(done.status == 125 and "named twice" in done.words, done.words)
    rows = [line for line in text.splitlines() if " cmpbody" in line or " by " in line]
    expect(rows[0].split()[:2] == ["4", "by"] and rows[-1].split() == ["4", "4", "cmpbody", "crowd"], text)
    calls = json.loads(said("report", "--callers", "--json", path))["calls"]
    callees = json.loads(said("report", "--callees", "--json", path))["calls"]
    expect(calls == callees == json.loads(said("report", "--calls", "--json", path))["calls"] and len(calls) > 10,
           f"{len(calls)} calls, {len(callees)} callees")
    table = list(csv.DictReader(io.StringIO(said("report", "--callers", "--csv", path))))
    expect([(row["caller"], row["callee"], int(row["samples"])) for row in table]
           == [(row["caller"], row["callee"], row["samples"]) for row in calls], table)
    done = profil("report", "--callers", Recorded("split-kernel").path)
    expect(done.status == 125 and "-g" in done.words, done.words)


def case_min_callers():
    """Calls with less than 0.5 % of the function's samples, or --min, are one row for eyes, and all are there for
    programs; what was counted has its row."""
    with open("many", "w", encoding="utf-8") as file:
        file.write("main;often;leaf 990\nmain;rare;leaf 6\n" + "".join(f"main;few{i};leaf 4\n" for i in range(30)))
    callers = [line.split("by ")[1].split()[0] for line in
               said("report", "--callers", "--function", "^leaf$", "many").splitlines() if " by " in line]
    expect(callers == ["often", "rare", "30"], f"{callers}")
    text = said("report", "--callers", "--function", "^leaf$", "--min", "0%", "many")
    expect(text.count(" by ") == 32 and "more" not in text.split("\n\n")[2], text)
    text = said("report", "--callees", "--function", "^main$", "--min", "50%", "many")
    expect(text.count(" calls ") == 2 and "calls 31 more" in text, text)
    expect(len(json.loads(said("report", "--callers", "--json", "--function", "^leaf$", "many"))["calls"]) == 32, "JSON")
    done = profil("report", "--min", "1%", "many")
    expect(done.status == 125 and "--callers" in done.words, done.words)


def case_matching_no_samples():
    """A function that only calls has a row, so that it cannot be said that nothing matches."""
    path = go_runtime()
    for name, says in (("^sort.Slice$", False), ("^nowhere$", True)):
        text = said("report", "--function", name, path)
        expect(("nothing matches" in text) == says and "0 of 14 samples" in text, text)


def case_intervals():
    """What an interval is is said where some are shown, and not beside a tree that has no room for them."""
    with open("many", "w", encoding="utf-8") as file:
        file.write("main;often;leaf 990\nmain;rare;leaf 5\n")
    for columns, has in ((120, True), (80, False)):
        terminal = Terminal(["tree", "many"], columns=columns)
        expect(terminal.wait() == 0 and "share: of all samples" in terminal.text, terminal.text)
        expect(("95 % interval" in terminal.text) == has == ("Wilson" in terminal.text), terminal.text)


def case_one_account():
    """The tree, the report's totals and the callers are of the same samples."""
    path = go_runtime()
    tree = json.loads(said("tree", "--min", "0%", "--json", path))
    rows = json.loads(said("report", "--json", path))["rows"]
    expect(sum(row["samples"] for row in tree["rows"] if row["depth"] == 0) == tree["total"] == 14, tree["total"])
    expect(sum(row["self"] for row in tree["rows"]) == 14 == sum(row["samples"] for row in rows), "self")
    expect(tree["stacks"]["whole"] == 14 == sum(tree["stacks"].values()), tree["stacks"])
    for row in rows:
        shown = json.loads(said("tree", "--min", "100%", "--json", "--function",
                                "^" + "".join("\\" + c if c in ".()*" else c for c in row["name"]) + "$", path))
        expect(shown["shown"] == row["total"]["samples"], f"{row['name']}: {shown['shown']}, {row['total']}")
        leaf = json.loads(said("tree", "--reverse", "--min", "0%", "--json", path))["rows"]
        own = sum(one["samples"] for one in leaf if one["depth"] == 0 and one["function"] == row["name"])
        expect(own == row["samples"], f"{row['name']}: {own}, {row['samples']}")


def case_under():
    """--under is the part of the samples with a function on their stack, in each view alike."""
    path = go_runtime()
    whole = json.loads(said("report", "--json", path))
    total = {row["name"]: row["total"]["samples"] for row in whole["rows"]}
    for name in ("sort.Slice", "cmpbody", "runtime.growslice"):
        part = json.loads(said("report", "--json", "--under", f"^{name}$", path))
        expect(part["total"] == total[name] and part["identity"]["holds"], f"{name}: {part['total']}")
        folded = said("export", "--to", "folded", "--under", f"^{name}$", path)
        lines = [line.rsplit(" ", 1) for line in folded.splitlines()]
        expect(sum(int(count) for _, count in lines) == total[name], folded)
        expect(all(name in stack.split(";") for stack, _ in lines), folded)
        expect(f"--under ^{name}$" in said("tree", "--under", f"^{name}$", path), name)
    for arguments, why in ((["--under", "nowhere", path], "nothing matches"), (["--under", "(", path], "regex"),
                           (["--under", "x", Recorded("split-kernel").path], "-g")):
        done = profil("hist", *arguments)
        expect(done.status == 125 and why in done.words and not done.text, f"{arguments}: {done.words}")


def case_colours():
    """A function has the colour of its class, as the first line shows it, and the branches before it have none."""
    path = os.path.join(DATA, "profiles", "calls-new-3.pb.gz")
    text = said("tree", "--min", "0%", "--color", "always", path)
    inks = {name: ink for ink, name in re.findall(r"(\x1b\[[\d;]+m)(\w+)\x1b\[0m [\d.]+ %", text.split("\n")[0])}
    expect(len(set(inks.values())) == len(inks) >= 6, f"{inks}")
    shown = re.findall(r"(?:  |[│├└] |\(\+\d+\) )(\x1b\[[\d;]+m)(\S+)\x1b\[0m +(\x1b\[[\d;]+m)(\S+)\x1b\[0m\n", text)
    rows = [row for row in json.loads(said("tree", "--min", "0%", "--json", path))["rows"] if row.get("class")]
    expect({row["class"] for row in rows} == {"program", "libraries", "kernel"}, f"{rows}")
    expect(shown[1:] == [(inks[row["class"]], row["function"], inks[row["class"]], row["object"]) for row in rows], text)
    plain = said("tree", "--min", "0%", path)
    expect("\x1b" not in plain and plain == re.sub(r"\x1b\[[\d;]*m", "", text), plain)
    shown = Terminal(["tree", path])
    expect(shown.wait() == 0 and inks["kernel"] in shown.text, shown.text)
    for arguments, environment in ((["--color", "never"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
        shown = Terminal(["tree", *arguments, path], environment=environment)
        expect(shown.wait() == 0 and "\x1b" not in shown.text, f"{environment}: {shown.text}")


def case_diff_by_path():
    """A function that is dearer in one call path alone: that path is the row that changed, callers first in JSON,
    innermost first for eyes; recursion is one path; the rows share out all samples."""
    for side, slow in (("old", 300), ("new", 900)):
        for run in range(3):
            with open(f"{side}{run}", "w", encoding="utf-8") as file:
                file.write(f"main;fast;leaf {1000 + run}\nmain;slow;leaf {slow - run}\nmain;rec;rec;leaf {200 + run}\n"
                           f"main;rec;leaf 200\nmain;other {500 - run}\n"
                           "[truncated: the stack could not be read];leaf 50\n")
    files = ["old0", "old1", "old2", "--", "new0", "new1", "new2"]
    found = json.loads(said("diff", "--by", "path", "--json", *files))
    rows = {row["name"]: row for row in found["rows"]}
    expect(found["by"] == "path" and set(rows) == {"main;fast;leaf", "main;slow;leaf", "main;rec;leaf", "main;other",
                                                   "[truncated];leaf"}, f"{set(rows)}")
    expect(found["rows"][0]["name"] == "main;slow;leaf" and rows["main;slow;leaf"]["significant"]
           and rows["main;slow;leaf"]["change"] > 0.1 and rows["main;slow;leaf"]["function"] == "leaf", f"{rows}")
    expect(rows["main;rec;leaf"]["before"]["samples"] == 1203, f"{rows['main;rec;leaf']}")
    for side in ("before", "after"):
        expect(sum(row[side]["samples"] for row in found["rows"]) == found[side]["samples"], side)
    text = said("diff", "--by", "path", *files)
    expect("called by" in text and "slow < main" in text and "main;" not in text, text)
    expect("`slow < main`" in said("diff", "--by", "path", "--markdown", *files), "markdown")
    flat = Recorded("split-kernel").path
    done = profil("diff", "--by", "path", flat, flat)
    expect(done.status == 125 and "before has no call stacks" in done.words and not done.text, done.words)
