# SPDX-License-Identifier: BSD-2-Clause
"""What PROFIL.COM asks, says, takes and leaves: its dialogue is the original's to the letter."""

import os
import struct
import subprocess

from command import expect, need_program
from dosbox import Drive, Report, assemble, exe

BUCKETS = "Number of paragraphs (16 bytes) per bucket? "
INTERVAL = "Sample time (micro-sec) >= 60 ? "
PARAMETERS = "Parameters to program? "
ENDED = "\r\nProgram terminated normally\r\n"
PSP_FCB1, PSP_FCB2, PSP_TAIL = 0x5c, 0x6c, 0x80

# Where PSP.COM's file has a byte of the PSP.
SAVED = 2 - 0x5c


def dialogue(drive, program, *answers):
    """PROFIL PROGRAM with ANSWERS, one line each, at the console: what it said."""
    drive.put("ANSWERS", "".join(answer + "\r" for answer in answers).encode())
    drive.run(f"PROFIL {program} < ANSWERS > OUT.TXT")
    return drive.get("OUT.TXT").decode()


def asked(prompt, *answers):
    """PROMPT with each of ANSWERS, which DOSBox's DOS echoes up to the CR of Enter, and PROFIL's CR
    and LF."""
    return "".join(f"{prompt}{answer}\r\r\n" for answer in answers)


def check_said(said, *expected):
    expect(said == "".join(expected), f"said {said!r}, not {''.join(expected)!r}")


def status_of(command, output="OUT.TXT"):
    """Lines of a batch that run COMMAND and write its exit code, 0 or 1, to STATUS."""
    return (f"{command} > {output}", "if errorlevel 1 goto bad", "echo 0 > STATUS", "goto over",
            ":bad", "echo 1 > STATUS", ":over")


def check_refused(drive, command, says, report, mounts="", **options):
    """COMMAND is refused with exit code 1 and the one line SAYS, and leaves no file REPORT."""
    drive.put("GO.BAT", "\r\n".join(status_of(command)).encode() + b"\r\n")
    drive.run("call GO.BAT", mounts=mounts, **options)
    said = drive.get("OUT.TXT").decode()
    expect(said == says + "\r\n", f"said {said!r}, not {says!r}")
    expect(drive.get("STATUS").split() == [b"1"], "its exit code is 0")
    expect(not report or not drive.has(report), f"{report} is there")


def case_dialogue():
    """Three questions come in their order, an answer that is no number from the least on is asked
    for again, and the end is told."""
    drive = Drive()
    drive.assemble("psp")
    buckets = ["", "0", "x4", " \t", "65530", "-1", "  3 of them"]
    intervals = ["59", "6553000", "", "ten", "65529"]
    said = dialogue(drive, "PSP.COM", *buckets, *intervals, "abc")
    check_said(said, asked(BUCKETS, *buckets), asked(INTERVAL, *intervals),
               asked(PARAMETERS, "abc"), ENDED)
    report = drive.report("PSP.PRF")
    expect((report.size, report.grain) == (3, 65529), f"{report.size}, {report.grain}")


def case_limits():
    """A number may be up to 65,529, for no digit may follow 6553; 60 is the least interval."""
    drive = Drive()
    drive.assemble("psp")
    said = dialogue(drive, "PSP.COM", "65530", "65529", "60", "")
    check_said(said, asked(BUCKETS, "65530", "65529"), asked(INTERVAL, "60"),
               asked(PARAMETERS, ""), ENDED)
    report = drive.report("PSP.PRF")
    expect((report.size, report.grain, report.number) == (65529, 60, 1), f"{vars(report)}")


def case_answers_from_a_file():
    """Answers of a file end in CR and LF, and the LF is no part of the next."""
    drive = Drive()
    drive.assemble("psp")
    drive.put("ANSWERS", b"5\r\n1000\r\nx y\r\n")
    drive.run("PROFIL PSP.COM < ANSWERS > OUT.TXT")
    said = drive.get("OUT.TXT").decode()
    expect(said.count(BUCKETS) == said.count(INTERVAL) == 1 and said.endswith(ENDED), f"{said!r}")
    report = drive.report("PSP.PRF")
    expect((report.size, report.grain) == (5, 1000), f"{report.size}, {report.grain}")
    expect(psp_field(drive.get("PSP.BIN"), PSP_TAIL, 5) == b"\x03X y\r", "another tail")


def case_aborted():
    """A program that Ctrl-C ends is told from one that ends by itself, and has its report, too."""
    drive = Drive()
    drive.assemble("ways")
    said = dialogue(drive, "WAYS.COM", "1", "997", " B")
    check_said(said, asked(BUCKETS, "1"), asked(INTERVAL, "997"), asked(PARAMETERS, " B"),
               "\r\nProgram aborted\r\n")
    expect(drive.report("WAYS.PRF").hits > 0, "no hits")


def case_program_without_a_name():
    """PROFIL alone finds no file, as ever."""
    check_refused(Drive(), "PROFIL", "File not found", None)


def case_missing_file():
    """A program that is not there is told before anything is asked or written."""
    check_refused(Drive(), "PROFIL NONE.COM", "File not found", "NONE.PRF")


def case_bad_exe():
    """An .EXE without MZ, with half a header, or with relocations past its end is bad; no empty
    report is left of it."""
    image = assemble("psp", origin=0)
    good = exe(image)
    bad = {"NOMZ": image, "SHORT": good[:25], "RELOC": exe(image, pages=1)[:24] + b"\xf0\xff" +
           good[26:], "MANY": good[:6] + b"\xff\xff" + good[8:]}
    for name, program in bad.items():
        drive = Drive()
        if name == "RELOC":
            program = program[:6] + b"\x01\0" + program[8:]
        drive.put(name + ".EXE", program)
        check_refused(drive, f"PROFIL /B:1 /T:1000 {name}.EXE", "EXE file bad", name + ".PRF")
        drive.remove()


def case_bad_exe_is_told_after_the_buckets():
    """The header is read between the first and the second question."""
    drive = Drive()
    drive.put("NOMZ.EXE", b"ZM" + bytes(100))
    check_said(dialogue(drive, "NOMZ.EXE", "4"), asked(BUCKETS, "4"), "EXE file bad\r\n")


def case_too_big():
    """A program that asks for more memory than there is, or has more buckets than fit beside it, is
    too big."""
    image = assemble("psp", origin=0)
    for program, size in ((exe(image, least=0xa000), 4), (exe(image + bytes(600000)), 1)):
        drive = Drive()
        drive.put("BIG.EXE", program)
        check_refused(drive, f"PROFIL /B:{size} /T:1000 BIG.EXE", "Program too big", "BIG.PRF")
        drive.remove()


def case_longest_com():
    """A .COM has a segment to itself less 256 bytes before it and a word behind: one byte more is too
    big, whether DOS itself looks or not."""
    ends = b"\xb8\x00\x4c\xcd\x21"  # mov ax, 4C00h; int 21h
    drive = Drive()
    drive.put("BIG.COM", ends + bytes(0xfeff - len(ends)))
    check_refused(drive, "PROFIL /B:4 /T:1000 BIG.COM", "Program too big", "BIG.PRF")
    drive.remove()
    drive = Drive()
    drive.put("LONG.COM", ends + bytes(0xfefe - len(ends)))
    check_said(dialogue(drive, "LONG.COM", "4", "1000", ""),
               asked(BUCKETS, "4"), asked(INTERVAL, "1000"), asked(PARAMETERS, ""), ENDED)


def case_no_memory_for_buckets():
    """65,505 buckets of an .EXE whose header claims a megabyte are more than there is memory."""
    drive = Drive()
    drive.put("BIG.EXE", exe(assemble("psp", origin=0), pages=2047))
    check_refused(drive, "PROFIL /B:1 /T:1000 BIG.EXE", "Program too big", "BIG.PRF")


def case_read_only_disk():
    """A disk that takes no report is told before anything is asked."""
    drive = Drive()
    drive.assemble("psp")
    mounts = f"mount d {drive.path} -t cdrom"
    check_refused(drive, "PROFIL D:PSP.COM", "Cannot open output file", "PSP.PRF", mounts)


def floppy(drive, free, *programs):
    """An image of a disk of 360 KiB with PROGRAMS and FREE bytes left, as the file DISK."""
    need_program("mkfs.fat", "mcopy")
    image = drive.file("DISK")
    subprocess.run(["mkfs.fat", "-C", image, "360"], check=True, stdout=subprocess.DEVNULL)
    for program in programs:
        subprocess.run(["mcopy", "-i", image, drive.file(program), "::"], check=True)
    listing = subprocess.run(["mdir", "-i", image, "::"], check=True, capture_output=True,
                             text=True)
    left = int("".join(filter(str.isdigit, listing.stdout.strip().splitlines()[-1])))
    drive.put("FILLER", bytes(left - free))
    subprocess.run(["mcopy", "-i", image, drive.file("FILLER"), "::"], check=True)
    return f"imgmount a {image} -t floppy"


def case_full_disk():
    """A disk that becomes full is told at the end, and no half of a report is left on it."""
    drive = Drive()
    drive.put("LONG.COM", assemble("psp").ljust(0x8000, b"\0"))
    mounts = floppy(drive, 1024, "LONG.COM")
    drive.put("GO.BAT", "\r\n".join(status_of("PROFIL /B:1 /T:1000 A:LONG.COM")).encode() + b"\r\n")
    drive.run("call GO.BAT", "dir a: > DIR.TXT", mounts=mounts)
    said = drive.get("OUT.TXT").decode()
    expect(said == ENDED + "Cannot write output file\r\n", f"said {said!r}")
    expect(drive.get("STATUS").split() == [b"1"], "its exit code is 0")
    listing = drive.get("DIR.TXT")
    expect(b"LONG" in listing and b"PRF" not in listing, f"{listing}")


def case_report_beside_the_program():
    """The report has the program's name and place, on its drive, even when the program goes to
    another folder meanwhile."""
    drive = Drive()
    drive.assemble("goes")
    drive.make_folder("SUB")
    drive.make_folder("AWAY")
    drive.put("SUB\\GOES.COM", drive.get("GOES.COM"))
    other = drive.make_folder("OTHER")
    drive.run("PROFIL /B:1 /T:1000 GOES.COM", "cd \\", "PROFIL /B:1 /T:1000 SUB\\GOES.COM", "cd \\",
              "copy GOES.COM D:", "d:", "C:PROFIL /B:1 /T:1000 GOES.COM",
              mounts=f"mount d {other}")
    for name in ("GOES.PRF", "SUB\\GOES.PRF", "OTHER\\GOES.PRF"):
        drive.report(name)
    expect(not drive.has("AWAY\\GOES.PRF"), "written where the program went")


def case_old_report():
    """A report that was there stays until there is a new one, and nothing is left beside it."""
    drive = Drive()
    drive.assemble("psp")
    drive.put("NOMZ.EXE", b"ZM" + bytes(100))
    for name in "PSP.PRF", "NOMZ.PRF":
        drive.put(name, b"old")
    drive.run("PROFIL /B:1 /T:1000 NOMZ.EXE", "PROFIL /B:1 /T:1000 PSP.COM")
    expect(drive.get("NOMZ.PRF") == b"old", "the report of a program that did not run is gone")
    expect(drive.report("PSP.PRF").number > 0, "no new report")
    expect(not any(name.endswith("$") for name in os.listdir(drive.path)), os.listdir(drive.path))


def psp_field(saved, offset, size):
    return saved[offset + SAVED:][:size]


def check_like_command(parameters):
    """PSP.COM finds the same in its PSP from PROFIL as from COMMAND.COM."""
    drive = Drive()
    drive.assemble("psp")
    drive.run(f"PSP{parameters}", "ren PSP.BIN COMMAND.BIN",
              f"PROFIL /B:1 /T:1000 PSP.COM{parameters}")
    profil, command = drive.get("PSP.BIN"), drive.get("COMMAND.BIN")
    tail = psp_field(command, PSP_TAIL, 128)
    used = tail[:tail[0] + 2]
    expect(used[1:-1].decode() == parameters and used[-1] == 13, f"COMMAND.COM's tail is {used}")
    expect(psp_field(profil, PSP_TAIL, len(used)) == used, f"{psp_field(profil, PSP_TAIL, 128)}")
    for offset in (PSP_FCB1, PSP_FCB2):
        fields = [psp_field(saved, offset, 16) for saved in (profil, command)]
        expect(fields[0] == fields[1], f"{fields}")
    expect(profil[:2] == command[:2], f"AX {profil[:2]}, not {command[:2]}")
    drive.remove()


def case_program_segment_prefix():
    """A program finds its command tail, both FCBs and AX as COMMAND.COM gives them."""
    for parameters in ("", " a", " C:input.txt C:*.o?t /s", "   blanks   between", " " + "x" * 90):
        check_like_command(parameters)


def case_wrong_drives():
    """AX says which FCB's drive does not exist, as every DOS has it (DOSBox's shell does not)."""
    drive = Drive()
    drive.assemble("psp")
    for parameters, wrong in (("Q:x", b"\xff\0"), ("x Q:y", b"\0\xff"), ("Q:x Q:y", b"\xff\xff")):
        drive.run(f"PROFIL /B:1 /T:1000 PSP.COM {parameters}")
        expect(drive.get("PSP.BIN")[:2] == wrong, f"AX {drive.get('PSP.BIN')[:2]} for {parameters}")


def case_answered_parameters():
    """The answer to the third question is the command tail as it stands; its first letter, and each
    that follows where that letter came again, is in upper case."""
    for answer, tail in (("abc", "Abc"), ("", ""), (" a b", " a B"), ("zoo boo", "Zoo boo"),
                         ("xXyz yzYab", "XXYz yzYAb"), ("'a b' c", "'a b' c"), ('"ab', '"Ab')):
        drive = Drive()
        drive.assemble("psp")
        dialogue(drive, "PSP.COM", "1", "1000", answer)
        found = psp_field(drive.get("PSP.BIN"), PSP_TAIL, 128)
        expect(found[1:found[0] + 1].decode() == tail, f"{found} for {answer!r}, not {tail!r}")
        expect(found[found[0] + 1] == 13, "no CR")
        drive.remove()


def case_half_asked():
    """What one of /B and /T does not say is asked for; the parameters are then the line's."""
    drive = Drive()
    drive.assemble("psp")
    check_said(dialogue(drive, "/B:2 PSP.COM one", "123"), asked(INTERVAL, "123"), ENDED)
    found = psp_field(drive.get("PSP.BIN"), PSP_TAIL, 8)
    expect(found[:5] == b"\x04 one", f"{found}")
    check_said(dialogue(drive, "/T:500 PSP.COM", "7"), asked(BUCKETS, "7"), ENDED)
    report = drive.report("PSP.PRF")
    expect((report.size, report.grain) == (7, 500), f"{report.size}, {report.grain}")


def case_bad_switches():
    """A switch that is none, or not in its range, is told."""
    for switch in ("/X", "/B:0", "/B:65530", "/T:59", "/T:1000X", "/B", "/D:", "/D:12345", "/"):
        drive = Drive()
        drive.assemble("psp")
        check_refused(drive, f"PROFIL {switch} PSP.COM",
                      f"PROFIL: {switch}: not a switch, or not its range: see PROFIL /?", "PSP.PRF")
        drive.remove()


def case_help():
    """/? names every switch."""
    drive = Drive()
    drive.run("PROFIL /? > OUT.TXT")
    said = drive.get("OUT.TXT").decode()
    for switch in ("/B:", "/T:", "/D:", "/R", "/W", "fname.ext"):
        expect(switch in said, f"{switch} is not in {said}")


def case_sizes():
    """The report is as long as its buckets, for every way the size divides."""
    drive = Drive()
    drive.put("P.COM", assemble("psp").ljust(64 * 16, b"\0"))
    for size, number in ((1, 65), (63, 2), (64, 2), (65, 1), (3, 22)):
        drive.run(f"PROFIL /B:{size} /T:1000 P.COM")
        report = drive.report("P.PRF")
        expect(report.number == number, f"{report.number} buckets, not {number}")
        expect(report.high - report.low == 64, f"{report.high - report.low} paragraphs")
    expect(Report(struct.pack("<9H", *[1] * 9) + b"\0\0").number == 1, "the test's own reading")
