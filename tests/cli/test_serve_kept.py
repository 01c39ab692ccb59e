# SPDX-License-Identifier: BSD-2-Clause
"""profil serve -d: profiles of one interval after the other, added up and deleted as they get older."""

import calendar
import contextlib
import json
import os
import random
import re
import shutil
import signal
import time

import pprof
from command import PROFIL, Running, check_error, cpu_ticks_of, expect, need_counting, need_root, profil, report, run, wait_until
from measure import check_identity
from serving import HTML, Served
from test_serve_live import Measured, children, counters, scraping_prometheus, rows_of

BEGAN = calendar.timegm((2026, 3, 2, 0, 0, 0))
MINUTE, HOUR, DAY = 60, 3600, 86400
NAMES = re.compile(r"(\d{8})(-\d{2}(\d{4})?)?(-apart)?\.pb\.gz")


def name_of(second):
    return time.strftime("%Y%m%d-%H%M%S.pb.gz", time.gmtime(second))


def make(folder, count, every=MINUTE, began=BEGAN):
    """COUNT intervals, each of which has one sample in common with all, and one at an address of its own."""
    os.makedirs(folder, exist_ok=True)
    for kind in range(4):
        pprof.write(f"kind{kind}", [("/nowhere/program", "01020304", 0x1000, 0x900000, 0)],
                    [(0, 0x1000, "common", "c", 1, 1), (0, 0x2000 + 16 * kind, f"f{kind}", "c", 1, 1 + kind)])
    for number in range(count):
        shutil.copy(f"kind{number % 4}", os.path.join(folder, name_of(began + number * every)))
    return sum(2 + number % 4 for number in range(count))


def samples(path):
    found = report(path)
    check_identity(found)
    return found["total"]


def samples_of(folder):
    names = [os.path.join(folder, name) for name in os.listdir(folder) if NAMES.fullmatch(name)]
    expect(profil("merge", *names, "-o", "sum").status == 0, "merge")
    return samples("sum")


def end(served):
    """What it says when it is told to end."""
    os.kill(served.pid, signal.SIGTERM)
    return served.running.wait()


def thinned(folder, *options):
    """What is in FOLDER when all has been done that is due: before the address is printed."""
    served = Served("-d", folder, *options)
    done = end(served)
    expect(done.status == 0, f"{done.status}: {done.words}")
    return sorted(os.listdir(folder))


def of_length(names, length):
    return [name for name in names if len(name) == length + len(".pb.gz")]


def case_a_week():
    """A week of minutes is six hours of minutes, then hours; days once they are a week old: every sample is in one
    of them."""
    due = make("week", 9 * 24 * 6, every=10 * MINUTE)
    names = thinned("week", "--keep", "30d")
    expect(all(NAMES.fullmatch(name) for name in names), f"{names}")
    days, hours, minutes = (of_length(names, length) for length in (8, 11, 15))
    # It is 23:50 of the ninth day.
    expect(len(days) == 1 and len(hours) == 7 * 24 + 17 and len(minutes) == 7 * 6, f"{len(days)}, {len(hours)}, {len(minutes)}")
    expect(samples_of("week") == due, f"{samples_of('week')} samples, due {due}")
    expect(names == thinned("week", "--keep", "30d"), "another time it is otherwise")


def case_what_is_too_old_is_deleted():
    """--keep deletes what is older, and nothing else."""
    make("old", 3 * 24, every=HOUR)
    names = thinned("old", "--keep", "1d")
    expect(names[0] == "20260303-23.pb.gz" and len(names) == 24 + 1, f"{names[0]}: {len(names)}")


def case_all_together_have_a_size():
    """--size adds up what is younger, and deletes when that is not enough."""
    due = make("small", 5 * 24 * 6, every=10 * MINUTE)
    names = thinned("small", "--size", "1MB")
    expect(samples_of("small") == due and len(of_length(names, 11)), "1 MB is enough")
    for name in os.listdir("small"):
        with open(os.path.join("small", name), "ab") as file:
            file.truncate(100000)  # no profile any more, and a size
    names = thinned("small", "--size", "1MB")
    sizes = sum(os.path.getsize(os.path.join("small", name)) for name in names)
    expect(sizes <= 1000000 and names, f"{sizes} bytes in {len(names)}")


def case_what_cannot_be_added_up_stays():
    """A file that is no profile is kept apart, and said; the others are added up."""
    due = make("broken", 24 * 6, every=10 * MINUTE)
    path = os.path.join("broken", name_of(BEGAN + 30 * MINUTE))
    due -= samples(path)
    with open(path, "w") as file:
        file.write("nonsense")
    served = Served("-d", "broken")
    done = end(served)
    expect(re.fullmatch(rf"profil: {name_of(BEGAN + 30 * MINUTE)}: .*; it is kept apart as 20260302-003000-apart.pb.gz\n",
                        done.words), done.words)
    os.unlink(os.path.join("broken", "20260302-003000-apart.pb.gz"))
    expect(samples_of("broken") == due, f"{samples_of('broken')}, due {due}")


def case_killed_at_any_moment():
    """Killed over and over while it adds up, it leaves every sample in one file."""
    due = make("killed", 4 * 24 * 12, every=5 * MINUTE)
    chance = random.Random(7)
    for _ in range(25):
        running = Running([PROFIL, "serve", "--listen", "127.0.0.1:0", "-d", "killed", "--size", "1MB"])
        time.sleep(chance.uniform(0.005, 0.06))
        running.process.kill()
        running.wait()
    left = len(os.listdir("killed"))
    names = thinned("killed", "--size", "1MB")
    expect(all(NAMES.fullmatch(name) for name in names), f"{names}")
    expect(samples_of("killed") == due, f"{samples_of('killed')} samples, due {due}; {left} files before the last")


def check_seamless(paths):
    """Each begins when the one before has ended: mostly within 20 ms, and beside other work within 200, where the one that
    measures gets its CPU late."""
    facts = [report(path)["facts"] for path in paths]
    gaps = sorted(abs(after["time_ns"] - before["time_ns"] - before["duration_ns"]) for before, after in zip(facts, facts[1:]))
    expect(gaps[len(gaps) // 2] < 20_000_000 and gaps[-1] < 200_000_000, f"{gaps} ns between two: {facts}")


def case_one_after_the_other():
    """The whole machine in intervals of 2 s: named for when they began, one after the other without a gap, on the page
    by themselves; the last one is written when it is told to end, and what is begun again goes on beside them."""
    need_root()
    need_counting()
    for _ in range(2):
        before = set(os.listdir("kept")) if os.path.exists("kept") else set()
        served = Served("-a", "--every", "2s", "-d", "kept")
        wait_until("three", lambda: len([name for name in os.listdir("kept") if NAMES.fullmatch(name)]) >= len(before) + 3)
        page = served.get("/", HTML).decode()
        expect(sorted(before)[0] in page if before else "the whole machine" in page, page[:2000])
        done = end(served)
        expect(not done.words, done.words)
        names = sorted(set(os.listdir("kept")) - before)
        expect(all(int(name[13:15]) % 2 == 0 for name in names[1:]), f"{names}")
        expect(len(names) >= 4, f"{names}")
        for name in names:
            samples(os.path.join("kept", name))
        check_seamless([os.path.join("kept", name) for name in names])


def case_token_of_a_file():
    """--token-file: the same token again, in a file of its owner's."""
    os.mkdir("here")
    tokens = []
    for _ in range(2):
        served = Served("-d", "here", "--token-file", "token")
        tokens.append(served.token)
        served.get("/", HTML)
        end(served)
    with open("token") as file:
        expect(tokens == [file.read().strip()] * 2 and os.stat("token").st_mode & 0o777 == 0o600, f"{tokens}")
    os.chmod("token", 0o640)
    check_error(run(PROFIL, "serve", "--token-file", "token", "here"), 125, "chmod 600 token")
    for words in ("0123", tokens[0] + "a", tokens[0].upper() + "\n", ""):
        with open("other", "w") as file:
            os.chmod("other", 0o600)
            file.write(words)
        check_error(run(PROFIL, "serve", "--token-file", "other", "here"), 125, "delete it")


def case_a_process_that_ends():
    """-p: when it has ended, the last interval is written, and the profiles go on being served."""
    need_root()
    need_counting()
    worker = Running(["sh", "-c", "while [ ! -e stop ]; do :; done"])
    served = Served("-p", str(worker.pid), "--every", "1s", "-d", "kept")
    wait_until("two", lambda: len(os.listdir("kept")) >= 2)
    time.sleep(0.4)
    ends = time.time_ns() - 100_000_000  # a profile's time is that before its clocks are started
    open("stop", "w").close()
    worker.wait()

    def last_is_there():
        facts = report(os.path.join("kept", max(name for name in os.listdir("kept") if NAMES.fullmatch(name))))["facts"]
        return facts["time_ns"] + facts["duration_ns"] >= ends
    wait_until("the last", last_is_there)
    time.sleep(1.5)  # its interval is over, too
    before = cpu_ticks_of(served.pid)
    time.sleep(1)
    expect(cpu_ticks_of(served.pid) - before <= 20, f"{cpu_ticks_of(served.pid) - before} ticks of 10 ms in a second of nothing")
    served.get("/", HTML)
    served.running.end()


def case_nothing_happens():
    """Between intervals and requests the server sleeps: it is woken less than once a second, while it measures, and when what
    it measured has ended."""
    need_root()
    need_counting()

    def woken():
        with open(f"/proc/{served.pid}/status") as file:
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.MULTILINE)[1])

    def check(when):
        before = woken()
        time.sleep(4)
        expect(woken() - before < 4, f"woken {woken() - before} times in 4 s {when}")

    worker = Running(["sh", "-c", "while [ ! -e stop ]; do :; done"])
    # Within an interval of a day that does not end just now.
    if time.time() % DAY > DAY - MINUTE:
        time.sleep(2 * MINUTE)
    served = Served("-p", str(worker.pid), "--every", "24h", "-d", "kept")
    time.sleep(2)  # it has begun
    check("while it measures")
    open("stop", "w").close()
    worker.wait()
    wait_until("its profile", lambda: any(NAMES.fullmatch(name) for name in os.listdir("kept")))
    time.sleep(2)  # names are found
    check("when that has ended")
    served.get("/", HTML)
    served.running.end()


def total(found):
    return sum(value for name, value in found.items() if name.startswith("profil_samples_total"))


def metrics(served):
    return counters(served.get("/metrics").decode())


def watch(served, until):
    """The metrics when UNTIL says so of them; no counter ever falls on the way, whatever begins and ends."""
    last = {}
    while not until(last):
        now = metrics(served)
        fallen = {name: (last[name], value) for name, value in now.items() if value < last.get(name, 0)}
        expect(not fallen, f"fallen: {fallen}")
        last = now
    return last


def case_metrics_of_all_intervals():
    """/metrics is the sum of all intervals since the start and of the running one, while they come and go: as Prometheus has
    scraped it, it is what all files have together, by class and by function."""
    measured = Measured("-d", "kept", "--every", "1s", "--metrics-top", "2")
    with scraping_prometheus(measured.served) as query:
        watch(measured.served, lambda now: len(os.listdir("kept")) > 4 and total(now) > 200)
        measured.program.end()
        wait_until("the end", lambda: measured.served.ask("/debug/pprof/profile?seconds=1")[0] == 503)
        due = samples_of("kept")
        wait_until("all samples", lambda: sum(query("profil_samples_total").values()) == due)
        seconds = query("profil_function_cpu_seconds_total")
    found = report("sum")
    row, period = found["rows"][0], found["facts"]["period_ns"]
    expect(len(seconds) <= 2 and abs(seconds[row["name"], None] - row["samples"] * period / 1e9) < 1e-6, f"{seconds}: {row}")
    expect(total(metrics(measured.served)) == due, f"{due}")


def case_seconds_of_several_intervals():
    """/debug/pprof/profile has the samples of its seconds, exactly, whatever intervals they are in."""
    measured = Measured("-d", "kept", "--every", "1s", "--metrics-top", "10000")
    served = measured.served
    watch(served, lambda now: total(now) > 50)
    # Where this machine was held up, the program was stopped after their end; then there are more.
    for seconds in (4, 15, 60):
        measured.stop()
        before, count, start = metrics(served), len(os.listdir("kept")), time.monotonic()
        connection = served.connect()
        connection.request("GET", f"/debug/pprof/profile?seconds={seconds}", headers={"Authorization": f"Bearer {served.token}"})
        # The first look has been taken when what was asked for after it has come.
        expect(total(metrics(served)) == total(metrics(served)) == total(before), "it grows")
        measured.go_on()
        watch(served, lambda now: len(os.listdir("kept")) >= count + 2 and total(now) > total(before) + 100)
        measured.stop()
        in_time = time.monotonic() - start < seconds
        answer = connection.getresponse()
        body = answer.read()
        expect(answer.status == 200, f"{answer.status}: {body}")
        if in_time:
            break
    with open("difference.pb.gz", "wb") as file:
        file.write(body)
    found, after = report("difference.pb.gz"), metrics(served)
    check_identity(found)
    expect(found["total"] == total(after) - total(before) >= 100, f"{found['total']}, due {total(after) - total(before)}")
    period = found["facts"]["period_ns"]
    for (name, _), samples_ in rows_of(found).items():
        grown = sum(value - before.get(key, 0) for key, value in after.items() if f'function="{name}"' in key)
        expect(abs(grown - samples_ * period / 1e9) < 1e-6, f"{name}: {grown} s, {samples_} samples")
    for asked, status in (("?seconds=0", 400), ("?seconds=61", 400), ("/x", 404)):
        expect(served.ask("/debug/pprof/profile" + asked)[0] == status, asked)


def case_the_running_interval():
    """/live/ is the running interval, in all views, and moves; the list leads to it; when the process has ended, its last
    one."""
    measured = Measured("-d", "kept", "--every", "24h")
    served = measured.served
    wait_until("samples", lambda: json.loads(served.get("/live/report.json"))["identity"]["samples"] >= 50)
    expect(b'<a href="/live/">' in served.get("/", HTML) and b"spin_three" in served.get("/live/", HTML) and
           b"spin_three" in served.get("/live/report.txt") and served.get("/live/flame.svg", "image/svg+xml"), "no such page")
    stream = served.connect()
    stream.request("GET", "/events", headers={"Authorization": f"Bearer {served.token}"})
    events = stream.getresponse()
    expect(events.readline() and b"live" in events.readline() + events.readline(), "no event")
    for path in ("/live/x", "/live/profile/1", "/report.txt", "/x"):
        expect(served.ask(path)[0] == 404, path)
    before = metrics(served)
    connection = served.connect()
    connection.request("GET", "/debug/pprof/profile?seconds=60", headers={"Authorization": f"Bearer {served.token}"})
    measured.program.end()
    answer = connection.getresponse()
    body = answer.read()
    expect(answer.status == 200, f"{answer.status}: {body}")
    expect(total(metrics(served)) == samples_of("kept") >= total(before), "other samples")
    expect(b"spin_three" in served.get("/live/report.txt"), "the last one is gone")


def case_an_interval_that_is_lost():
    """Where what measures is held up, the metrics are those of before; where it is killed, no counter falls either, and who
    waits for its samples is told."""
    measured = Measured("-d", "kept", "--every", "2s")
    served = measured.served
    watch(served, lambda now: len([name for name in os.listdir("kept") if NAMES.fullmatch(name)]) >= 2)
    connection = served.connect()
    connection.request("GET", "/debug/pprof/profile?seconds=60", headers={"Authorization": f"Bearer {served.token}"})
    before = metrics(served)
    held = children(served.pid)
    for child in held:
        os.kill(child, signal.SIGSTOP)
    found = metrics(served)
    fallen = {name: (value, found.get(name)) for name, value in before.items() if found.get(name, value) < value}
    expect(not fallen and total(found) >= total(before), f"fallen: {fallen}")
    for child in held:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    answer = connection.getresponse()
    body = answer.read()
    expect(answer.status == 503 and b"ended without a profile" in body, f"{answer.status}: {body}")
    after = watch(served, lambda now: total(now) > total(before))
    fallen = {name: (value, after.get(name)) for name, value in before.items() if after.get(name, value) < value}
    expect(not fallen, f"fallen: {fallen}")


def case_what_does_not_go_together():
    """What is wrong is said in a line."""
    os.mkdir("here")
    for arguments, words in ((["-d", "here", "file"], "leave one out"), (["--every", "5s", "here"], "name a folder with -d"),
                             (["-d", "here", "--size", "5 GB"], "not a size"), (["-d", "here", "--keep", "5"], "1h to 36500d"),
                             (["-d", "here", "-a", "--every", "200ms"], "1s or more"), (["-d", "here", "-a", "--for", "9s"], "leave one out"),
                             (["-d", "/dev/null"], "not"), (["-d", "no/where"], "another folder")):
        check_error(run(PROFIL, "serve", *arguments), 125, words)
    check_error(run(PROFIL, "serve", "-d", "here", "--listen", "fd:0"), 125, "no TCP socket")
    served = Served("-d", "here")
    for path in ("/live/", "/metrics", "/events", "/debug/pprof/profile"):
        expect(served.ask(path)[0] == 404, f"{path}, while nothing is measured")
    check_error(run(PROFIL, "serve", "-d", "here"), 125, "another profil serve")
    served.running.end()
    expect(profil("serve", "--help").status == 0, "help")
