# SPDX-License-Identifier: BSD-2-Clause
"""PROHST.COM in DOSBox: the original's listings, command line and prompts."""

import os
import struct

from command import expect, long, profil
from dosbox import FAST, HERE, PROHST_COM, Drive
from prohst_model import golden_random, listing

DATA = os.path.join(HERE, "..", "data", "prohst")
RANDOM = os.path.join(DATA, "random.tar.xz")

BANNER = ("    Profile Histogram Utility - Version 1.0\r\n\r\n"
          "         Copyright - Microsoft, 1983\r\n")


def read(name):
    with open(name, "rb") as file:
        return file.read()


def golden(name):
    return read(os.path.join(DATA, name))


def drive_with(*names):
    drive = Drive()
    drive.put("PROHST.COM", read(PROHST_COM))
    for name in names:
        drive.put(name, golden(name))
    return drive


def case_golden():
    """The original's listings, byte for byte, by each form of the command line."""
    drive = drive_with("A.PRF", "E.PRF", "M.PRF", "M.MAP")
    drive.run("prohst a;", "prohst E,other.lst;", "prohst M,,;", "prohst m.prf,two,m.map")
    expect(drive.get("A.HST") == golden("A.HST"), "A;")
    expect(drive.get("OTHER.LST") == golden("E.HST"), "E,other.lst;")
    expect(drive.get("M.HST") == golden("M.HST"), "M,,;")
    expect(drive.get("TWO.HST") == golden("M.HST"), "m.prf,two,m.map")


@long
def case_golden_random():
    """Its listings of 130 random profiles, byte for byte."""
    drive = drive_with()
    wanted, commands = {}, []
    for number, (name, profile, map_text, text) in enumerate(golden_random(RANDOM)):
        drive.put(f"{number}.PRF", profile)
        if map_text is not None:
            drive.put(f"{number}.MAP", map_text.encode("latin-1"))
        commands.append(f"prohst {number},,;" if map_text is not None else f"prohst {number};")
        wanted[f"{number}.HST"] = name, text
    drive.put("ALL.BAT", "".join(f"{command}\r\n" for command in commands).encode())
    drive.run("call ALL", cycles=FAST)
    for file, (name, text) in wanted.items():
        expect(drive.get(file) == text, f"{name}: not the original's listing")


def case_same_as_linux():
    """Large counts, wide sums, odd maps: the two compilers make one listing, and the model's."""
    drive = drive_with()
    buckets = [(i * 7919) % 65536 if i % 5 else 0 for i in range(300)]
    data = struct.pack("<309H", 1003, 300, 3, 0xff00, 0xff00 + 3, 0x60, 65535, 40000, 1, *buckets)
    rows = ["", " Start  Stop   Length Name                   Class"]
    rows += [f" {start:04X}0H 0FFFFH 0010H  MODULE{start:<16X} CODE" for start in (0, 9, 300, 9999)]
    rows += ["", "Line numbers for A.OBJ", "",
             "".join(f"{line:6} {line:04X}:000{line % 3}H" for line in range(1, 200)), ""]
    text = "\r\n".join(rows)
    for name, content in ("P.PRF", data), ("P.MAP", text.encode()):
        drive.put(name, content)
        with open(name, "wb") as file:
            file.write(content)
    drive.run("prohst p,,;", "prohst /m p,mended,p")
    expect(drive.get("P.HST") == listing(data, text), "not the model's")
    for name, options in ("P.HST", ["--original"]), ("MENDED.HST", []):
        expect(profil("prohst", *options, "P.PRF", "L.HST", "P.MAP").status == 0, "no listing")
        expect(drive.get(name) == read("L.HST"), f"{name}: not what Linux makes")


def case_prompts():
    """What is missing is asked for, with its default; a line without sense begins again."""
    drive = drive_with("M.PRF", "M.MAP")
    drive.put("1.TXT", b"M\r\n\r\nM\r\n")
    drive.put("2.TXT", b"M,ONE M\r\nM\r\nTWO\r\n\r\n")
    drive.put("3.TXT", b"\r\nm,three;\r\n")
    drive.put("4.TXT", b"M\r\n")
    drive.run("prohst <1.TXT >1.OUT", "prohst <2.TXT >2.OUT", "prohst <3.TXT >3.OUT",
              "prohst <4.TXT >4.OUT")
    first, second, third = ("Profile filename [.PRF]: ", "Histogram filename [M.HST]: ",
                            "Map file  [NUL.MAP]: ")
    expect(drive.get("1.OUT").decode() == BANNER + first + second + third, drive.get("1.OUT"))
    expect(drive.get("M.HST") == golden("M.HST"), "answers M, empty, M")
    expect(drive.get("2.OUT").decode() == BANNER + first + "Line invalid: 'M', start again.\r\n" +
           first + second + third, drive.get("2.OUT"))
    expect(drive.get("TWO.HST") == listing(golden("M.PRF")), "answers M, TWO, empty")
    expect(drive.get("3.OUT").decode() == BANNER + first + first, drive.get("3.OUT"))
    expect(drive.get("THREE.HST") == drive.get("TWO.HST"), "answers in one line")
    expect(drive.get("4.OUT").decode() == BANNER + first + second, drive.get("4.OUT"))


def case_refusals():
    """Devices where none may be, files that are not there or cut off: said, and nothing left."""
    drive = drive_with("M.PRF", "M.MAP")
    drive.put("CUT.PRF", golden("M.PRF")[:-1])
    drive.run("prohst M,X,CON >1.OUT", "prohst M,NUL; >2.OUT", "prohst NONE; >3.OUT",
              "prohst M,X,NONE >4.OUT", "prohst CUT; >5.OUT", "prohst M,X,USER >6.OUT")
    words = ["Map file must not be terminal", "No histogram file specified",
             "Cannot open NONE.PRF", "Cannot open NONE.MAP",
             "Shorter than its header says: CUT.PRF", "Map file must not be terminal"]
    for number, text in enumerate(words, 1):
        found = drive.get(f"{number}.OUT").decode()
        expect(found == BANNER + text + "\r\n", f"{text}: {found!r}")
    expect(not drive.has("X.HST") and not drive.has("CUT.HST") and not drive.has("NONE.HST"),
           "a listing was left")
