# SPDX-License-Identifier: BSD-2-Clause
"""profil top on a real terminal, tmux: keys, what stands on the screen, and what it leaves behind."""

import itertools
import os
import re
import resource
import signal
import subprocess
import time
import unicodedata

import large
from command import (PATIENCE, PROFIL, Running, check_error, cpu_ticks_below, cpu_ticks_of, expect, long, need_counting,
                     need_program, profil, report, run, target, wait_until)
from golden import DATA

numbers = itertools.count()


class Tmux:
    """A terminal of a server of its own, with a shell in it that says how profil ended."""

    SCRIPT = ('stty -g >before; "$@"; echo "status=$?"; stty -g >behind; '
              'cmp before behind && echo same; exec sleep 600')
    # As a shell at a prompt does it: what stops hands the terminal back.
    JOBS = ('stty -g >before; set -m; "$@"; stty -g >stopped; cmp before stopped && echo given back; read line; fg; '
            'echo "status=$?"; stty -g >behind; cmp before behind && echo same; exec sleep 600')

    def __init__(self, *arguments, command="top", size=(100, 30), script=SCRIPT, **environment):
        need_counting()
        need_program("tmux")
        # Of its own: a server that was told to end may take another client yet.
        self.socket = os.path.abspath(f"tmux-{next(numbers)}")
        variables = {"TERM": "screen-256color", "LC_ALL": "C.UTF-8", **environment}
        words = [f"{name}={value}" for name, value in variables.items()]
        inside = ["env", "-u", "NO_COLOR", *words, "sh", "-c", script, "sh", PROFIL, command, *arguments]
        if "NO_COLOR" in environment:
            del inside[1:3]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1]),
                  *inside)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False)

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], check=False,
                              capture_output=True, timeout=PATIENCE)
        expect(not done.returncode, f"tmux {arguments[0]}: {done.stderr.decode()}")
        return done.stdout.decode()

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def see(self, pattern, *options):
        """Wait until the screen matches PATTERN; returns the match."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, shown := self.screen(*options))):
            expect(time.monotonic() < end, f"waited in vain for {pattern!r}:\n{shown}")
            time.sleep(0.05)
        return found

    def end(self, status=0, keys="q"):
        """Quit; the terminal is as it was."""
        if keys:
            self.type(keys)
        self.see(rf"status={status}\b.*\n(.*\n)?same")

    def pid(self):
        """profil's, the collector."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        with open(f"/proc/{shell}/task/{shell}/children") as children:
            return int(children.read().split()[0])


# Two thirds of its time are spin_two's... of the target "split", whose shares are known.
def split(*options, size=(100, 30), **environment):
    return Tmux(*options, target("split"), "30", size=size, **environment)


def count_of(text):
    return int(text.replace(",", ""))


def case_lists_and_keys():
    """Each view comes by its key, Enter shows instructions, c callers, and q ends it."""
    with split() as screen:
        screen.see(r"spin_three +split")
        screen.see(r"last 1\.\d s: [\d,]+ samples, \d+/s, CPU \d+\.\d %")
        for key, shown in (("2", r"- _start"), ("3", r"pid +tid +threads"), ("4", r"pid +processes"),
                           ("5", "by cpu"), ("6", "by cgroup"), ("7", "by reason"),
                           ("1", r"spin_three +split")):
            screen.type(key)
            screen.see(shown)
        screen.type("Enter")
        screen.see(r"hot loop: ")
        screen.type("c")
        screen.see(r"\bby \w+ +split")
        screen.type("Escape")
        screen.see(r"lately")
        screen.type("?")
        screen.see(r"Ctrl-Z +suspend")
        screen.type("Escape")
        screen.end(status=143)


def case_sums_are_those_of_a_report():
    """What stands on a screen that is saved is what `profil report` says of the file."""
    with split() as screen:
        for name in ("spin_three", "spin_one"):
            screen.see(rf"{name} +split")
        screen.type("p")
        screen.see(r"\[paused\]")
        shown = screen.screen()
        screen.type("w")
        screen.see("save to: profil.pb.gz_")
        screen.type("C-u", "kept.pb.gz", "Enter")
        screen.see("saved: profil report kept.pb.gz")
        whole = report("kept.pb.gz")
        rows = {row["name"]: row["samples"] for row in whole["rows"]}
        taken = re.search(r"([\d,]+) samples at", shown)[1]
        expect(count_of(taken) == whole["identity"]["samples"], f"{taken}: {whole['identity']}")
        for name in ("spin_three", "spin_one"):
            self = re.search(rf"% +([\d,]+) .*\b{name}\b", shown)[1]
            expect(count_of(self) == rows[name], f"{name}: {self} {rows[name]}")
        screen.end(status=143)


def case_tree_folds():
    """Left folds the node that is marked, right unfolds it again."""
    with split() as screen:
        screen.see(r"last 1\.\d s")
        screen.type("2")
        screen.see(r"- main +split\n(.*\n)*.*spin_three")
        screen.type("p", "Home", "Left")
        screen.see(r"\+ _start +split")
        expect("spin_three" not in screen.screen(), screen.screen())
        screen.type("Right")
        screen.see(r"- _start(.*\n)*.*spin_three")
        screen.end(status=143)


def case_tree_of_a_file():
    """profil tree --interactive is the same screen of a profile that does not move: without what is of
    the last second, with folds, callers and other lists."""
    path = os.path.join(DATA, "profiles", "calls-new-3.pb.gz")
    rows = {row["function"]: row for row in report(path)["rows"]}
    with Tmux("--interactive", path, command="tree") as screen:
        shown = screen.see(r" share +self +total +tree +object\n(.*\n)*.* ([\d.]+) % +- main +work-more")
        expect(f"{100 * rows['main']['total']['share']:.1f}" == shown[2], shown[0])
        expect(not re.search(r"\blast\b|lately|/s\b|ended|paused", screen.screen()), screen.screen())
        screen.type("Down", "Down", "Down", "Left")
        screen.see(r"\+ main +work-more")
        expect(" dear " not in screen.screen(), screen.screen())
        screen.type("Space")
        screen.see(r"- main +work-more(.*\n)*.* dear +work-more")
        screen.type("c")
        screen.see(r"by __libc_start_call_main")
        screen.type("Escape", "1")
        screen.see(rf" {rows['dear']['samples']:,} .* dear +work-more")
        screen.end()


def case_tree_of_a_file_leaf_first():
    """With --reverse callers are below what they called, and nothing says what is in a function itself."""
    path = os.path.join(DATA, "profiles", "calls-new-3.pb.gz")
    with Tmux("--interactive", "--reverse", path, command="tree") as screen:
        screen.see(r"\n total +tree +object *(.*\n)*.* - dear +work-more *\n.* +- main +work-more")
        screen.end()


def case_tree_of_a_file_refuses():
    """What the screen of a profile cannot show is refused, in one sentence."""
    path = os.path.join(DATA, "profiles", "calls-new-3.pb.gz")
    for arguments in (["--json"], ["--depth", "3"], ["--min", "1%"], ["--function", "x"], ["--color", "never"],
                      ["--value", "blocked"]):
        check_error(profil("tree", "--interactive", *arguments, path), says="--interactive shows neither")
    check_error(profil("tree", "--interactive", os.path.join(DATA, "profiles", "split-kernel.pb.gz")), says="-g")
    check_error(run(PROFIL, "tree", "--interactive", path, start_new_session=True), says="there is no terminal")


def case_filter_and_sort():
    """/ lists what has a text in its name, Tab sorts otherwise."""
    with split() as screen:
        screen.see(r"spin_three +split")
        screen.type("/", "SPIN_ONE", "Enter")
        screen.see(r"filter: SPIN_ONE\n.*\n.*spin_one +split *\n *\n")
        screen.type("/", "C-u", "spin_", "Enter", "s", "s", "Tab")
        screen.see(r"by name  filter: spin_\n(.*\n)+.*\bspin_one(.*\n)+.*\bspin_three")
        screen.type("Tab")
        screen.see(r"by last  filter: spin_\n(.*\n)+.*\bspin_three(.*\n)+.*\bspin_one")
        screen.end(status=143)


def case_small_screens_and_storms():
    """20 columns and 5 lines are enough to see what takes most, and sizes may change at any time."""
    with split(size=(20, 5)) as screen:
        screen.see(r"spin_three")
        for step in range(60):
            screen.tmux("resize-window", "-x", str(20 + step * 7 % 120), "-y", str(3 + step % 40))
        screen.tmux("resize-window", "-x", "100", "-y", "30")
        # Until there are more samples of it than of what made the program, another function may be the first.
        screen.see(r"object *\n.*spin_three +split")
        screen.type("Enter")
        screen.see(r"hot loop")
        screen.type("Escape")
        screen.see(r"lately(.*\n)+.*spin_three +split")
        for _ in range(200):
            os.kill(screen.pid(), signal.SIGWINCH)
        screen.tmux("resize-window", "-x", "60", "-y", "12")
        screen.see(r"spin_three")
        lines = screen.screen().splitlines()
        expect(all(len(line) <= 60 for line in lines), f"{lines}")
        screen.end(status=143)


def case_without_colours():
    """A terminal without colours, and a user who wants none, get none."""
    for environment in ({"TERM": "vt100"}, {"NO_COLOR": "1"}, {"LC_ALL": "C"}):
        with split(**environment) as screen:
            screen.see(r"spin_three +split")
            colours = re.findall(r"\x1b\[[0-9;]*[34][0-7][;m]", screen.screen("-e"))
            expect("LC_ALL" in environment or not colours, f"{environment}: {colours}")
            if "LC_ALL" in environment:
                expect(screen.screen().isascii(), screen.screen())
            screen.end(status=143)


def case_a_program_s_output_is_not_on_the_screen():
    """What a program writes to the terminal is not seen, what is redirected is there."""
    script = "echo GARBAGE; echo GARBAGE >&2; exec \"$0\" 30"
    with Tmux("sh", "-c", script, target("split")) as screen:
        screen.see(r"spin_three +split")
        expect("GARBAGE\n" not in re.sub(r".*exec.*\n", "", screen.screen()), screen.screen())
        screen.end(status=143)


def case_what_ends_stays():
    """When the program has ended its last figures stay, keys work, and -o writes what was seen."""
    with Tmux("-o", "kept.pb.gz", "--no-report", target("split"), "1") as screen:
        screen.see(r"\[ended\]")
        screen.type("2")
        screen.see(r"- main")
        samples = screen.see(r"([\d,]+) samples at")[1]
        screen.end(status=0)
        whole = report("kept.pb.gz")
        expect(whole["identity"]["samples"] == count_of(samples), f"{samples}: {whole['identity']}")
        expect(not whole["facts"].get("partial"), f"{whole['facts']}")


def case_what_runs_already():
    """A process is looked at, and goes on when top has ended."""
    spin = Running([target("split"), "60"])
    with Tmux("-p", str(spin.pid)) as screen:
        screen.see(r"spin_three +split")
        screen.end(status=0)
    expect(spin.process.poll() is None, "it has ended")
    with Tmux("-p", str(spin.pid)) as screen:
        screen.see(r"spin_three +split")
        os.kill(spin.pid, signal.SIGKILL)
        screen.see(r"\[ended\]")
        screen.end(status=0)


def case_dear_screens_become_few():
    """Of many addresses there are fewer screens, the screen says how few, and r does not wait for the next."""
    with Tmux("--flat", "-F", "20000", target("wide")) as screen:

        def hurried():
            every = int(screen.see(r"every (\d+) s \(r: now\)")[1])
            shown = screen.see(r"[\d,]+ samples at")[0]
            screen.type("r")
            last = screen.see(rf"(?s)^(?!.*\b{shown}).*last (\d+\.\d) s")[1]
            return every >= 5 and float(last) < every - 1
        # A machine that is held up between both may miss it once; without the key it never comes.
        wait_until("a screen before its time", hurried)
        screen.type("?")
        screen.see(r"(?m)^r +a new screen now")
        screen.end(status=143)


def case_signals_give_the_terminal_back():
    """SIGTERM ends it, and so it is when the one who has the screen is killed."""
    with split() as screen:
        screen.see(r"spin_three +split")
        os.kill(screen.pid(), signal.SIGTERM)
        screen.end(status=143, keys=None)
    spin = Running([target("split"), "60"])
    with Tmux("-p", str(spin.pid)) as screen:
        screen.see(r"spin_three +split")
        with open(f"/proc/{screen.pid()}/task/{screen.pid()}/children") as children:
            os.kill(int(children.read().split()[0]), signal.SIGKILL)
        screen.see(r"what shows the profile ended with signal 9")
        screen.see(r"same")


def case_no_terminal():
    """Without a terminal there is one sentence."""
    done = run(PROFIL, "top", "true", start_new_session=True)
    expect(done.status == 125 and done.words.startswith("profil: screen: there is no terminal: ") and
           done.words.count("\n") == 1, f"{done.status}: {done.words}")


# What a terminal would take for its own: its title, a question that it answers, keys of mice, one of 8 bits; what is no
# text; what turns the order of text; what is wider than a column, and what has none; and what is just long.
HOSTILE = (b"<script>'\"&;", b"\x1b]0;owned\x07title", b"\x1b[6n\x1b[?1000hmouse", b"\xc2\x9b6neight", b"\x9b6nbare",
           b"\xff\xfe\xc3(invalid", b"\xe2\x80\xaeturned\xe2\x80\xac", "\u4e16\u754cwide".encode(), "e\u0301\u200bnone".encode(),
           b"tab\tline\nreturn\rback\x08", b"long" * 2500)
# What is seen of each, at least.
HOSTILE_SHOWN = ("<script>", "owned?title", "mouse", "6neight", "6nbare", "(invalid", "turned", "wide", "none", "return?back",
                 "longlong")


def build_hostile(path):
    """A program that works all of the time in functions of these names."""
    need_program("cc", "objcopy")
    calls = "".join(f"hostile_{number}(); " for number in range(len(HOSTILE)))
    with open("hostile.c", "w") as out:
        for number in range(len(HOSTILE)):
            out.write(f"void hostile_{number}(void) {{ for (volatile int i = 0; i < 1000000; i++); }}\n")
        out.write(f"int main(void) {{ for (;;) {{ {calls} }} }}\n")
    subprocess.run(["cc", "-c", "hostile.c"], check=True)
    names = [b"--redefine-sym=hostile_%d=%s" % pair for pair in enumerate(HOSTILE)]
    subprocess.run(["objcopy", *names, "hostile.o"], check=True)
    subprocess.run(["cc", "-o", path, "hostile.o"], check=True)


def columns_of(text):
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text)


def written_to(path):
    with open(path, "rb") as raw:
        return raw.read()


def check_harmless(path):
    """What was written to the terminal is text, and what terminfo has to move a cursor, to erase, to scroll, to colour."""
    wait_until("all that was written", lambda: b"status=" in written_to(path))
    text = written_to(path).split(b"status=")[0].decode()
    expect("owned" in text, text)
    text = re.sub(r"\x1b(\[[0-9;]*[ABCDGHJKLMPSTXZbdhlmr@]|\[\?(1|7|12|25|1049)[hl]|[()][0B]|[=>78M])|"
                  r"[\r\n\t\b\x0e\x0f]", "", text)
    odd = [text[at:at + 20] for at, one in enumerate(text) if unicodedata.category(one)[0] == "C"]
    expect(not odd, f"{odd}")


def check_list(screen, view, title):
    """On a screen that stays VIEW has all names, and what they are in stands below its title."""
    screen.type(view, "/")
    # The last line is drawn last: where it asks, all above it is of this view.
    shown = screen.see(rf"(?s)[^\n]* {title} +(?=object).*\nfilter: _\s*$")[0]
    screen.type("Enter")
    above, *rows = shown.splitlines()
    rows = [row for row in rows if re.search(r" hostile *$", row)]
    for name in HOSTILE_SHOWN:
        expect(any(name in row for row in rows), f"{name} is not there:\n{shown}")
    places = {columns_of(row[:row.rindex("hostile")]) for row in rows}
    expect(places == {columns_of(above[:above.rindex("object")])}, f"they stand in the columns {places}:\n{shown}")


def case_hostile_names():
    """Names that are no text, or that a terminal would obey, are shown, harm nothing and leave all columns where they are;
    while it runs and of a file, as functions, tree, code and callers."""
    build_hostile("hostile")
    for command, arguments in (("top", ("-o", "kept.pb.gz", "--no-report", "./hostile")),
                               ("tree", ("--interactive", "kept.pb.gz"))):
        # There is room for the interrupts that each function may have, and for a whole name behind the figures.
        with Tmux(*arguments, command=command, size=(200, 120), script="read line; " + Tmux.SCRIPT) as screen:
            screen.tmux("pipe-pane", f"cat >written-{command}")
            screen.type("Enter", "1")
            for name in HOSTILE_SHOWN:
                screen.see(rf"{re.escape(name)}.* hostile *\n")
            screen.type("p")
            check_list(screen, "1", "functions")
            check_list(screen, "2", "tree")
            screen.type("1", "/", "owned", "Enter")
            screen.see(r"filter: owned\n.*\n.*owned.* hostile *\n *\n")
            for key in ("Enter", "c"):
                screen.type(key)
                screen.see(r"(?s)owned.*Esc back")
                screen.type("Escape")
                screen.see(r"(?s)functions +object.*q quit")
            screen.end(status=143 if command == "top" else 0)
            check_harmless(f"written-{command}")


def case_suspended_and_back():
    """Ctrl-Z gives the terminal to the shell, fg draws all of it anew, and what runs already is counted meanwhile."""
    spin = Running([target("split"), "600"])
    with Tmux("-p", str(spin.pid), script=Tmux.JOBS) as screen:
        before = count_of(screen.see(r"([\d,]+) samples at(.*\n)*.*spin_three +split")[1])
        screen.type("C-z")
        screen.see(r"given back")
        expect("spin_three" not in screen.screen(), screen.screen())
        ticks = cpu_ticks_of(spin.pid)
        wait_until("a second of CPU time", lambda: cpu_ticks_of(spin.pid) > ticks + os.sysconf("SC_CLK_TCK"))
        screen.type("Enter")
        shown = screen.see(r"([\d,]+) samples at(.*\n)*.*spin_three +split(.*\n)*.*q quit")[1]
        wait_until("more samples", lambda: count_of(screen.see(r"([\d,]+) samples at")[1]) > count_of(shown))
        # At 997 Hz a second has 997 samples, and some of a virtual machine's come late.
        behind = count_of(screen.see(r"([\d,]+) samples at")[1])
        expect(behind > before + 500, f"{before} before, {behind} behind")
        screen.type("2")
        screen.see(r"- _start(.*\n)*.*q quit")
        screen.end(status=0)
    spin.end()


def used_by(pid):
    return (cpu_ticks_of(pid) + cpu_ticks_below(pid)) / os.sysconf("SC_CLK_TCK")


@long
def case_a_million_cells_of_a_file():
    """A profile of a million cells, each in a calling context of its own, is there for twice the CPU time and the memory
    of `profil report`, and a key that folds or sorts takes a tenth of that."""
    total = large.write_stacks("million.pb", 1000000)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = profil("report", "-n", "10", "million.pb")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    reported = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with Tmux("--interactive", "million.pb", command="tree") as screen:
        samples = screen.see(r"([\d,]+) samples\n(.*\n)*.*tree +object *\n.*function_")[1]
        expect(count_of(samples) == total, f"{samples}, not {total}")
        pid = screen.pid()
        opened = used_by(pid)
        expect(opened <= 2 * reported, f"{opened} s, and {reported} s for the report")
        for view, keys in (("2", (("Left", r"\+ function_"), ("Right", r"- function_"))),
                           ("1", (("Tab", "by total"), ("Tab", "by name"), ("Tab", "by self"), ("End", "function_")))):
            screen.type(view)
            screen.see(r"tree +object" if view == "2" else r"functions +object")
            for key, shown in keys:
                before = used_by(pid)
                screen.type(key)
                screen.see(shown)
                taken = used_by(pid) - before
                expect(taken <= reported / 10, f"{key}: {taken} s, and {reported} s for the report")
        with open(f"/proc/{pid}/status") as status:
            memory = int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) << 10
        expect(memory <= 2 * done.memory, f"{memory} bytes, and {done.memory} for the report")
        screen.end()
