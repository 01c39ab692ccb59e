# SPDX-License-Identifier: BSD-2-Clause
"""profil prohst: the listing of PROHST 1.0 to the byte, the mended one, and bad files."""

import os
import random
import struct

from command import check_error, check_files, expect, profil
from prohst_model import golden_random, listing
from terminal import on_any_terminal

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "prohst")
RANDOM = os.path.join(DATA, "random.tar.xz")


def read(name):
    with open(name, "rb") as file:
        return file.read()


def golden(name):
    return read(os.path.join(DATA, name))


def prf(buckets, *, size=1, low=0x850, dos=0x60, outside=(7, 3, 2), grain=1000):
    """A .PRF of these buckets; OUTSIDE is the hits in the I/O system, in DOS and above."""
    high = (low + size * len(buckets)) & 0xffff
    return struct.pack(f"<{9 + len(buckets)}H", grain, len(buckets), size, low, high, dos, *outside,
                       *buckets)


def make(data, *options, map_text=None):
    """The bytes that profil prohst makes of DATA."""
    with open("P.PRF", "wb") as file:
        file.write(data)
    names = ["P.PRF", "P.HST"]
    if map_text is not None:
        with open("P.MAP", "wb") as file:
            file.write(map_text.encode("latin-1"))
        names.append("P.MAP")
    done = profil("prohst", *options, *names)
    expect(done.status == 0 and not done.stderr and not done.stdout, done.words)
    return read("P.HST")


def compare(found, wanted, what):
    if found == wanted:
        return
    pairs = list(zip(found.split(b"\r\n"), wanted.split(b"\r\n")))
    first = next((pair for pair in pairs if pair[0] != pair[1]), "their lengths")
    raise AssertionError(f"{what}: differs in {first}")


def check_original(buckets, what, map_text=None, **header):
    data = prf(buckets, **header)
    compare(make(data, "--original", map_text=map_text), listing(data, map_text), what)


def map_of(modules, lines=(), ending="\r\n\x1a", suffix="H"):
    """A map as Microsoft's LINK writes it."""
    rows = ["", " Start  Stop   Length Name                   Class"]
    for start, name in modules:
        rows.append(f" {start * 16:05X}H {start * 16 + 15:05X}H 0010H  {name:<22} CODE")
    rows += ["", "Origin   Group", ""]
    for source, numbers in lines:
        rows += ["", f"Line numbers for {source}  segment CODE", ""]
        pairs = [f"{number:6} {segment:04X}:{offset:04X}{suffix}"
                 for number, segment, offset in numbers]
        rows += ["".join(pairs[i:i + 4]) for i in range(0, len(pairs), 4)]
    return "\r\n".join(rows) + ending


def case_golden():
    """The listings that the original made are made again, byte for byte."""
    for name in "A", "E":
        compare(make(golden(f"{name}.PRF"), "--original"), golden(f"{name}.HST"), name)
    map_text = golden("M.MAP").decode("latin-1")
    compare(make(golden("M.PRF"), "--original", map_text=map_text), golden("M.HST"), "M")


def case_golden_random():
    """So are its listings of 130 random profiles, with line numbers, large counts and none."""
    for name, data, map_text, wanted in golden_random(RANDOM):
        compare(make(data, "--original", map_text=map_text), wanted, name)


def case_model_is_golden():
    """The model that judges the other cases makes the original's listings itself."""
    for name in "A", "E":
        compare(listing(golden(f"{name}.PRF")), golden(f"{name}.HST"), name)
    compare(listing(golden("M.PRF"), golden("M.MAP").decode("latin-1")), golden("M.HST"), "M")
    for name, data, map_text, wanted in golden_random(RANDOM):
        compare(listing(data, map_text), wanted, name)


def case_empty_buckets():
    """Runs of empty buckets, at the start, in between, at the end, and a lone one there, for which
    the original has a row of the bucket 58 that is not there."""
    for buckets in ([0, 5, 1], [0, 0, 5], [5, 0, 1], [5, 0, 0, 0, 1], [5, 0, 0], [5, 1, 0], [0, 0],
                    [0], [0, 0, 0, 7], [3], [], [1] * 56 + [0], [1] * 57 + [0], [1] * 58 + [0]):
        check_original(buckets, buckets)
    rows = make(prf([5, 0], size=200), "--original").decode().splitlines()
    expect(rows[-4:-2] == ["", "    0. 00D500       100.0  0.0 |"], rows[-4:])
    rows = make(prf([5, 0], size=200)).decode().splitlines()
    expect(rows[-4:-2] == ["", "    0. 000C80       100.0  0.0 |"], rows[-4:])


def case_no_hits():
    """No hit in the program: dots instead of percentages, wherever the other hits are."""
    check_original([0, 0, 0], "others", outside=(5, 6, 7))
    check_original([0, 0, 0], "none", outside=(0, 0, 0))


def case_large_counts():
    """Counts up to 65,535, and percentages above 100."""
    check_original([180], "22222.2%", outside=(40000, 0, 65534))
    check_original([65534, 65535, 1], "full", outside=(65535, 65535, 65535))
    check_original([65535] * 300, "beyond 24 bits of sum")
    check_original([1, 65535], "a star that is not printed")


def case_wide_fields():
    """Bucket sizes and numbers that do not fit their fields; addresses that wrap."""
    check_original([3, 2], "size", size=65529)
    check_original([1] * 5000, "number", size=7)
    check_original([1] * 15999, "many")
    for options, size in (["--original"], 1), ([], 16000 * 30):
        expect(len(make(prf([1] * 16000), *options)) >= size, "too short")
    expect(make(prf([1] * 16000), "--original") == b"\x1a", "the original has no listing of 16,000")
    check_original([1, 2] * 10, "wrapping", size=4000, low=0xfff0, dos=0xf000)


def case_stars():
    """Every count of every greatest one up to 120: rounding to even, in single precision."""
    for greatest in range(1, 121):
        check_original(list(range(greatest, -1, -1)), f"stars of {greatest}")


def case_random():
    """Buckets drawn at random, few and many, sparse and dense; maps with modules and lines."""
    draw = random.Random(1983)
    for turn in range(120):
        count = draw.choice((1, 2, 5, 20, 100, 400))
        top = draw.choice((1, 3, 10, 100, 1000, 65534))
        empty = draw.random()
        buckets = [0 if draw.random() < empty else draw.randint(0, top) for _ in range(count)]
        size = draw.choice((1, 2, 4, 16))
        places = sorted(draw.sample(range(count * size + 8), min(count, draw.randint(0, 9))))
        modules = [(place, f"MODULE{place:X}") for place in places] + [(0x1000 + count * size, "END")]
        numbers = sorted((draw.randrange(count * size + 4), draw.randrange(256))
                         for _ in range(draw.randint(0, 30)))
        lines = [("A.OBJ", [(number + 1, place, offset)
                            for number, (place, offset) in enumerate(numbers)])]
        # The rule looks at addresses in the order of the map.
        lines[0][1].sort(key=lambda entry: entry[1] + -(-entry[2] // 16))
        map_text = draw.choice((None, map_of(modules), map_of(modules, lines)))
        check_original(buckets, f"turn {turn}", map_text, size=size,
                       outside=[draw.randint(0, 70) for _ in range(3)])


def case_map_lines():
    """Line numbers: the last one of a bucket, several sources, and the last of all, never shown."""
    lines = [("A.OBJ", [(10, 0, 0), (11, 0, 5), (12, 0, 0x20), (14, 0, 0x31)]),
             ("B.OBJ", [(3, 6, 0), (4, 6, 0x10), (9, 6, 0x20)])]
    modules = [(0, "FIRST"), (6, "SECOND"), (0x900, "LAST")]
    for ending in "\r\n\x1a", "\r\n":
        check_original([1, 2, 3, 4, 0, 0, 5, 6, 7, 8], ending, map_of(modules, lines, ending))


def case_map_ends():
    """Buckets beyond the last module have no offset."""
    check_original([1, 2, 3, 4], "beyond", map_of([(0, "ONE"), (2, "TWO")]))
    check_original([1, 2, 3], "no modules", "\r\nnothing of the kind\r\n\x1a")


def case_unix_map():
    """A map whose lines end with LF is the same map."""
    modules = [(0, "ONE"), (2, "TWO"), (9, "END")]
    lines = [("A.OBJ", [(1, 0, 0), (2, 0, 0x20), (3, 0, 0x30)])]
    wanted = make(prf([1, 2, 3, 4]), map_text=map_of(modules, lines))
    found = make(prf([1, 2, 3, 4]), map_text=map_of(modules, lines).replace("\r\n", "\n"))
    compare(found, wanted, "LF")


MENDED = """\
Microsoft Profiler Output Listing

     6   2-paragraph buckets.

Profile taken between 000000000FFF00 and 000000000FFFC0.

DOS program address:00000000000600

Number of hits in DOS:     3 or  7.9% of all hits.
Number of hits in I/O:     7 or 18.4% of all hits.
Number of hits high  :     2 or  5.3% of all hits.

 Hits  Addr.  Line/ Cumul.  % 0.0                                        38.5
              Offset           +--------------------------------------------

      ONE~
   10. 000000    10  38.5 38.5 |                                            *
    6. 000020 #0002  61.5 23.1 |                          *

      TWO~
    7. 000080    12  88.5 26.9 |                               *
    3. 0000A0    13 100.0 11.5 |             *
                               +-----------------------------------
""".replace("~", " " * 12)  # a name has 15 columns


def case_mended():
    """Mended: whole addresses, shares of all hits, offsets in their module, the last line too."""
    lines = [("A.OBJ", [(10, 0, 0), (11, 0, 0x60), (12, 0, 0x80), (13, 0, 0xa0)])]
    for suffix in "H", "":
        map_text = map_of([(0, "ONE"), (6, "TWO")], lines, suffix=suffix)
        data = prf([10, 6, 0, 0, 7, 3], size=2, low=0xfff0)
        found = make(data, map_text=map_text).decode("latin-1")
        compare(found.encode(), MENDED.replace("\n", "\r\n").encode() + b"\x1a", "mended")


def case_mended_never_above_all():
    """No share is above 100 %, and a profile without a hit has shares of 0."""
    rows = make(prf([1, 0], outside=(40000, 0, 0))).decode().splitlines()
    expect("Number of hits in I/O: 40000 or 100.0% of all hits." in rows, rows)
    rows = make(prf([0, 0], outside=(0, 0, 0))).decode().splitlines()
    expect("Number of hits high  :     0 or  0.0% of all hits." in rows, rows)
    expect("    0. 000010         0.0  0.0 |" in rows, rows)


def case_names():
    """FILE.HST stands beside FILE.PRF unless it is named; - is standard output, in Unix lines."""
    with open("p.prf", "wb") as file:
        file.write(prf([3, 1]))
    expect(profil("prohst", "p.prf").status == 0, "no listing")
    check_files("p.hst", "p.prf")
    done = profil("prohst", "p.prf", "-")
    expect(done.stdout == read("p.hst")[:-1].replace(b"\r\n", b"\n"), "not the same lines")
    done = profil("prohst", "--original", "p.prf", "-")
    expect(done.stdout == listing(prf([3, 1])), "not the original's bytes")


def case_escapes_on_a_terminal():
    """What drives a terminal in a map's names is shown to one as text; a pipe has it as it is."""
    with open("P.PRF", "wb") as file:
        file.write(prf([5, 6]))
    with open("P.MAP", "wb") as file:
        file.write(map_of([(0, "AB\x1b[31mCD")]).encode("latin-1"))
    arguments = ["prohst", "P.PRF", "-", "P.MAP"]
    piped = profil(*arguments).stdout
    seen = on_any_terminal(*arguments)
    expect(b"AB\x1b[31mCD" in piped, piped)
    expect(seen == piped.replace(b"\x1b", rb"\x1b").replace(b"\n", b"\r\n"), seen)


def case_bad_files():
    """A file that is missing, cut off, none or its own listing: one line, 125, nothing written."""
    check_error(profil("prohst", "none.prf"), 125, "none.prf")
    for size in 0, 1, 17, 19, 21:
        with open("cut.prf", "wb") as file:
            file.write(prf([1, 2])[:size])
        check_error(profil("prohst", "cut.prf"), 125, "shorter than its header says")
    check_error(profil("prohst", "cut.prf", "cut.prf"), 125, "what the listing is made from")
    check_error(profil("prohst", "/dev/null"), 125, "not a regular file")
    check_error(profil("prohst", "."), 125, ".")
    check_error(profil("prohst"), 125, "no file")
    check_error(profil("prohst", "a", "b", "c", "d"), 125, "one word too many")
    with open("good.prf", "wb") as file:
        file.write(prf([1, 2]))
    check_error(profil("prohst", "good.prf", "none/there"), 125, "none/there")
    check_error(profil("prohst", "good.prf", "good.hst", "none.map"), 125, "none.map")
    check_files("cut.prf", "good.prf")


def case_strange_map():
    """A map with what is no hexadecimal digit: the listing, and one line that says so."""
    with open("P.PRF", "wb") as file:
        file.write(prf([1, 2]))
    with open("P.MAP", "w", encoding="ascii") as file:
        file.write(" Start\n 00xzzH 0002FH 0030H  MODULE                 CODE\n")
    done = profil("prohst", "P.PRF", "P.HST", "P.MAP")
    lines = done.words.splitlines()
    expect(done.status == 0 and len(lines) == 1, done.words)
    expect("P.MAP: Invalid hex character (2 times)" in lines[0], lines[0])
    expect(b"MODULE" in read("P.HST"), "no listing")
