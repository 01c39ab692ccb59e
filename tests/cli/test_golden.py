# SPDX-License-Identifier: BSD-2-Clause
"""Every view, export, merge and comparison of the recorded profiles (tests/data/profiles) is what it
was, to the byte.

tests/data/golden has a file for each profile: each command with its status if that is not 0, and what
it said.  The views to read stand there themselves; of most others how many bytes they have, and the
SHA-256.  PROFIL_EXPECT=write writes the files anew.  With PROFIL_BEFORE, the path of another build's
profil, a failure shows how the two differ in what is kept as a sum.
"""

import difflib
import gzip
import hashlib
import os
import re
import shutil
import subprocess

from command import PROFIL, expect
from golden import DATA, compare

PROFILES = os.path.join(DATA, "profiles")
PROHST = os.path.join(DATA, "prohst")

# So many bytes of one output are kept as they are: of those to read, of others.
WHOLE, SHORT = 4000, 300

# Nothing of the machine, of its user or of the terminal.
ENVIRONMENT = {"PATH": "/nonexistent", "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "100", "HOME": "/nonexistent"}

VERSION = subprocess.run([PROFIL, "version"], stdout=subprocess.PIPE, check=True).stdout.split(b"\n")[0]

# What stands whole in the files, so that a change of it is read there.
TO_READ = (["report"], ["report", "-n", "3", "--by", "line"], ["report", "-n", "4", "--inlines"],
           *(["report", "--by", by] for by in ("thread", "cgroup")), ["hist", "-n", "6"], ["hist", "--strip"],
           ["tree", "--min", "15%"], ["tree", "--reverse", "--min", "15%"],
           ["tree", "--value", "blocked", "--reverse", "--min", "10%"],
           ["tree", "--value", "blocked", "--depth", "4", "--markdown"], ["report", "--by", "reason"],
           ["report", "-n", "3", "--value", "wall"], ["report", "--value", "blocked", "--by", "reason"],
           ["report", "--value", "blocked", "--callers", "-n", "3"], ["report", "-n", "3", "--comm", "waits"], ["report", "-n", "3", "--under", "^w_poll$"],
           ["report", "--callers", "-n", "3"], ["report", "--callees", "-n", "3"], ["diff", "--by", "path"], ["diff", "--value", "blocked", "--by", "reason"], ["annotate"], ["gprof", "-b"],
           ["report", "--calls"], ["diff"], ["prohst"], ["prohst", "--original"])

REPORTS = [["report"], ["report", "-n", "3", "--by", "line"], ["report", "-n", "3", "--by", "address"],
           ["report", "--by", "object"], ["report", "-n", "4", "--inlines"],
           ["report", "-n", "0", "--inlines", "--color=always"],
           ["report", "-n", "3", "--object", "[kernel]"], ["report", "-n", "5", "--function", "^[a-m]"],
           *(["report", "-n", "0", "--by", by] for by in ("function", "line", "address")),
           *(["report", "--json", "--by", by] for by in ("function", "line", "address", "object")),
           *(["report", "--csv", "--by", by] for by in ("function", "line", "address", "object")),
           ["report", "--json", "--inlines"], ["report", "--csv", "--inlines"],
           *(["report", "--markdown", "-n", "4", "--by", by] for by in ("function", "line", "address", "object")),
           ["report", "--markdown", "-n", "4", "--inlines"]]
APART = [["report", *form, "--by", by] for by in ("comm", "process", "thread", "cpu", "cgroup")
         for form in ([], ["--json"], ["--csv"], ["--markdown"])]
APART += [[view, "--comm", "split", *more] for view, *more in
          (["report"], ["hist", "-n", "6"], ["export", "--to", "folded", "-o", "OUT"])]
HISTS = [["hist", "-n", "6"], ["hist", "-n", "0"], ["hist", "--color=always"], ["hist", "--strip"],
         *(["hist", "-n", "5", "--bucket", bucket] for bucket in ("line", "page", "64")),
         ["hist", "--json"], ["hist", "--json", "--bucket", "256"], ["hist", "--json", "--strip"],
         ["hist", "--markdown", "-n", "5"], ["hist", "--svg", "OUT"], ["hist", "--strip", "--svg", "OUT"]]
ANNOTATES = [["annotate"], ["annotate", "--json"], ["annotate", "--markdown"], ["annotate", "--source"],
             ["annotate", "--asm"], ["annotate", "-n", "3", "--color=always"]]
PAGES = [["html", "-o", "OUT"], ["html", "--functions", "0", "-n", "5", "-o", "OUT"]]
CALLS = [["gprof"], ["gprof", "-b"], ["gprof", "-b", "--traditional"], ["gprof", "--json"], ["gprof", "--csv"],
         ["gprof", "-q", "--csv"], ["gprof", "--markdown"], ["report", "--calls"], ["report", "--calls", "--json"],
         ["report", "--calls", "--csv"], ["report", "--calls", "--markdown"]]
TREES = [["tree"], ["tree", "--min", "15%"], ["tree", "--reverse", "--min", "15%"],
         ["tree", "--json"], ["tree", "--csv"], ["tree", "--markdown", "--depth", "3"],
         ["tree", "--function", "sort", "--min", "20%"], ["report", "--sort", "total", "-n", "5"],
         ["tree", "--reverse", "--json", "--min", "20%"], ["tree", "--reverse", "--markdown", "--min", "20%"],
         ["tree", "--markdown", "--under", "leaf|sort"], ["tree", "--json", "--under", "leaf|sort"],
         *(["report", way, "-n", "3", *form] for way in ("--callers", "--callees") for form in ([], ["--markdown"])),
         ["report", "--callers", "--function", "leaf|sort", "--json"],
         ["report", "--callees", "--function", "leaf|sort", "--csv"],
         ["report", "--under", "leaf|sort", "--markdown"], ["report", "--under", "leaf|sort", "--json"]]
WAITS = [["tree", "--value", value, *more] for value in ("blocked", "runqueue", "wall", "times_blocked", "woken")
         for more in ([], ["--reverse", "--min", "10%"])]
WAITS += [["tree", "--value", "blocked", "--depth", "4", *form] for form in (["--json"], ["--csv"], ["--markdown"])]
WAITS += [["report", "--by", "reason", *form] for form in ([], ["--json"], ["--csv"], ["--markdown"])]
WAITS += [["report", "--sort", "total", "-n", "9"], ["report", "--by", "comm", "--function", "spin|w_"],
          *(["report", "-n", "3", "--value", value] for value in ("blocked", "runqueue", "wall", "times_blocked", "cpu")),
          *(["export", "--to", to, "--value", "blocked", "-o", "OUT"] for to in ("folded", "callgrind", "speedscope", "firefox")),
          *(["report", "--value", "blocked", *more] for more in
            (["--json"], ["--csv"], ["--markdown", "-n", "3"], ["--by", "reason"], ["--by", "thread"], ["--callers", "-n", "3"],
             ["--callees=main", "--json"], ["--callees", "--csv"])),
          *(["report", "-n", "3", *part] for part in (["--comm", "waits"], ["--under", "^w_poll$"]))]
FORMATS = ("pprof", "folded", "callgrind", "speedscope", "firefox", "perf-script", "llvm", "llvm-contexts", "bolt", "autofdo", "gmon", "gmon-4.4bsd",
           "gmon-bsd", "mon", "prf")
EXPORTS = [["export", "--to", to, "-o", "OUT"] for to in FORMATS]
MERGES = [["merge", "-o", "OUT"], ["merge", "--json", "-o", "OUT"]]
VIEWS = REPORTS + HISTS + ANNOTATES + PAGES + EXPORTS + MERGES
DIFFS = [["diff"], ["diff", "-n", "0"], ["diff", "--by", "line"], ["diff", "--by", "object"], ["diff", "--per", "run"],
         ["diff", "--per", "request=5:6"], ["diff", "--json"], ["diff", "--csv"], ["diff", "--markdown"],
         ["diff", "--color=always"], ["diff", "--fail-above", "5%"], ["diff", "--per", "run", "--fail-above", "5%"],
         ["diff", "--fail-above", "90%"], ["diff", "--function", "leaf"], ["diff", "--json", "--by", "line"]]
PATH_DIFFS = [["diff", "--by", "path", *more] for more in
              ([], ["--json"], ["--csv"], ["--markdown"], ["-n", "2"], ["--function", "sort"], ["--fail-above", "5%"])]

GROUPS = {
    "c": ("split-kernel", "split-perf", "split-timer", "split-task", "split-dither", "split-few", "split-32",
          "split-static", "split-raw", "stripped", "attached", "sqlite"),
    "tasks": ("varied", "split-dlopen", "split-thread", "split-threads", "split-fork", "deleted",
              "two-copies", "exec-chain", "short-processes", "pipeline"),
    "languages": ("cxx", "cxx-perf", "fortran", "rust", "rust-timer", "go", "python", "perl"),
    "generated": ("jit", "node", "node-unnamed", "java", "vdso", "many-addresses", "overflow", "nothing"),
    "kernel": ("kernel-files", "kernel-forks", "cgroups", "system-cpu", "system-process", "cc1"),
}
OTHERS = ("go-runtime.pb.gz", "perf-plain.txt", "perf-stacks.txt", "gmon-be32", "gmon-4.4bsd-le64", "gmon-bsd-le32",
          "mon-pdp16", "mon-be64", "gperftools-le64", "gperftools-be32", "gperftools-stacks", "folded-stacks")


# Of a program that is put here now: device, inode and time of the file, behind the text's length.
IDENTITY = re.compile(rb".(#profil\.mapping\.\d+\.file: )[\d ]+", re.DOTALL)


def bare(data):
    """An output without profil's version and its files' identity, and a packed one as it is unpacked."""
    if data[:2] == b"\x1f\x8b":
        data = IDENTITY.sub(rb"\1", gzip.decompress(data))
    return data.replace(VERSION, b"profil VERSION")


def run_one(program, arguments, locale):
    """What comes of one command: (status, [(what, bytes), ...])."""
    before = set(os.listdir("."))
    done = subprocess.run([program, *arguments], env={**ENVIRONMENT, "LC_ALL": locale}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    made = [("output", done.stdout), ("error", done.stderr)]
    for name in sorted(set(os.listdir(".")) - before):
        with open(name, "rb") as file:
            made.append((name, file.read()))
        os.unlink(name)
    return done.returncode, [(what, bare(data)) for what, data in made if data]


def printable(data):
    """The text of DATA, each line behind blanks, or nothing if it is none.  Blanks at a line's end, and
    a last line that has none, are marked."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    text = text.replace("\x1b", "\\e").replace("\r", "\\r")
    if not all(letter.isprintable() or letter in "\n\t" for letter in text):
        return None
    *lines, last = text.split("\n")
    lines = [f"  {line}" + ("\u00b6" if line[-1:].isspace() else "") if line else "" for line in lines]
    return "".join(f"{line}\n" for line in [*lines, *([f"  {last}\\"] if last else [])])


def said(program, view, files, locale, earlier):
    """The paragraph of one command.  What it prints that an EARLIER one did is told by its name."""
    command = " ".join(view)
    status, made = run_one(program, [*view, *files], locale)
    out = [f"$ profil {command}" + (f" = {status}" if status else "") + "\n"]
    for what, data in made:
        text = printable(data) if len(data) <= (WHOLE if view in TO_READ else SHORT) else None
        same = earlier.setdefault(data, command)
        mark = "" if what == "output" else f"{what}: "
        if same != command and len(data) > 60:
            out.append(f"  ({mark}that of {same})\n")
        elif text is None:
            out.append(f"  ({mark}{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:24]})\n")
        else:
            out.append((f"  ({what})\n" if mark else "") + text)
    return "".join(out)


def listing(program, commands, locale):
    """What all commands say; those of the same files follow each other."""
    out, last, earlier = [], None, {}
    for view, files in commands:
        if files != last:
            out.append(f"# {' '.join(files)}\n")
            last, earlier = files, {}
        out.append(said(program, view, files, locale, earlier))
    return "".join(out)


def differences(commands, locale):
    """How the outputs of PROFIL_BEFORE differ from this one's."""
    before = os.environ.get("PROFIL_BEFORE")
    if not before:
        return "PROFIL_BEFORE=another build's profil shows what differs where a sum does"
    out = []
    for view, files in commands:
        old, new = (sum(([what, *data.decode(errors="replace").splitlines()]
                         for what, data in run_one(program, [*view, *files], locale)[1]), [])
                    for program in (before, PROFIL))
        out += difflib.unified_diff(old, new, "before: " + " ".join([*view, *files]), "now", n=1, lineterm="")
    return "\n".join(out)


def check(name, sources, commands, locale="C.UTF-8"):
    """COMMANDS, (view, files), of SOURCES, which are put into the current directory, say what
    tests/data/golden/NAME.txt has."""
    for source in sources:
        shutil.copy(source, ".")
    try:
        compare(f"golden/{name}.txt", listing(PROFIL, commands, locale))
    except (AssertionError, FileNotFoundError) as fault:
        raise AssertionError(f"{fault}\n{differences(commands, locale)}") from None


def check_all(checks):
    """All of CHECKS, each what check() takes, so that all that differs is told."""
    faults = []
    for one in checks:
        try:
            check(*one)
        except AssertionError as fault:
            faults.append(str(fault))
    expect(not faults, "\n".join(faults))


def recorded(*names):
    return [os.path.join(PROFILES, name) for name in names]


def of_file(name, views, *more):
    """VIEWS of one file.  A lone word is a file's to annotate by its ending alone."""
    ends = name.endswith((".gz", ".PRF"))
    return [(view, [*more, name] if ends or view[0] != "annotate" else [*more, name, "."]) for view in views]


def check_group(group):
    check_all((name, recorded(f"{name}.pb.gz"), of_file(f"{name}.pb.gz", VIEWS + APART)) for name in GROUPS[group])


def case_c():
    """Programs in C, by each engine and clock."""
    check_group("c")


def case_tasks():
    """Threads, processes, libraries and files that are gone."""
    check_group("tasks")


def case_languages():
    """C++, Fortran, Rust, Go, Python and Perl."""
    check_group("languages")


def case_generated():
    """Code made at run time, with and without names; the vdso; a full cell table; no ticks at all."""
    check_group("generated")


def case_kernel():
    """The kernel's work, control groups, the whole machine, a compiler."""
    check_group("kernel")


def case_ascii():
    """Where the locale has no other letters than ASCII's."""
    views = [*REPORTS[:7], *HISTS[:5], *ANNOTATES[:3], PAGES[0]]
    check_all((f"{name}-ascii", recorded(f"{name}.pb.gz"), of_file(f"{name}.pb.gz", views), "C")
              for name in ("split-kernel", "rust", "node"))


def case_calls():
    """What was compiled with -pg, with calls: the C library's gmon.out, libprofil-gmon's, and its profile."""
    checks = []
    for name in ("work-libc.gmon", "work-ours.gmon"):
        commands = of_file(name, REPORTS + HISTS + PAGES[1:] + EXPORTS + CALLS[-4:], "--program", "work-pg")
        commands += of_file(name, CALLS[:-4], "work-pg") + of_file(name, [*REPORTS[:1], *CALLS[:2]])
        checks.append((name, recorded(name, "work-pg"), commands))
    checks.append(("work-calls", recorded("work-calls.pb.gz"), of_file("work-calls.pb.gz", VIEWS + CALLS)))
    check_all(checks)


def case_wall():
    """Profiles with all of the time of their threads: a program's, and a machine's."""
    check_all([("wall", recorded("wall.pb.gz"), of_file("wall.pb.gz", VIEWS + APART + WAITS)),
               ("system-wall", recorded("system-wall.pb.gz"), of_file("system-wall.pb.gz", VIEWS + WAITS))])


def case_others():
    """Other profilers' files."""
    check_all((name, recorded(name), of_file(name, VIEWS + CALLS[1:2] + TREES)) for name in OTHERS)


def case_dos():
    """DOS programs' .PRF files, with a map and without, as profiles and as PROHST lists them."""
    checks = []
    for name, more in (("A", []), ("E", []), ("M", ["M.MAP"])):
        file = f"{name}.PRF"
        listings = [(["prohst", *how], [file, to, *more]) for how in ([], ["--original"]) for to in ("-", "OUT")]
        checks.append((file, [os.path.join(PROHST, one) for one in (file, *more)],
                       of_file(file, VIEWS) + listings))
    checks.append(("M.PRF-map", [os.path.join(PROHST, one) for one in ("M.PRF", "M.MAP")],
                   of_file("M.PRF", REPORTS[:4] + PAGES, "--map", "M.MAP")))
    check_all(checks)


def case_broken():
    """Files that are none, or not whole: the same refusal by each command, or what is left of them."""
    names = sorted(name for name in os.listdir(PROFILES) if name.startswith("broken-"))
    views = REPORTS[:4] + HISTS[:1] + ANNOTATES[:2] + PAGES + EXPORTS[:3] + MERGES + CALLS[1:2]
    check_all((name, recorded(name), of_file(name, views)) for name in names)


def packed(*names):
    return [f"{name}.pb.gz" for name in names]


def case_diffs():
    """Comparisons: of one run with itself and another, of sets of runs, of engines, languages and formats."""
    old, new = packed("old-1", "old-2", "old-3"), packed("new-1", "new-2", "new-3")
    pairs = [["old-1", "new-1"], ["old-1", "old-2"], ["old-1", "old-1"], ["cxx", "cxx-perf"], ["rust", "rust-timer"],
             ["split-kernel", "split-perf"], ["split-kernel", "split-static"], ["node", "node-unnamed"],
             ["split-few", "split-kernel"], ["nothing", "split-kernel"], ["system-cpu", "system-process"],
             ["split-kernel", "go-runtime"]]
    checks = [("diff-" + "-".join(pair), recorded(*packed(*pair)), [(view, packed(*pair)) for view in DIFFS])
              for pair in pairs]
    checks.append(("diff-sets", recorded(*old, *new), [(view, [*old, "--", *new]) for view in DIFFS]))
    paths = [["folded-stacks", "go-runtime.pb.gz"], ["go-runtime.pb.gz", "go-runtime.pb.gz"],
             ["stacks-old-1", "stacks-new-1"], ["perf-stacks.txt", "split-kernel.pb.gz"],
             [*(f"stacks-old-{run}" for run in "123"), "--", *(f"stacks-new-{run}" for run in "123")]]
    checks.append(("diff-paths", recorded(*sorted({name for pair in paths for name in pair if name != "--"})),
                   [(view, pair) for pair in paths for view in PATH_DIFFS]))
    calls = [packed(*(f"calls-{side}-{run}" for run in "123")) for side in ("old", "new")]
    pages = [["diff", *more, "--html", "OUT"] for more in ([], ["--per", "run"], ["--function", "leaf"])]
    checks.append(("diff-pages", recorded(*calls[0], *calls[1], *old),
                   [(view, files) for files in ([*calls[0], "--", *calls[1]], [calls[0][0], calls[1][0]], old[:2])
                    for view in pages]))
    waits = [["diff", "--value", "blocked", *more] for more in (["--html", "OUT"], [], ["--by", "reason"], ["--by", "path", "--markdown"], ["--csv"], ["--json"])]
    checks.append(("diff-waits", recorded("wall.pb.gz"),
                   [(view, files) for files in (["wall.pb.gz"] * 2, ["wall.pb.gz", "wall.pb.gz", "--", "wall.pb.gz"]) for view in waits]))
    checks.append(("diff-same-sets", recorded(*old), [(view, [*old[:2], "--", *old[1:]]) for view in DIFFS]))
    check_all(checks)


def case_merges():
    """Sums: in each order, of each kind, what they refuse, and the views of one."""
    runs = packed("old-1", "old-2", "old-3", "new-1", "new-2", "new-3")
    sums = [runs[:3], runs[2::-1], runs, [runs[0], runs[0]], [*runs, *packed("node", "overflow")],
            packed("split-fork", "split-threads"), packed("split-kernel", "split-dither"),
            packed("split-dither", "split-dither-2"), packed("split-kernel", "split-timer"), packed("split-raw", "overflow"), packed("system-process", "old-1")]
    sources = recorded(*sorted({name for files in sums for name in files}))
    checks = [("merges", sources, [(view, files) for files in sums for view in MERGES])]
    check_all(checks)
    subprocess.run([PROFIL, "merge", "-o", "sum.pb.gz", *runs], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                   check=True)
    check_all([("sum", [], of_file("sum.pb.gz", VIEWS))])
