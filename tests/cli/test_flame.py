# SPDX-License-Identifier: BSD-2-Clause
"""profil flame: the boxes of a flame graph, of recorded profiles and of folded stacks."""

import json
import os
import re
import shutil
import xml.etree.ElementTree as xml

from command import check_error, expect, profil, run, PROFIL
from golden import DATA

NS = "{http://www.w3.org/2000/svg}"
ROW = 17
AMOUNT = re.compile(r"([\d,]+)(?: of [\d,]+)? samples?(?:, |$)")


class Box:
    def __init__(self, rect):
        self.words = rect.find(f"{NS}title").text.split("\n")
        self.name = self.words[0]
        self.x, self.y, self.width = (float(rect.get(name)) for name in ("x", "y", "width"))
        found = AMOUNT.match(self.words[-1])
        self.samples = int(found[1].replace(",", "")) if found else None


def place(name="go-runtime"):
    shutil.copy(os.path.join(DATA, "profiles", f"{name}.pb.gz"), "profil.pb.gz")


def fold(text, name="stacks.folded"):
    with open(name, "w") as file:
        file.write(text)
    return name


def draw(*arguments):
    """Its boxes, the whole first, and all texts."""
    done = profil("flame", "-o", "out.svg", *arguments)
    expect(done.status == 0 and not done.words and done.text == "out.svg\n", f"{done.text}{done.words}")
    root = xml.parse("out.svg").getroot()
    rects = [rect for rect in root.iter(f"{NS}rect") if rect.find(f"{NS}title") is not None]
    return [Box(rect) for rect in rects], [text.text for text in root.iter(f"{NS}text")]


def rows_of(boxes):
    """Boxes by row, from the whole on."""
    rows = {}
    for box in boxes:
        rows.setdefault(round(abs(box.y - boxes[0].y) / ROW), []).append(box)
    return [sorted(rows[row], key=lambda box: box.x) for row in sorted(rows)]


def case_boxes():
    """Each box is as wide as its samples, lies within its caller's, and beside no other's."""
    boxes, texts = draw("--minwidth", "0", fold("a;b;c 50\na;b;d 25\na;e 15\nf 10\n"))
    scale = boxes[0].width / 100
    expect([(box.name, box.samples) for box in boxes]
           == [("all", 100), ("a", 90), ("b", 75), ("c", 50), ("d", 25), ("e", 15), ("f", 10)],
           f"{[(box.name, box.samples) for box in boxes]}")
    for box in boxes:
        expect(abs(box.width - scale * box.samples) < 1, f"{box.name}: {box.width} wide")
    rows = rows_of(boxes)
    expect([[box.name for box in row] for row in rows] == [["all"], ["a", "f"], ["b", "e"], ["c", "d"]],
           f"{[[box.name for box in row] for row in rows]}")
    for above, below in zip(rows[1:], rows):
        for box in above:
            expect(any(under.x - 0.02 <= box.x and box.x + box.width <= under.x + under.width + 0.52
                       for under in below), f"{box.name} lies on no box")
        for left, right in zip(above, above[1:]):
            expect(left.x + left.width <= right.x + 0.02, f"{left.name} and {right.name}")
    expect(boxes[1].y < boxes[0].y, "roots are not at the bottom")
    expect({"all", "a", "b", "c"} <= set(texts), f"{texts}")
    expect(boxes[1].words[-1] == "90 samples, 90.0 % (82.6 – 94.5 %)", f"{boxes[1].words}")


def case_as_tree():
    """The samples of all boxes are those of the tree, and every sample is in the picture."""
    place("wall")
    for options in ([], ["--reverse"]):
        rows = json.loads(profil("tree", "--json", "--min", "0%", *options).text)["rows"]
        boxes, _ = draw("--minwidth", "0", *options)
        expect(sorted((row["function"], row["samples"]) for row in rows)
               == sorted((box.name, box.samples) for box in boxes[1:]), f"{options}: not the tree")
        expect(sum(box.samples for box in rows_of(boxes)[1]) == boxes[0].samples, "samples are missing")


def case_narrow():
    """What is too narrow is one box that says how many functions it is, with their samples."""
    boxes, texts = draw("--width", "200", fold("".join(f"a;b{i} 1\n" for i in range(812)) + "a;c 188\n"))
    expect([(box.name, box.samples) for box in boxes]
           == [("all", 1000), ("a", 1000), ("c", 188), ("812 more functions", 812)],
           f"{[(box.name, box.samples) for box in boxes]}")
    boxes, _ = draw("--width", "200", "--minwidth", "0.1", "stacks.folded")
    expect(len(boxes) == 815, f"{len(boxes)} boxes")


def case_turned():
    """--inverted has the roots at the top, --reverse the leaves at the bottom."""
    name = fold("a;b 60\nc;b 40\n")
    boxes, _ = draw("--inverted", name)
    expect(boxes[1].y > boxes[0].y, "roots are not at the top")
    boxes, _ = draw("--reverse", name)
    expect([[box.name for box in row] for row in rows_of(boxes)] == [["all"], ["b"], ["a", "c"]], "not leaf first")


def case_a_part():
    """--function draws a part, and says of how much."""
    boxes, _ = draw("--function", "^b$", fold("a;b;c 30\na;d 70\n"))
    expect(boxes[0].words[-1].startswith("30 of 100 samples, 30.0 %"), f"{boxes[0].words}")
    expect([box.name for box in boxes[1:]] == ["b", "c"], f"{[box.name for box in boxes]}")


def case_values():
    """--value draws waits of a --wall profile, in time."""
    place("wall")
    boxes, _ = draw("--value", "blocked")
    expect(re.match(r"[\d.]+ (s|ms|us), 100.0 %$", boxes[0].words[-1]), f"{boxes[0].words}")
    expect(any(box.name == "futex" for box in boxes), "no futex")


def case_waits_on_the_page():
    """The page of a --wall profile has a second graph, of all of the time of threads: what ran and each reason of a wait
    are as wide as profil report says, and everything is in it."""
    place("wall")
    expect(profil("html").status == 0, "no page")
    with open("profil.html", encoding="utf-8") as file:
        page = file.read()
    section = re.search(r"<section id=wall .*?</section>", page, re.S)[0]
    boxes = [Box(rect) for rect in xml.fromstring(re.search(r"<svg.*</svg>", section, re.S)[0].replace(
        "<svg class=flame role=img", f'<svg xmlns="{NS[1:-1]}"').replace("xml:space", "space")).iter(f"{NS}rect")]
    found = json.loads(profil("report", "--json", "--by", "reason").text)
    reasons = {row["name"]: row["runqueue_ns"] + row["blocked_ns"] for row in found["rows"]}
    reasons = {name: ns for name, ns in reasons.items() if ns}
    samples = sum(row["samples"] for row in json.loads(profil("report", "--json").text)["rows"])
    ran = samples * found["facts"]["period_ns"]
    scale = boxes[0].width / (ran + sum(reasons.values()))
    sums = sum(box.width for box in boxes if len(box.words) == 2 and box is not boxes[0])
    for reason, ns in reasons.items():
        drawn = [box.width for box in boxes if box.words[:2] == [reason, "[waiting]"]]
        # Half a pixel stands between boxes; a box of what is added up may have some of it.
        expect(sum(drawn) - 0.02 * len(drawn) <= ns * scale <= sum(drawn) + 0.6 * len(drawn) + sums,
               f"{reason}: {sum(drawn)} pixels, not {ns * scale}")
    first = [box.width for box in boxes if round(box.y / ROW) == 1]
    expect(abs(sum(first) - boxes[0].width) <= 0.6 * len(first), f"{first} of {boxes[0].width}")
    expect(re.search(r"</span>waiting ", section) and "id=of-wall" in page, "not said")
    place()
    expect(profil("html").status == 0, "no page")
    with open("profil.html", encoding="utf-8") as file:
        expect("of-wall>" not in file.read(), "a switch between one graph")


def case_title_and_colors():
    """The title, the width, and what colours stand for."""
    name = fold("a;b 60\nc;b 40\n")
    _, texts = draw("--title", "A & <B>", "--width", "640", name)
    expect(texts[0] == "A & <B>", f"{texts}")
    expect(xml.parse("out.svg").getroot().get("width") == "640", "another width")
    fills = set()
    for colors in ("class", "object", "hot"):
        draw("--colors", colors, name)
        with open("out.svg") as file:
            fills.add(tuple(re.findall(r'fill="(#\w+)"><title>', file.read())))
    expect(len(fills) == 3, f"{fills}")


def case_output():
    """Standard input and output; a picture that ends in .png is one."""
    done = run("sh", "-c", f"printf 'a;b 3\\n' | {PROFIL} flame -o /dev/stdout - | cat")
    expect(done.status == 0 and done.text.startswith("<?xml") and done.text.endswith("</svg>\n"), done.words)
    done = profil("flame", "-o", "out.PNG", fold("a;b 3\n"))
    expect(done.status == 0, done.words)
    with open("out.PNG", "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", "not PNG")
    profil("flame", "stacks.folded")
    expect(os.path.exists("profil.svg"), "no profil.svg")


def case_hostile():
    """Names that are markup, control characters or no text do no harm."""
    with open("stacks.folded", "wb") as file:
        file.write(b'<script>alert(1)</script>;"]]>&\x1b[31m;\xff\xfe;' + b"x" * 10000 + b" 100\n")
    boxes, _ = draw("stacks.folded")
    expect([box.name[:25] for box in boxes[1:]]
           == ["<script>alert(1)</script>", '"]]>&?[31m', "??", "x" * 25], f"{[box.name[:25] for box in boxes]}")


def case_errors():
    """What is wrong is said in one line, and nothing is written."""
    place("split-kernel")
    check_error(profil("flame"), 125, "flame: the profile has no call stacks: take it with -g")
    name = fold("a;b 3\n")
    check_error(profil("flame", "--minwidth", "wide", name), 125, "--minwidth 'wide': not a width")
    check_error(profil("flame", "--width", "10", name), 125, "--width")
    check_error(profil("flame", "-o", "none/x.svg", name), 125, "none/x.svg")
    expect(not os.path.exists("profil.svg"), "a picture was written")
