# SPDX-License-Identifier: BSD-2-Clause
"""profil hist: the histogram from low to high addresses, in every bucket, form and picture."""

import json
import os
import xml.etree.ElementTree
import zlib

import pprof
from command import Skip, check_error, check_files, expect, profil, target
from golden import compare
from measure import take
from terminal import Terminal
from test_annotate import UTF8, place


def hist(*arguments, **how):
    done = profil("hist", *arguments, **{"env": UTF8, **how})
    expect(done.status == 0 and not done.stderr, f"{arguments}: {done.status}: {done.words}")
    return done.text


def hist_json(*arguments):
    return json.loads(hist("--json", *arguments))


def check_sums(view):
    """Rows rise, their sum runs to the object's end, and all that is left out is named."""
    total = 0
    for item in view["objects"]:
        cells = item.get("rows") or [{"samples": ticks} for ticks in item["strip"]]
        expect(sum(row["samples"] for row in cells) == item["samples"],
               f"{item['object']}: rows do not sum to {item['samples']}")
        if "rows" not in item:
            total += item["samples"]
            continue
        starts = [row["start"] for row in item["rows"]]
        expect(starts == sorted(starts), f"{item['object']}: not from low to high: {starts}")
        for row in item["rows"]:
            total += row["samples"]
            expect(row["sum"] == total, f"the sum at {row['start']:x} is {row['sum']}: {total}")
    expect(total == view["shown"], f"{total} in rows, {view['shown']} shown")
    expect(view["shown"] + view["without_address"] + view["other_objects"] == view["total"] ==
           view["identity"]["samples"] == sum(view["classes"].values()),
           "the identity does not hold")


def case_golden():
    """Text, strip, Markdown, JSON and SVG of a known profile are what they were."""
    place("x86_64")
    expected = "annotate/expected/hist"
    compare(f"{expected}.txt", hist("loop.pb"))
    compare(f"{expected}-16.txt", hist("--bucket=16", "--object=loop-x86_64", "loop.pb"))
    compare(f"{expected}-line.txt", hist("--bucket=line", "loop.pb"))
    compare(f"{expected}-n1.txt", hist("-n1", "--bucket=8", "loop.pb"))
    compare(f"{expected}-ascii.txt", hist("loop.pb", env={**os.environ, "LC_ALL": "C"}))
    compare(f"{expected}-color.txt", hist("--color=always", "loop.pb"))
    compare(f"{expected}-strip.txt", hist("--strip", "loop.pb"))
    compare(f"{expected}.md", hist("--markdown", "loop.pb"))
    compare(f"{expected}.json", hist("--json", "loop.pb"))
    hist("--svg", "a.svg", "loop.pb")
    with open("a.svg") as file:
        compare(f"{expected}.svg", file.read())


def case_sums():
    """However it is cut, folded or drawn, the ticks are the profile's."""
    place("x86_64")
    for bucket in ("function", "line", "page", "1", "3", "64", "1000000"):
        for rows in ("0", "1", "2", "5"):
            view = hist_json("--bucket", bucket, "-n", rows, "loop.pb")
            check_sums(view)
            shown = sum(not row["fold"] for item in view["objects"] for row in item["rows"])
            expect(rows == "0" or shown <= int(rows), f"{shown} rows, not {rows}")
    check_sums(hist_json("--strip", "loop.pb"))
    view = hist_json("--object", "loop-x86_64", "loop.pb")
    check_sums(view)
    expect(view["other_objects"] == 47, f"{view['other_objects']} elsewhere")


def case_errors():
    """What is asked wrongly is said in one line, and no picture is begun."""
    place("x86_64")
    files = os.listdir(".")
    check_error(profil("hist", "--bucket", "nothing", "loop.pb"), says="--bucket 'nothing'")
    check_error(profil("hist", "--bucket", "0", "loop.pb"), says="--bucket '0'")
    check_error(profil("hist", "--object", "nosuch", "loop.pb"), says="'nosuch'")
    check_error(profil("hist", "a.pb", "b.pb"), says="more than one")
    check_error(profil("hist", "nosuch.pb"), says="nosuch.pb")
    check_error(profil("hist", "--svg", "no/folder.svg", "loop.pb"), says="no/folder.svg")
    check_error(profil("hist", "--svg", "/dev/full", "loop.pb"), says="/dev/full")
    check_files(*files)


def png_pixels(path):
    """Width, height and the colours of a PNG of 8 bits RGB, read as its specification has it."""
    with open(path, "rb") as file:
        data = file.read()
    expect(data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
    width, height = (int.from_bytes(data[i:i + 4], "big") for i in (16, 20))
    at, packed = 8, b""
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    return width, height, zlib.decompress(packed)


def case_pictures():
    """An SVG is sound XML with a bar a row, and a PNG is as large and no blank page."""
    place("x86_64")
    hist("--svg", "a.svg", "loop.pb")
    root = xml.etree.ElementTree.parse("a.svg").getroot()
    titles = [node.text for node in root.iter("{http://www.w3.org/2000/svg}title")]
    lowest = max(float(node.get("y")) for node in root.iter("{http://www.w3.org/2000/svg}text"))
    expect(lowest < float(root.get("height")), f"text at {lowest}, below the picture's end")
    expect("spin" in titles and "_start" in titles and "lost" in titles, f"{titles}")
    done = profil("hist", "--png", "a.png", "loop.pb")
    if "Cairo" in done.words:
        check_error(done, says="take --svg")
        raise Skip(done.words.strip())
    expect(done.status == 0, done.words)
    width, height, pixels = png_pixels("a.png")
    expect((str(width), str(height)) == (root.get("width"), root.get("height")),
           f"{width} x {height}")
    expect(len(set(pixels)) > 16, "blank")
    hist("--strip", "--svg", "b.svg", "--png", "b.png", "loop.pb")
    expect(png_pixels("b.png")[1] < height, "strips alone are no shorter")


def case_widths():
    """No line of a terminal's page is wider than it, from 80 to 160 columns."""
    place("x86_64")
    for columns in (80, 100, 160):
        for more in ((), ("--strip",)):
            terminal = Terminal(["hist", "--color=never", *more, "loop.pb"], columns=columns)
            expect(terminal.wait() == 0, terminal.text)
            wide = [line for line in terminal.text.splitlines() if len(line.rstrip()) > columns]
            expect(not wide, f"{columns}: {wide}")


def case_color():
    """Colours of 24 bits where COLORTERM says so, of a palette else, none with NO_COLOR."""
    place("x86_64")
    for environment, seen in (({"COLORTERM": "truecolor"}, "\x1b[38;2;"), ({}, "\x1b[1;31m")):
        terminal = Terminal(["hist", "loop.pb"], environment={"COLORTERM": "", **environment})
        expect(terminal.wait() == 0 and seen in terminal.text, f"{environment}: {terminal.text}")
    terminal = Terminal(["hist", "loop.pb"], environment={"NO_COLOR": "1"})
    expect(terminal.wait() == 0 and "\x1b" not in terminal.text, terminal.text)
    expect("\x1b" not in hist("loop.pb"), "colours in a pipe")


def case_real():
    """A run measured now, with a library and the kernel: every tick is in the picture."""
    measurement = take("sh", "-c", '"$1" 0.3; "$2" "$3"; head -c 200M /dev/zero >/dev/null', "sh",
                       target("split"), target("split-dlopen"), target("libspin.so"), cpu=False)
    for options in ((), ("--bucket=page",), ("--bucket=line",), ("--bucket=64", "-n7")):
        check_sums(hist_json(*options, measurement.path))
    view = hist_json("--object", "libspin.so", measurement.path)
    rows = {row["name"]: row["samples"] for row in view["objects"][0]["rows"] if not row["fold"]}
    ticks = measurement.ticks("name", measurement.by("function", "--object", "libspin.so")["rows"])
    expect(rows == ticks, f"{rows} here, {ticks} in the report")
    expect(0 < view["objects"][0]["pages_hit"] <= view["objects"][0]["pages"], f"{view}")


def case_names_without_a_file():
    """Where there is no file to ask a bucket is called after its hottest address, too, and an address
    of no function as the report calls it."""
    pprof.write("gone.pb", [("gone", "ff00", 0x1000, 0x4000, 0)],
                [(0, 0x1010, "cool", "", 0, 3), (0, 0x1020, "hot", "", 0, 40),
                 (0, 0x1030, "mild", "", 0, 7), (0, 0x3008, "", "", 0, 9)])
    for options, names in ((("--bucket=page",), ["hot", "gone+0x3008"]),
                           ((), ["cool", "hot", "mild", "gone+0x3008"]),
                           (("--bucket=line",), ["cool", "hot", "mild", "gone+0x3008"])):
        rows = hist_json(*options, "gone.pb")["objects"][0]["rows"]
        found = [row["name"] for row in rows if not row["fold"]]
        expect(found == names, f"{options}: {found}")
        expect(all(name in hist(*options, "gone.pb") for name in names), f"{options}: text")
    report = json.loads(profil("report", "--json", "gone.pb").text)
    expect("gone+0x3008" in [row["name"] for row in report["rows"]], f"{report['rows']}")


def case_odd():
    """Names that are no text and addresses at both ends of what there is do no harm."""
    odd = r'<a href=\"x\">&\n\033[31m\377\303(\357\277\277'
    pprof.write("odd.pb", [("odd", "", 0, 0x1000, 0),
                           ("end", "", (1 << 64) - 4096, (1 << 64) - 1, 0)],
                [(0, 0, odd, "o.c", 1, 5), (0, 0xfff, "", "", 0, 7),
                 (1, (1 << 64) - 2, odd, "", 0, 30), (1, (1 << 64) - 1, "", "", 0, 2)])
    for bucket in ("function", "line", "page", "1", "3", str(1 << 40)):
        check_sums(hist_json("--bucket", bucket, "odd.pb"))
        done = profil("hist", "--bucket", bucket, "--color=never", "odd.pb")
        expect(done.status == 0 and b"\x1b" not in done.stdout, f"{done.words} {done.stdout}")
    check_sums(hist_json("--strip", "odd.pb"))
    expect(profil("hist", "--strip", "odd.pb").status == 0, "--strip")
    hist("--svg", "odd.svg", "odd.pb")
    xml.etree.ElementTree.parse("odd.svg")
    done = profil("hist", "--png", "odd.png", "odd.pb")
    expect(done.status == 0 or "Cairo" in done.words, done.words)
    done = profil("annotate", "--json", "-n0", "odd.pb")
    expect(done.status == 0 and json.loads(done.text)["elsewhere"] == 0, done.words)
    expect(profil("annotate", "--markdown", "odd.pb").status == 0, "annotate --markdown")
