# SPDX-License-Identifier: BSD-2-Clause
"""The profile on disk: never half a file, whatever the disk, the binary or the reader does."""

import gzip
import os
import shutil
import socket
import sys

from command import (AS_NOBODY, PROFIL, Skip, check_error, check_files, expect, long, need_counting, need_program,
                     need_root, profil, report, run, target)
from limits import check_least
from measure import FAST, Measurement, check_identity, check_split, take

QUIET = ("-q", "--no-report")


def take_small():
    """The bytes of a profile of few cells."""
    with open(take(target("sleeper"), options=("-F", "20kHz"), cpu=False).path, "rb") as file:
        return file.read()


def case_disk_full():
    """A disk that is full at the end: one line, 125, the old profile as it was, and no rest."""
    need_root()
    need_counting()
    need_program("unshare", "mount")
    # Two pages: the old profile fills one, the filler the other.
    done = run("unshare", "-m", "sh", "-ec", """
        mkdir small; mount -t tmpfs -o size=8k tmpfs small
        echo old >small/profil.pb.gz
        head -c 4096 /dev/zero >small/filler
        status=0; "$@" || status=$?
        ls -A small; cat small/profil.pb.gz
        exit $status""", "sh", PROFIL, *QUIET, "-o", "small/profil.pb.gz", target("split"))
    done.stdout = done.stdout.split(b"spin_one", 1)[1].split(b"\n", 1)[1]
    expect(done.text == "filler\nprofil.pb.gz\nold\n", f"the disk holds: {done.text!r}")
    done.stdout = b""
    check_error(done, 125, "No space left")
    expect("small/profil.pb.gz" in done.words, done.words)


def case_full_device():
    """-o /dev/full: one line, 125."""
    need_counting()
    check_error(profil(*QUIET, "-o", "/dev/full", "true"), 125, "/dev/full")
    check_files()


def case_no_such_directory():
    """-o into a directory that is not there: one line, 125."""
    need_counting()
    check_error(profil(*QUIET, "-o", "none/profil.pb.gz", "touch", "ran"), 125, "none/profil.pb.gz")
    expect(not os.path.exists("ran"), "a program ran whose profile has nowhere to go")
    check_files()


def case_output_is_directory():
    """-o that is a directory: one line, 125, and the directory stays."""
    need_counting()
    os.mkdir("directory")
    check_error(profil(*QUIET, "-o", "directory", "true"), 125, "directory")
    check_files("directory")


def case_named_by_host_and_rank():
    """-o with %h, %r, %p and %%: a name of its own for each rank; what stands for nothing is said
    before anything runs."""
    need_counting()
    for rank in ("0", "11"):
        done = profil(*QUIET, "-o", "%r-of-%h-100%%.pb.gz", "true", env={**os.environ, "PMIX_RANK": rank})
        expect(not done.status, done.words)
    host = socket.gethostname()
    check_files(f"0-of-{host}-100%.pb.gz", f"11-of-{host}-100%.pb.gz")
    check_error(profil(*QUIET, "-o", "%z", "touch", "ran"), 125, "%z stands for nothing")
    check_files(f"0-of-{host}-100%.pb.gz", f"11-of-{host}-100%.pb.gz")


def case_replaces_old():
    """A new profile takes the old one's place in one step and leaves no other file."""
    take("true", path="profil.pb.gz", cpu=False)
    old = os.stat("profil.pb.gz")
    done = profil(*QUIET, "true")
    expect(done.status == 0, done.words)
    new = os.stat("profil.pb.gz")
    expect(old.st_ino != new.st_ino, "written over in place")
    check_files("profil.old.pb.gz", "profil.pb.gz")


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def case_keeps_the_one_before():
    """What a measurement replaces is kept, by the usual name and by one of -o, once a measurement; an
    empty file, or what merge replaces, is not."""
    for name, old, options in (("profil.pb.gz", "profil.old.pb.gz", ()),
                               ("run.prof", "run.old.prof", ("-o", "run.prof"))):
        first = run(PROFIL, *QUIET, *options, "true")
        expect(first.status == 0, first.words)
        before = bytes_of(name)
        second = run(PROFIL, *QUIET, *options, "--every", "100ms", "sleep", "0.5")
        expect(second.status == 0, second.words)
        expect(bytes_of(old) == before, f"{old} is not what {name} was")
        check_identity(report(name))
        check_files(name, old)
        os.unlink(old)
        merged = run(PROFIL, "merge", name, "-o", name)
        expect(merged.status == 0, merged.words)
        check_files(name)
        os.unlink(name)
    open("empty", "w").close()
    expect(run(PROFIL, *QUIET, "-o", "empty", "true").status == 0, "empty")
    check_files("empty")


def check_mode(path, wanted):
    mode = os.stat(path).st_mode & 0o777
    expect(mode == wanted, f"{path}: mode {mode:o}, not {wanted:o}")


def case_mode():
    """A profile taken with rights over others is its owner's alone, whatever is in it, and so is what
    is made of it; one that its owner shows is shown on, but for the kernel's addresses."""
    need_root()
    need_counting()
    for engine in ("kernel", "perf", "timer"):
        path = f"{engine}.pb.gz"
        done = run(PROFIL, *QUIET, "--engine", engine, "-o", path, "true",
                   preexec_fn=lambda: os.umask(0o022))
        expect(done.status == 0, done.words)
        check_mode(path, 0o600)
    take(target("kernel-heavy"), "0.3", preexec_fn=lambda: os.umask(0o077), cpu=False)
    check_mode("profil.pb.gz", 0o600)
    made = {"html": ("html", "-o"), "folded": ("export", "--to", "folded", "-o"),
            "sum": ("merge", "-o"), "svg": ("hist", "--svg")}
    for shown, kernel in ((0o600, True), (0o644, True), (0o644, False)):
        if not kernel:
            # Nobody's own program, without an address of the kernel's.
            without_kernel("profil.pb.gz")
        os.chmod("profil.pb.gz", shown)
        for name, (command, *options) in made.items():
            done = profil(command, "profil.pb.gz", *options, f"made.{name}",
                          preexec_fn=lambda: os.umask(0o022))
            expect(done.status == 0, done.words)
            check_mode(f"made.{name}", 0o600 if kernel else 0o644)


def without_kernel(path):
    """Put a profile at PATH that nobody takes by the timer engine, which sees no kernel."""
    os.unlink(path)
    os.mkdir("open")
    os.chmod("open", 0o777)
    need_program("setpriv")
    done = run(*AS_NOBODY, PROFIL, *QUIET, *FAST, "--engine", "timer", "-o", f"open/{path}",
               target("split"), "0.3", preexec_fn=lambda: os.umask(0o022))
    expect(done.status == 0, done.words)
    check_mode(f"open/{path}", 0o644)
    os.rename(f"open/{path}", path)


def case_owner_behind_sudo():
    """Behind sudo a profile is the caller's, if it is new or was his; else it is root's."""
    need_root()
    need_counting()
    environment = {**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65533"}
    for before, owner in ((None, (65534, 65533)), (65534, (65534, 65533)), (0, (0, 0)),
                          (65532, (0, 0))):
        if before is not None:
            with open("profil.pb.gz", "w") as file:
                file.write("old")
            os.chown("profil.pb.gz", before, before)
        done = profil(*QUIET, "true", env=environment)
        expect(done.status == 0, done.words)
        status = os.stat("profil.pb.gz")
        expect((status.st_uid, status.st_gid) == owner, f"{before}: {status}")
        check_mode("profil.pb.gz", 0o600)


def refuses(output, why, *by):
    done = run(*by, PROFIL, *QUIET, "--engine", "timer", "-o", output, "touch", "ran")
    check_error(done, 125, why)
    expect(not os.path.exists("ran"), "a program ran whose profile has nowhere to go")


def case_cannot_be_replaced():
    """What could not be replaced in the end is refused before the program runs, and nothing is touched:
    another user's file in a sticky folder, a folder, a mount, a file system that is read-only."""
    need_root()
    need_program("setpriv", "unshare", "mount")
    os.chmod(".", 0o755)
    os.mkdir("common")
    os.chmod("common", 0o1777)
    with open("common/p.pb.gz", "w") as file:
        file.write("another's\n")
    os.chown("common/p.pb.gz", 65533, 65533)
    refuses("common/p.pb.gz", "another user's", *AS_NOBODY)
    os.mkdir("common/q.pb.gz")
    refuses("common/q.pb.gz", "Is a directory")
    with open("own.pb.gz", "w") as file:
        file.write("own\n")
    os.mkdir("own.old.pb.gz")
    refuses("own.pb.gz", "own.old.pb.gz: a folder")
    os.rmdir("own.old.pb.gz")
    for script, why in (("mount --bind own.pb.gz own.pb.gz", "mount of its own"),
                        ("mount --bind -o ro . . && cd .", "Read-only file system")):
        done = run("unshare", "-m", "sh", "-ec", f'{script}; exec "$@"', "sh", PROFIL, *QUIET,
                   "--engine", "timer", "-o", f"{os.getcwd()}/own.pb.gz", "touch", "/dev/shm/ran")
        check_error(done, 125, why)
    expect(bytes_of("common/p.pb.gz") == b"another's\n", "touched")
    check_files("common", "own.pb.gz")


def case_to_nowhere():
    """-o /dev/null writes to the device and does not replace it."""
    need_counting()
    done = profil(*QUIET, "-o", "/dev/null", "true")
    expect(done.status == 0 and not done.stderr, done.words)
    expect(not os.path.isfile("/dev/null"), "/dev/null is a file now")


def case_to_a_named_pipe():
    """A named pipe that nobody reads is not waited for, one that is read gets the profile."""
    need_counting()
    os.mkfifo("pipe")
    check_error(profil(*QUIET, "-o", "pipe", "true"), 125, "nobody reads this pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    done = profil(*QUIET, "-o", "pipe", "true")  # a profile of true is smaller than a pipe's room
    expect(done.status == 0 and not done.words, done.words)
    with os.fdopen(reader, "rb") as pipe, open("copy.pb.gz", "wb") as copy:
        shutil.copyfileobj(pipe, copy)
    check_identity(report("copy.pb.gz"))


def case_to_a_pipe():
    """-o /dev/stdout can feed a pipe: the profile is whole at the other end."""
    need_counting()
    done = run("sh", "-c", '"$@" | cat >piped.pb.gz', "sh",
               PROFIL, *QUIET, "-o", "/dev/stdout", "true")
    expect(not done.stderr, done.words)
    check_identity(report("piped.pb.gz"))


def check_nameless(measurement, name):
    """Nearly all ticks are in the file NAME, at addresses that were given no names."""
    rows = [row for row in measurement.report["rows"] if row["object"] == name]
    expect(sum(row["samples"] for row in rows) > 0.9 * measurement.in_user_mode, "ticks elsewhere")
    expect(all(row["name"].startswith(f"{name}+0x") for row in rows), f"guessed names: {rows}")


def check_note(measurement, name, why):
    """The report says once, in one line, why the code of NAME has no names."""
    lines = profil("report", measurement.path).text.splitlines()
    notes = [line for line in lines if line.startswith(f"{name}: ")]
    expect(len(notes) == 1 and why in notes[0], f"not one line that says {why!r}: {notes}")


def case_replaced_binary():
    """A binary that was replaced since: its addresses as they are, and one line that says why."""
    shutil.copy(target("split"), "program")
    measurement = take("sh", "-c", './program; cp "$1" new; mv new program', "sh", target("jit"),
                       again=False, cpu=False)
    check_nameless(measurement, "program")
    check_note(measurement, "program", "another file stands there")


def case_deleted_binary():
    """A binary that is gone at the end: its addresses as they are, and one line that says why."""
    shutil.copy(target("split"), "program")
    measurement = take("sh", "-c", "./program; rm program", cpu=False)
    check_nameless(measurement, "program")
    check_note(measurement, "program", "gone")


def case_unreadable_binary():
    """A binary that may be executed but not read is counted; its addresses stand as they are."""
    need_root()
    need_program("setpriv")
    need_counting()
    shutil.copy(target("split"), "program")
    os.chmod("program", 0o711)
    os.mkdir("open")
    os.chmod("open", 0o777)
    done = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
               "--inh-caps=+bpf,+perfmon", "--ambient-caps=+bpf,+perfmon",
               PROFIL, *QUIET, *FAST, "-o", "open/profil.pb.gz", "./program")
    expect(done.status == 0, f"{done.status}: {done.words}")
    measurement = Measurement(done, "open/profil.pb.gz")
    check_identity(measurement.report)
    check_nameless(measurement, "program")
    check_note(measurement, "program", "cannot be read")


def in_mounts(script, *arguments):
    """Run SCRIPT in a mount namespace of its own, with ARGUMENTS behind profil and its options."""
    need_root()
    need_counting()
    need_program("unshare", "mount")
    done = run("unshare", "-m", "sh", "-ec", script, "sh", *arguments)
    expect(done.status == 0, f"{done.status}: {done.words}")
    return Measurement(done, "profil.pb.gz")


def case_other_mounts():
    """A program in a mount namespace that is gone at the end is counted, its addresses as they
    are."""
    measurement = in_mounts('''
        copy=$1; shift; mkdir there
        "$@" unshare -m sh -ec 'mount -t tmpfs there there
            cp "$1" there/program; there/program 0.3' sh "$copy"''', target("split"), PROFIL, *QUIET, *FAST)
    check_identity(measurement.report)
    check_nameless(measurement, "program")


def case_overlay():
    """A program on an overlay, as in a container, is a program, with names and its path there."""
    with open("/proc/filesystems") as known:
        if "\toverlay\n" not in known.read():
            raise Skip("needs the overlay file system")
    os.mkdir("lower")
    shutil.copy(target("split"), "lower/program")
    measurement = in_mounts("""
        mkdir upper overlay; mount -t tmpfs upper upper; mkdir upper/files upper/work
        mount -t overlay -o lowerdir=lower,upperdir=upper/files,workdir=upper/work overlay overlay
        "$@" overlay/program""", PROFIL, *QUIET, *FAST)
    check_split(measurement)
    expect(measurement.classes["program"] > 0.9 * measurement.in_user_mode, measurement.classes)
    rows = [row for row in measurement.report["rows"] if row["name"] == "spin_three"]
    expect(rows[0]["path"] == os.path.abspath("overlay/program"), f"path: {rows[0]['path']}")


def case_from_memory():
    """A program executed from memory, of no file on any disk, is counted under the name it has."""
    program = ("import os, sys\n"
               "made = os.memfd_create('made')\n"
               "os.write(made, open(sys.argv[1], 'rb').read())\n"
               "os.execv(f'/proc/self/fd/{made}', ['made', '0.5'])\n")
    measurement = take(sys.executable, "-c", program, target("split"), cpu=False)
    ticks = measurement.ticks("object")
    least, _ = measurement.between(sum(measurement.truth.seconds.values()),
                                   sum(measurement.truth.runs.values()))
    check_least("ticks of memfd:made", ticks.get("memfd:made", 0), least)


@long
def case_cut_at_every_byte():
    """A profile cut at any byte is refused with one line and 125, and never crashes."""
    data = take_small()
    # Bounded, so that a growing profile does not grow the suite; the ends are always among them.
    step = max(1, len(data) // 400)
    for length in sorted({*range(0, len(data), step), *range(min(40, len(data))),
                          *range(len(data) - 40, len(data))}):
        with open("cut.pb.gz", "wb") as file:
            file.write(data[:length])
        done = profil("report", "cut.pb.gz")
        try:
            check_error(done, 125, "cut.pb.gz")
        except AssertionError as error:
            raise AssertionError(f"cut at {length} of {len(data)}: {error}") from None


@long
def case_unpacked_and_cut():
    """The same without gzip: cut anywhere, it is refused or read, and never crashes."""
    data = gzip.decompress(take_small())
    step = max(1, len(data) // 400)
    for length in range(0, len(data), step):
        with open("cut.pb", "wb") as file:
            file.write(data[:length])
        done = profil("report", "cut.pb")
        expect(done.status in (0, 125), f"cut at {length}: {done.status}: {done.words}")
        if done.status:
            check_error(done, 125, "cut.pb")


@long
def case_flipped_bits():
    """A profile with any one byte changed is read or refused, and never crashes."""
    data = gzip.decompress(take_small())
    step = max(1, len(data) // 300)
    for place in range(0, len(data), step):
        with open("odd.pb", "wb") as file:
            file.write(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1:])
        done = profil("report", "odd.pb")
        expect(done.status in (0, 125), f"byte {place}: {done.status}: {done.words}")


def case_unpacked():
    """A profile that somebody unpacked reads like the packed one."""
    measurement = take(target("split"), "0.3", cpu=False)
    with open("plain.pb", "wb") as file:
        file.write(gzip.decompress(open(measurement.path, "rb").read()))
    expect(report("plain.pb")["rows"] == measurement.report["rows"], "other rows")
