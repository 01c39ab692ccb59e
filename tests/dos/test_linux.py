# SPDX-License-Identifier: BSD-2-Clause
"""DOS programs from Linux: profil PROG.COM and profil dos, in DOSBox without a screen."""

import os
import shutil
import signal
import stat
import struct
import subprocess

from command import (PROFIL, Running, check_error, check_files, expect, profil, report, run,
                     wait_until)
from dosbox import assemble, exe, need_dosbox

SHARES = {"half": 0.5, "quarter": 0.25, "fifteen": 0.15, "tenth": 0.1}


def put(name, data):
    with open(name, "wb") as file:
        file.write(data)


def make_com(source, name=None):
    need_dosbox()
    put(name or source.upper() + ".COM", assemble(source))
    for rest in "program.s", "program.bin":
        os.remove(rest)


def map_of_shares(path):
    """A map as LINK makes it, of the routines of shares.s."""
    starts = {"start": 0x100, "half": 0x180, "quarter": 0x190, "fifteen": 0x1a0, "tenth": 0x1b0}
    rows = ["", " Start  Stop   Length Name                   Class",
            " 00000H 001FFH 00200H CODE                   CODE", "",
            "  Address         Publics by Value", ""]
    rows += [f" 0000:{start:04X}       {name}" for name, start in starts.items()]
    rows += ["", "Line numbers for SHARES.OBJ(shares.asm)  segment CODE", "",
             "     5 0000:0100     30 0000:0180     40 0000:0190     50 0000:01A0", "",
             "Program entry point at 0000:0100", ""]
    put(path, "\r\n".join(rows).encode())


def check_sums(found):
    """Every tick of the profile is charged to one class of a DOS program."""
    expect(found["identity"]["holds"], found["identity"])
    expect(sorted(found["classes"]) == ["I/O", "dos", "high", "program"], found["classes"])
    expect(sum(found["classes"].values()) == found["total"] == found["identity"]["samples"],
           found["classes"])


def check_shares(found):
    """DOSBox's clock counts instructions, so the routines' ticks are not drawn: they are off by the
    two that a routine's first and last tick can be in each of the five rounds, and no more."""
    ticks = {row["name"]: row["samples"] for row in found["rows"]}
    for name, share in SHARES.items():
        wanted = share * found["total"]
        expect(abs(ticks[name] - wanted) <= 10, f"{name}: {ticks[name]}, not {wanted} of {ticks}")


def case_notices():
    """profil PROG.COM notices a DOS program; names and lines come from the MAP beside it."""
    make_com("shares")
    map_of_shares("SHARES.MAP")
    done = profil("SHARES.COM")
    expect(done.status == 0 and not done.stdout, done.words)
    expect("half" in done.words and "+ 0 dos" in done.words, done.words)
    found = report("profil.pb.gz")
    check_sums(found)
    check_shares(found)
    line = report("profil.pb.gz", "--by", "line")["rows"][0]
    expect((line["file"], line["line"], line["object"]) == ("shares.asm", 30, "SHARES.COM"), line)
    check_files("PSP.BIN", "SHARES.COM", "SHARES.MAP", "SHARES.PRF", "profil.pb.gz")


def case_same_as_its_prf():
    """The profile says what the .PRF beside the program says, which is a report by itself."""
    make_com("shares")
    map_of_shares("shares.map")
    os.rename("shares.map", "elsewhere.map")
    done = profil("dos", "--no-report", "--bucket", "2", "--interval", "500", "--map",
                  "elsewhere.map", "-o", "kept.pb.gz", "SHARES.COM")
    expect(done.status == 0 and not done.words, done.words)
    kept = report("kept.pb.gz")
    again = report("SHARES.PRF", "--map", "elsewhere.map")
    expect([(row["name"], row["samples"]) for row in kept["rows"]] ==
           [(row["name"], row["samples"]) for row in again["rows"]], "two reports")
    expect(kept["facts"]["period_ns"] == 500000, kept["facts"])
    with open("SHARES.PRF", "rb") as file:
        header = struct.unpack("<9H", file.read(18))
    expect(header[0] == 500 and header[2] == 2, header)
    expect(kept["facts"]["command"] == "SHARES.COM", kept["facts"])


def case_passes_through():
    """Input, output, words and exit code are the program's own."""
    make_com("copies")
    put("in.txt", b"one\r\ntwo\r\n")
    with open("in.txt", "rb") as text:
        done = profil("dos", "COPIES.COM", "three", "FOUR", stdin=text)
    expect(done.status == 7, f"status {done.status}: {done.words}")
    expect(done.stdout == b"one\r\ntwo\r\n three FOUR", done.stdout)
    check_sums(report("profil.pb.gz"))


def case_ways_out():
    """However it ends there is a profile; a divide error or Ctrl-C is status 130."""
    make_com("ways")
    for way, status in ("2", 0), ("C", 7), ("B", 130), ("D", 130):
        done = profil("dos", "--no-report", "WAYS.COM", way)
        expect(done.status == status, f"{way}: {done.status}, not {status}: {done.words}")
        check_sums(report("profil.pb.gz"))
        os.remove("profil.pb.gz")


def case_exe():
    """An .EXE for DOS is noticed by what is in it, in another folder and in small letters."""
    need_dosbox()
    os.mkdir("sub")
    # mov bx,300; mov cx,50000; loop $; dec bx; jnz -8; mov ax,4C00h; int 21h
    image = bytes.fromhex("bb2c01 b950c3 e2fe 4b 75f8 b8004c cd21".replace(" ", ""))
    put("sub/spin.exe", exe(image.ljust(512, b"\0"), stack=(0x20, 0x100), least=0x40))
    done = profil("--no-report", "sub/spin.exe")
    expect(done.status == 0, done.words)
    found = report("profil.pb.gz", "--by", "address")
    check_sums(found)
    expect(found["rows"][0]["address"] == 0 and found["rows"][0]["object"] == "spin.exe",
           found["rows"][0])
    expect(found["classes"]["program"] > 0.99 * found["total"], found["classes"])
    expect(sorted(os.listdir("sub")) == ["SPIN.PRF", "spin.exe"], os.listdir("sub"))


def case_window():
    """With a window the program has the screen and the keys, and there is a profile all the same."""
    make_com("shares")
    done = profil("dos", "--window", "--cycles", "5000", "SHARES.COM",
                  env={**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"})
    expect(done.status == 0 and not done.stdout, done.words)
    found = report("profil.pb.gz")
    check_sums(found)
    # A quarter of the usual cycles a millisecond: four times the ticks, which cost cycles themselves.
    expect(1900 < found["total"] < 2400, found["total"])


def case_no_dosbox():
    """Without DOSBox: one line that says what to install, nothing left, nothing run."""
    need_dosbox()
    put("PROG.COM", b"\xcd\x20")
    os.mkdir("bin")
    done = profil("PROG.COM", env={**os.environ, "PATH": os.path.abspath("bin")})
    check_error(done, 125, "dosbox: not installed")
    check_files("PROG.COM", "bin")


def case_dosbox_is_ended():
    """DOSBox that ends before the program has: one line, and the folder it had is removed."""
    need_dosbox()
    put("PROG.COM", b"\xcd\x20")
    os.mkdir("bin")
    with open("bin/dosbox", "w") as script:
        script.write("#!/bin/sh\nexit 1\n")
    os.chmod("bin/dosbox", 0o755)
    os.mkdir("tmp")
    done = profil("PROG.COM", env={**os.environ, "TMPDIR": os.path.abspath("tmp"),
                                   "PATH": os.path.abspath("bin") + ":" + os.environ["PATH"]})
    check_error(done, 125, "DOSBox was ended before the program")
    expect(not os.listdir("tmp"), os.listdir("tmp"))
    check_files("PROG.COM", "bin", "tmp")


OLD = b"what was there"


def start_hanging():
    """profil with a program that has worked for 100 ms and hangs, and whose .PRF is an old one."""
    make_com("hangs")
    put("HANGS.PRF", OLD)
    running = Running([PROFIL, "HANGS.COM"])
    wait_until("the program", lambda: os.path.exists("BEGUN"))
    expect(prf() == OLD, "the old .PRF is gone")
    return running


def prf():
    with open("HANGS.PRF", "rb") as file:
        return file.read()


def case_killed():
    """DOSBox does not outlive profil, however that ends, and the .PRF of before is still there."""
    running = start_hanging()
    with open(f"/proc/{running.pid}/task/{running.pid}/children") as file:
        child = file.read().split()[0]
    running.process.kill()
    running.wait()
    wait_until("DOSBox's end", lambda: not os.path.exists(f"/proc/{child}") or
               "\nState:\tZ" in open(f"/proc/{child}/status").read())
    expect(prf() == OLD, "the old .PRF is gone")


def case_interrupted():
    """A program that hangs and is ended by a signal has a profile and a .PRF of what was counted until
    then, its output, and a word on --window; the status is the signal's."""
    for number in signal.SIGINT, signal.SIGTERM:
        running = start_hanging()
        running.process.send_signal(number)
        done = running.wait()
        expect(done.status == 128 + number, f"{done.status}: {done.words}")
        expect(done.words.startswith("profil: HANGS.COM: ended by a signal: what was counted until "
                                     "then is kept: --window"), done.words)
        expect(done.stdout == b"begun", done.stdout)
        found = report("profil.pb.gz")
        check_sums(found)
        # 2 million cycles are 100 ms of the emulated machine, and the clock ticks each 1,003 us.
        expect(found["total"] >= 90, f"{found['total']} ticks")
        expect(report("HANGS.PRF")["total"] == found["total"], "another .PRF")
        check_files("BEGUN", "HANGS.COM", "HANGS.PRF", "profil.pb.gz")
        for name in os.listdir("."):
            os.remove(name)


def case_what_profil_says():
    """What PROFIL.COM says of a program it cannot run is what profil says, on one line."""
    need_dosbox()
    put("BIG.EXE", exe(bytes(1024), pages=0x7ff))
    check_error(profil("BIG.EXE"), 125, "BIG.EXE: PROFIL: ")
    check_files("BIG.EXE")


def case_not_for_dos():
    """Files that DOS could not run, names and words it could not say: one line each."""
    need_dosbox()
    put("prog.com", b"\xcd\x20")
    shutil.copy("/bin/true", "true.com")
    for name, text in (("true.com", "not a DOS program"), ("none.com", "none.com"),
                       (".", "not a DOS program")):
        check_error(profil("dos", name), 125, text)
    header = bytearray(exe(bytes(512)).ljust(0x100, b"\0"))
    header[0x18:0x1a] = b"\x40\0"
    header[0x3c:0x40] = b"\x80\0\0\0"
    for magic in b"PE\0\0", b"NE", b"LE", b"LX":
        header[0x80:0x84] = magic.ljust(4, b"\0")
        put("windows.exe", bytes(header))
        check_error(profil("dos", "windows.exe"), 125, "not a DOS program")
    os.rename("prog.com", "longer name.com")
    check_error(profil("dos", "longer name.com"), 125, "not a name for DOS")
    os.rename("longer name.com", "prog.com")
    for word in "a>b", "100%", "na\u00efve", "\n":
        check_error(profil("dos", "prog.com", word), 125, "command line cannot hold")
    check_error(profil("dos", "prog.com", "x" * 110), 125, "longer than DOS's command line")
    check_error(profil("dos", "--bucket", "0", "prog.com"), 125, "--bucket")
    check_error(profil("dos", "--interval", "59", "prog.com"), 125, "--interval")
    check_error(profil("dos", "--map", "none.map", "prog.com"), 125, "none.map")
    check_error(profil("dos"), 125, "no program")
    check_error(profil("-F", "50kHz", "prog.com"), 125, "60 to 65529 microseconds")
    check_error(profil("dos", "-o", "none/there", "prog.com"), 125, "none/there")


def case_scripts_are_not():
    """A program of Linux that is called .com is run by Linux."""
    with open("script.com", "w") as script:
        script.write("#!/bin/sh\nexit 3\n")
    os.chmod("script.com", 0o755)
    done = profil("-q", "--no-report", "./script.com")
    expect(done.status in (3, 125) and "DOS" not in done.words, done.words)


def case_read_only_folder():
    """A folder that cannot be written: PROFIL says so, and nothing is left."""
    need_dosbox()
    os.mkdir("folder")
    put("folder/PROG.COM", b"\xcd\x20")
    os.mkdir("folder/PROG.PRF")  # root may write anywhere, but not over a folder
    check_error(profil("folder/PROG.COM"), 125, "Cannot open output file")
    expect(sorted(os.listdir("folder")) == ["PROG.COM", "PROG.PRF"], os.listdir("folder"))


def case_real_names():
    """A program of bcc with the map of ld86: its functions by name."""
    need_dosbox()
    with open("prog.c", "w") as source:
        source.write("int busy(n) int n; { int i, s; s = 0; for (i = 0; i < n; i++) s += i; "
                     "return s; }\n"
                     "int main() { int i; for (i = 0; i < 300; i++) busy(5000); return 0; }\n")
    with open("start.s", "w") as source:
        source.write("\t.text\n\tentry start\n\texport start\nstart:\n\tcall _main\n"
                     "\tmov ax,#0x4c00\n\tint 0x21\n")
    for command in (["bcc", "-ansi", "-0", "-c", "-o", "prog.o", "prog.c"],
                    ["as86", "-0", "-u", "-w-", "-o", "start.o", "start.s"]):
        subprocess.run(command, check=True)
    done = run("ld86", "-M", "-d", "-T", "0x100", "-o", "PROG.COM", "start.o", "prog.o")
    expect(done.status == 0, done.words)
    put("PROG.MAP", done.stdout)
    done = profil("PROG.COM")
    expect(done.status == 0, done.words)
    found = report("profil.pb.gz")
    expect(found["rows"][0]["name"] == "_busy", found["rows"])
    expect(found["rows"][0]["samples"] > 0.9 * found["total"], found["rows"])
    expect(stat.S_ISREG(os.stat("PROG.PRF").st_mode), "no .PRF")
