# SPDX-License-Identifier: BSD-2-Clause
"""profil diff --html: the flame graph of what changed, of profiles that were recorded or drawn once."""

import html
import json
import os
import re
import shutil

from command import check_error, expect, profil
from diffs import diff
from golden import DATA

RECT = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="16.00" fill="(#\w+)"><title>(.*?)</title>', re.S)
SIDES = re.compile(r"before \S+ \S+(?: \(([\d,]+) samples?\))?, after \S+ \S+(?: \(([\d,]+) samples?\))?, change ")
ROW = 17


class Frame:
    """A box of the picture: its path from the root, its samples on both sides, and what is said of it."""

    def __init__(self, found, above):
        self.x, y, self.width = (float(number) for number in found[:3])
        self.depth = round(y / ROW)
        self.color = found[3]
        self.words = html.unescape(found[4]).split("\n")
        self.is_sum = len(self.words) == 2 and self.depth > 0
        # What it called is not drawn.
        self.is_narrow = self.is_sum or self.width < 0.5
        parent = next((box for box in reversed(above) if box.depth == self.depth - 1
                       and box.x - 0.02 <= self.x and self.x + self.width <= box.x + box.width + 0.52), None)
        expect(parent or not self.depth, f"{self.words} lies below no box")
        self.path = (*parent.path, self.words[0]) if self.depth else ()
        counts = SIDES.match(self.words[-1])
        expect(counts, f"{self.words}")
        self.samples = [int(count.replace(",", "")) for count in counts.groups() if count]
        self.verdict = self.words[-1].partition(";")[0].rpartition(": ")[2]

    @property
    def hue(self):
        red, _, blue = (int(self.color[at:at + 2], 16) for at in (1, 3, 5))
        return "grey" if red == blue else "red" if red > blue else "blue"


def recorded(*names):
    for name in names:
        shutil.copy(os.path.join(DATA, "profiles", name), name)
    return list(names)


def runs(name, numbers="123"):
    return recorded(*(name.format(number) for number in numbers))


def page(before, after, *options):
    """The frames of the page, the whole first, and its text."""
    done = profil("diff", "--html", "page.html", *options, *before, "--", *after)
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    frames = []
    for found in RECT.findall(text):
        frames.append(Frame(found, frames))
    changed = sum(frame.verdict in ("slower", "faster", "a larger share", "a smaller share") for frame in frames[1:])
    sums = sum(int(frame.verdict.split()[0]) for frame in frames if re.match(r"\d+ of them changed", frame.verdict))
    if frames:
        expect(re.fullmatch(rf"page\.html: [\d.]+ [KM]iB: {changed + sums} of [\d]+ frames? changed\n", done.text),
               f"{done.text}: {changed} and {sums}")
    return frames, text


def samples_below(rows, path):
    """Of rows by path, the samples of those that begin with PATH."""
    return [sum(row[side]["samples"] for row in rows if tuple(row["name"].split(";"))[:len(path)] == path)
            for side in ("before", "after")]


def check_sums(before, after, *options):
    """Each frame has the samples of all paths through it, and no sample is in no box.  Where some are added up, one of
    the same name in another file may be among them, and what is below them is not known."""
    rows = diff(before, after, "--by", "path", *options)["rows"]
    frames, _ = page(before, after, *options)
    expect(len(frames) > 2, "no frames")
    has_sums = any(frame.is_narrow for frame in frames)
    for path in {frame.path for frame in frames if not frame.is_sum}:
        shown = [sum(sizes) for sizes in zip(*(frame.samples for frame in frames if frame.path == path))]
        due = samples_below(rows, path)
        expect(shown == due or has_sums and all(some <= most for some, most in zip(shown, due)), f"{path}: {shown}, {due}")
    for depth in range(1, max(frame.depth for frame in frames) + 1):
        shown = [sum(sizes) for sizes in zip(*(frame.samples for frame in frames if frame.depth == depth))]
        expect(shown == samples_below([row for row in rows if len(row["name"].split(";")) >= depth], ()),
               f"depth {depth}: {shown}")
        if any(frame.is_narrow for frame in frames if frame.depth == depth):
            break
    return has_sums


def case_every_sample_is_in_a_frame():
    """The samples of frames are those of profil diff, on both sides, whole and of some functions."""
    drawn = runs("stacks-old-{}"), runs("stacks-new-{}")
    expect(not check_sums(*drawn) and not check_sums(*drawn, "--function", "^copy"), "too narrow")
    calls = runs("calls-old-{}.pb.gz"), runs("calls-new-{}.pb.gz")
    check_sums(*calls)
    check_sums(*calls, "--object", "libc.so.6")


def case_slower_program():
    """Of recorded runs of a program in which dear does twice as much, dear and what called it are red, and what else
    it does is grey.  Of each depth the chance of an alarm is 5 %; these runs, recorded once, have one."""
    frames, text = page(runs("calls-old-{}.pb.gz"), runs("calls-new-{}.pb.gz"), "--per", "run")
    # The widest of each name comes first.
    by_path = {frame.path: frame for frame in reversed(frames)}
    main = ("_start", "__libc_start_main", "__libc_start_call_main", "main")
    for path in ((), *(main[:depth] for depth in range(1, 5)), (*main, "dear")):
        expect((by_path[path].hue, by_path[path].verdict) == ("red", "slower"), f"{by_path[path].words}")
    dear = by_path[*main, "dear"].words[-1]
    expect(re.search(r"change \+128\.\d ms \(\+99\.\d %\), 95 % interval \+1\d\d\.\d – \+1\d\d\.\d, p <0\.001: slower$",
                     dear), dear)
    for name in ("leaf", "even", "qsort_r"):
        frame = by_path[*main, name]
        expect((frame.hue, frame.verdict) == ("grey", "not distinguishable"), f"{frame.words}")
    others = [frame for frame in frames if frame.hue != "grey" and frame.path[:5] not in
              {main[:depth] for depth in range(5)} | {(*main, "dear")}]
    expect([frame.words[0] for frame in others] == ["__memcpy_avx_unaligned_erms"] and "p 0.044" in others[0].words[-1],
           f"{[frame.words for frame in others]}")
    expect("6 of" in text and "for those of one depth" in text, "not said")


def case_colors_are_verdicts():
    """Red is what grew, blue what shrank, each in words too; what is gone or new is drawn; a row of profil diff by path
    that is a leaf of the picture has the change and the interval that profil diff prints."""
    old, new = runs("stacks-old-{}"), runs("stacks-new-{}")
    frames, _ = page(old, new)
    hues = {"a larger share": "red", "a smaller share": "blue", "not distinguishable": "grey"}
    for frame in frames[1:]:
        expect(frame.hue == hues[frame.verdict], f"{frame.color}: {frame.words}")
    by_path = {frame.path: frame for frame in frames}
    expect(by_path["main", "evaluate", "sort_rows"].hue == "red", "sort_rows")
    expect(by_path["main", "write", "copy"].samples == [273, 0], "what is gone")
    expect(by_path["main", "write", "copy_all"].samples == [0, 246], "what is new")
    expect(by_path["main",].hue == "grey", "main")
    for row in diff(old, new, "--by", "path")["rows"]:
        frame = by_path[tuple(row["name"].split(";"))]
        if any(other.path[:-1] == frame.path for other in frames):
            continue
        match = f"{row['match']}, " if row["match"] in ("new", "gone") else ""
        words = f"change {100 * row['change']:+.1f} points, {match}95 % interval " \
                f"{100 * row['low']:+.1f} – {100 * row['high']:+.1f}, p "
        expect(words in frame.words[-1], f"{frame.words}, not {words}")


def case_repeats_are_grey():
    """Recorded runs of one program, compared with each other: nothing is red or blue.  tests/unit/test-diff_chance.c
    says how often it may be."""
    for name in ("stacks-old-{}", "stacks-new-{}", "calls-old-{}.pb.gz", "calls-new-{}.pb.gz"):
        files = runs(name)
        for options in ((), ("--per", "run")) if "calls" in name else ((),):
            for before, after in ((files[:2], files[2:]), (files[:1], files[1:2])):
                frames, _ = page(before, after, *options)
                expect({frame.hue for frame in frames} == {"grey"}, f"{before} {after} {options}")


def case_narrow_with_more_below():
    """One that is narrow alone is drawn with its name, and says how many more functions are on it."""
    for name in "old", "new":
        with open(name, "w", encoding="ascii") as file:
            file.write("main;often 1000000\nmain;rare;deep;deeper 10\n")
    frames, _ = page(["old"], ["new"])
    expect([frame.words[0] for frame in frames] == ["all", "main", "often", "rare"], "other boxes")
    expect(frames[-1].words[-1].endswith(": not distinguishable; 2 more functions too narrow"), f"{frames[-1].words}")


def case_narrow():
    """What is narrower than half a pixel is in a box that says how many functions it is, with their samples, and how
    many of them changed."""
    for side in ("old", "new"):
        for run in range(3):
            with open(f"{side}-{run}", "w", encoding="ascii") as file:
                file.write("".join(f"main;rare_{number} {1 + (number + run) % 2}\n" for number in range(400)))
                file.write(f"main;often {10000000 + run}\nmain;grew {1000 if side == 'new' else 500 + run}\n")
    frames, _ = page([f"old-{run}" for run in range(3)], [f"new-{run}" for run in range(3)])
    expect([frame.words[0] for frame in frames] == ["all", "main", "often", "401 more functions"],
           f"{[frame.words[0] for frame in frames]}")
    expect(frames[-1].verdict == "1 of them changed" and frames[-1].samples == [1800 + 1503, 1800 + 3000],
           f"{frames[-1].words}")


def case_waits():
    """--value draws waits in time, their reasons below who waited; without repeats nothing is tested, and said so."""
    files = recorded("wall.pb.gz")
    reasons = diff(files, files, "--value", "blocked", "--by", "reason")["rows"]
    frames, _ = page(files, files, "--value", "blocked")
    expect({frame.hue for frame in frames} == {"grey"} and
           {frame.verdict for frame in frames if not frame.is_sum} - {frames[0].verdict} == {"not tested"}, "tested")
    leaves = {frame.words[0] for frame in frames}
    long = {row["name"] for row in reasons if row["before"]["value"] > 0.01}
    expect(len(long) > 4 and long <= leaves, f"{long}, not {leaves}")
    frames, _ = page(files * 2, files, "--value", "blocked")
    expect({frame.verdict for frame in frames[1:] if not frame.is_sum} == {"not distinguishable"}, "not tested")


def case_no_call_stacks():
    """Without call stacks on both sides the page says what to do, and has the table."""
    flat, = recorded("old-1.pb.gz")
    stacks, = recorded("calls-old-1.pb.gz")
    for before, after in ((flat, flat), (flat, stacks), (stacks, flat)):
        done = profil("diff", "--html", "page.html", before, after)
        expect(done.status == 0 and done.text.endswith(": no flame graph: a profile has no call stacks\n"), done.text)
        with open("page.html", encoding="utf-8") as file:
            text = file.read()
        expect("There is none: a profile has no call stacks: take all with -g." in text, "not said")
        expect("<svg class=flame" not in text and text.count("<tr class=") >= 3, "no table")


def case_the_gate_and_the_mode():
    """--fail-above ends as it does without a page; whoever may not read a profile may not read its page."""
    old, new = runs("calls-old-{}.pb.gz"), runs("calls-new-{}.pb.gz")
    done = profil("diff", "--per", "run", "--fail-above", "5%", "--html", "page.html", *old, "--", *new)
    expect(done.status == 1 and "the whole: it grew by 69.5 %" in done.words, f"{done.status}: {done.words}")
    expect(os.stat("page.html").st_mode & 0o777 == 0o600, "others may read the kernel's addresses")


def case_hostile_names():
    """Names that are markup, control characters or no text do no harm."""
    with open("odd.folded", "wb") as file:
        file.write(b'<script>alert(1)</script>;"]]>&\x1b[31m;\xff\xfe;' + b"x" * 10000 + b" 100\n")
    shutil.copy("odd.folded", "<script>alert(2)<\u2215script>")
    frames, text = page(["odd.folded"], ["<script>alert(2)<\u2215script>"])
    expect([name[:25] for name in frames[-1].path] == ["<script>alert(1)</script>", '"]]>&?[31m', "??", "x" * 25],
           f"{frames[-1].path}")
    expect("<script>alert" not in text and text.count("<script>") == 1 and "\x1b" not in text, "markup")


def case_errors():
    """What is wrong is said in one line, and no page is written."""
    old, = recorded("old-1.pb.gz")
    for words, says in ((("--json", "--html", "x"), "one form at a time"), (("--html", "x", "--csv"), "one form at a time"),
                        (("--html", "/nowhere/x"), "/nowhere/x: No such file or directory: name another place"),
                        (("--html", "x", "--by", "path"), "--by path: a profile before has no call stacks")):
        check_error(profil("diff", *words, old, old), says=says)
    expect(not os.path.exists("x"), "a page")
    expect(json.loads(profil("diff", "--json", old, old).text)["row_count"], "no JSON")
