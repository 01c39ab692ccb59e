# SPDX-License-Identifier: BSD-2-Clause
"""Bad input: one line on stderr that begins "profil: ", exit 125, and no file left behind."""

import gzip
import os

from command import PROFIL, check_error, check_files, expect, profil
from golden import DATA


def refused(*arguments, says="", status=125):
    """profil refuses ARGUMENTS; the program, had it run, would have left the file "ran"."""
    check_error(profil(*arguments), status, says)
    expect(not os.path.exists("ran"), "the program ran all the same")


def refused_value(option, *values):
    for value in values:
        refused(option, value, "touch", "ran", says=option.lstrip("-"))
    check_files()


def case_unknown_option():
    """An option that does not exist is named."""
    refused("--no-such-option", "touch", "ran", says="--no-such-option")
    refused("-Z", "touch", "ran", says="Z")
    refused("report", "--no-such-option", says="--no-such-option")
    check_files()


def case_rate():
    """-F takes 1 to 100,000 hertz."""
    for value in ("0", "x", "", "-1", "100001", "1,5", "99999999999999999999", "10 ", "0x10"):
        refused("-F", value, "touch", "ran", says="-F '")
        refused("--frequency", value, "touch", "ran", says="--frequency '")
    check_files()


def case_period():
    """--period takes a time that is neither nothing nor for ever."""
    refused_value("--period", "0", "x", "-1ms", "1y", "1ns", "100h")


def case_cells():
    """--cells takes a number of at least 64."""
    refused_value("--cells", "0", "63", "x", "-64", "99999999999")


def case_every():
    """--every takes a time of at least 100 ms."""
    refused_value("--every", "0", "1ms", "x")


def case_clock():
    """--clock takes machine or task."""
    refused_value("--clock", "wall", "", "machine,task")


def case_missing_value():
    """An option at the end without its value is named."""
    refused("-F", says="-F")
    refused("--frequency", says="--frequency")
    refused("--period", says="period")
    refused("report", "--by", says="by")


def case_missing_program():
    """Options and no program: nothing to measure."""
    refused("-F", "997")
    refused("run")
    refused("--")
    check_files()


def case_report_by():
    """report --by takes one of six words."""
    refused("report", "--by", "colour", says="by")


def case_report_missing_file():
    """A profile that is not there is named, with the reason."""
    refused("report", "none.pb.gz", says="none.pb.gz")
    refused("report", says="profil.pb.gz: no profile yet: run 'profil PROGRAM' first")
    check_files()


def case_report_not_a_profile():
    """Files that are no profile are refused: text, nothing, a directory, another gzip."""
    files = {"text": b"hello, world\n" * 100, "empty": b"", "zeros": bytes(4096),
             "packed": gzip.compress(b"hello, world\n" * 100), "packed-empty": gzip.compress(b"")}
    for name, data in files.items():
        with open(name, "wb") as file:
            file.write(data)
        refused("report", name, says=name)
    refused("report", "text", says="a text file")
    refused("report", PROFIL, says="a program or a library")
    os.mkdir("directory")
    refused("report", "directory", says="directory")
    refused("report", "/dev/null", says="/dev/null")


def case_report_perf_data():
    """perf's own file is told from a damaged one, with the way to its content."""
    with open("perf.data", "wb") as file:
        file.write(b"PERFILE2" + bytes(200))
    refused("report", "perf.data",
            says="perf.data: perf's own format: run 'perf script -i perf.data | profil report -'")


def case_report_two_files():
    """report takes one file."""
    refused("report", "one", "two")


def case_two_forms():
    """A report has one form; that there are two is said before any file is read."""
    for command in ("report", "tree", "hist", "gprof"):
        refused(command, "--json", "--json", "--markdown", "nowhere.pb.gz",
                says="--json, --csv, --markdown: one form at a time: name one")


def case_odd_name():
    """A name with a newline or an escape sequence in it still makes one plain line."""
    done = profil("report", "odd\n\x1b[31mname")
    check_error(done)
    expect("\x1b" not in done.words, repr(done.words))


def case_long_name():
    """A name of 4,000 characters makes one line and no crash."""
    check_error(profil("report", "x" * 4000))


def case_mistyped_command():
    """A word that is nearly a command says which; a program of that name is run all the same."""
    env = {**os.environ, "PATH": os.getcwd()}
    check_error(profil("repotr", env=env), 127, "repotr: no command and no program: did you mean "
                "'profil report'?")
    check_error(profil("recrod", "touch", "ran", env=env), 127, "'profil record'?")
    check_error(profil("archive", env=env), 127, "perf's")
    expect("did you mean" not in profil("run", "repotr", env=env).words, "run was said")
    with open("repotr", "w") as file:
        file.write("#!/bin/sh\nexit 7\n")
    os.chmod("repotr", 0o755)
    done = profil("repotr", env=env)
    expect(done.status in (7, 125), f"{done.status}: {done.words}")
    expect("did you mean" not in done.words, done.words)


def case_words_of_perf():
    """perf's options do what they do there, or the error says what does."""
    refused("-p", "x", says="-p x: 'x' is not a process number")
    refused("record", "-p", str(os.getpid()), "touch", "ran", says="-p: 'touch' beside it")
    refused("-a", "-p", str(os.getpid()), says="-p and -a")
    refused("-a", "touch", "ran", says="-a: 'touch' beside it")
    refused("--for", "1s", "touch", "ran", says="--for: a program ends by itself")
    refused("record", "-e", "cycle", "touch", "ran", says="profil list")
    refused("report", "-i", "none.pb.gz", says="none.pb.gz")
    refused("report", "-i", "one", "two", says="more than one")
    refused("annotate", "-i", "one", "two", "three", says="too many")
    refused("annotate", "-i", "one", "two", says="one")
    refused("report", "--sort", "comm,dso,symbol", says="--by function")
    refused("report", "--sort", "dso,symbol", "none.pb.gz", says="none.pb.gz")
    refused("report", "--stdio", says="leave it out")
    refused("report", "--colour", "always", says="did you mean --color?")
    for command, option in (("gprof", "--object"), ("prohst", "--comm"), ("merge", "--function")):
        refused(command, option, "1",
                says=f"{option}: not an option of 'profil {command}': 'profil report' has it")
    check_files()


def case_flat():
    """What speaks of call stacks where there are to be none."""
    for command in (["run", "touch", "ran"], ["attach", "-p", str(os.getpid())], ["system"]):
        for options in (["-g"], ["--no-fold"], ["--no-python"], ["--max-stack", "9"],
                        ["--contexts", "99"], ["--tables", "20"], ["--stack-size", "2048"]):
            refused(command[0], "--flat", *options, *command[1:], says=f"{options[0]} and --flat")
            refused(command[0], *options, "--flat", *command[1:], says=f"{options[0]} and --flat")
    check_files()


def case_sort():
    """perf's --sort shows what --by shows, where both mean the same."""
    path = os.path.join(DATA, "profiles", "split-threads.pb.gz")
    for sort, by in (("dso", "object"), ("dso,symbol", "function"), ("sym", "function"), ("srcline", "line"),
                     ("tid", "thread"), ("pid", "process"), ("comm", "comm")):
        pages = [profil("report", option, word, path) for option, word in (("--sort", sort), ("--by", by))]
        expect(pages[0].status == 0 and pages[0].text == pages[1].text, f"{sort}: {pages[0].words}")


def case_full_stdout():
    """Help or a version that cannot be written is an error and not a silence."""
    for arguments in (("--help",), ("--version",)):
        with open("/dev/full", "wb") as full:
            done = profil(*arguments, stdout=full)
        expect(done.status == 125, f"{arguments}: status {done.status}: {done.words}")


def case_help():
    """profil alone, --help and help print help on stdout and exit 0; so does each command."""
    for arguments in ((), ("--help",), ("-h",), ("help",), ("help", "run"), ("run", "--help"),
                      ("report", "--help")):
        done = profil(*arguments)
        expect(done.status == 0 and not done.stderr, f"{arguments}: {done.status}: {done.words}")
        expect("profil" in done.text.splitlines()[0].lower(), f"{arguments}: {done.text[:80]!r}")


def case_version():
    """--version prints one line with the name and a number."""
    done = profil("--version")
    words = done.text.split()
    expect(done.status == 0 and len(done.text.splitlines()) == 1, done.text)
    expect(words[0] == "profil" and words[1][0].isdigit(), done.text)
