# SPDX-License-Identifier: BSD-2-Clause
"""profil serve -p and -a: what is measured, while it is, for browsers and for the programs that collect
profiles and numbers."""

import contextlib
import json
import os
import re
import signal
import socket
import time
import urllib.request

from command import (Running, check_error, expect, need_counting, need_program, need_root, profil, report, run,
                     target, wait_until)
from serving import HTML, Served

DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Measured:
    """A program that computes without end, measured and served."""

    def __init__(self, *options):
        need_counting()
        self.program = Running([target("split"), "1000000"])
        self.served = Served("-p", str(self.program.pid), *options)

    def stop(self):
        """Nothing is counted any more."""
        os.kill(self.program.pid, signal.SIGSTOP)
        wait_until("the stop", lambda: self.state() == "T")

    def go_on(self):
        os.kill(self.program.pid, signal.SIGCONT)

    def state(self):
        with open(f"/proc/{self.program.pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]

    def report(self):
        return json.loads(self.served.get("/report.json"))

    def wait_for_samples(self, count=50):
        wait_until("samples", lambda: self.report()["identity"]["samples"] >= count)


def rows_of(found):
    return {(row["name"], row["object"]): row["samples"] for row in found["rows"]}


def counters(text):
    """The counters of a page in Prometheus's form, by name and labels."""
    return {name: float(value) for name, value in
            re.findall(r"^(profil_\w+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)}


def case_moves():
    """Each view is of the profile as it is then: what is stopped stays, what goes on grows; the page
    is that of profil html; the program is not touched, and Ctrl-C ends the server."""
    measured = Measured()
    measured.wait_for_samples()
    measured.stop()
    found = measured.report()
    expect(measured.report()["rows"] == found["rows"], "it grows while it is stopped")
    with open("now.pb.gz", "wb") as file:
        file.write(measured.served.get("/profile.pb.gz"))
    for page in (measured.served.get("/profil.html", HTML), measured.served.get("/", HTML)):
        expect(f"id=sum data-samples={found['identity']['samples']}".encode() in page and
               b"spin_three" in page, "another page")
    expect(rows_of(report("now.pb.gz")) == rows_of(found), "another profile")
    measured.go_on()
    measured.wait_for_samples(found["identity"]["samples"] + 50)
    measured.served.running.process.send_signal(signal.SIGINT)
    done = measured.served.running.wait()
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    expect(measured.program.process.poll() is None, "the program has ended")
    expect(sorted(os.listdir(".")) == ["now.pb.gz"], "it leaves a file")


def case_difference():
    """/debug/pprof/profile has the samples of its seconds, exactly: function by function what the report
    has after them and had not before."""
    measured = Measured()
    measured.wait_for_samples()
    # Where this machine was held up, the program was stopped after their end; then there are more.
    for seconds in (2, 10, 60):
        measured.stop()
        before = measured.report()
        start = time.monotonic()
        connection = measured.served.connect()
        connection.request("GET", f"/debug/pprof/profile?seconds={seconds}",
                           headers={"Authorization": f"Bearer {measured.served.token}"})
        # The first look has been taken when what was asked for after it has come.
        expect(measured.report()["rows"] == measured.report()["rows"] == before["rows"], "it grows")
        measured.go_on()
        measured.wait_for_samples(before["identity"]["samples"] + 200)
        measured.stop()
        in_time = time.monotonic() - start < seconds
        answer = connection.getresponse()
        body = answer.read()
        expect(answer.status == 200, f"{answer.status}: {body}")
        if in_time:
            break
    after = measured.report()
    with open("difference.pb.gz", "wb") as file:
        file.write(body)
    had, has, found = rows_of(before), rows_of(after), rows_of(report("difference.pb.gz"))
    grown = {key: count - had.get(key, 0) for key, count in has.items() if count > had.get(key, 0)}
    found = {key: count for key, count in found.items() if count}
    expect(grown == found and sum(found.values()) >= 200, f"{found}, not {grown}")
    identity = report("difference.pb.gz")["identity"]
    expect(identity["samples"] == sum(grown.values()), f"{identity}")
    for asked, status in (("?seconds=0", 400), ("?seconds=x", 400), ("?seconds=99999", 400), ("/x", 404)):
        expect(measured.served.ask("/debug/pprof/profile" + asked)[0] == status, asked)
    expect(b"profile" in measured.served.get("/debug/pprof/"), "not listed")


def case_pprof():
    """go tool pprof takes a profile from the running server by its address."""
    need_program("go")
    measured = Measured()
    measured.wait_for_samples()
    served = measured.served
    done = run("go", "tool", "pprof", "-top", "-symbolize=none",
               f"http://127.0.0.1:{served.port}/debug/pprof/profile?seconds=1&token={served.token}",
               env={**os.environ, "PPROF_TMPDIR": os.getcwd(), "no_proxy": "127.0.0.1"})
    expect(done.status == 0 and "spin_three" in done.text, f"{done.status}: {done.text}{done.words}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def query(port, what):
    """What Prometheus answers, by the labels of each series."""
    with DIRECTLY.open(f"http://127.0.0.1:{port}/api/v1/query?query={what}", timeout=60) as answer:
        return {(series["metric"].get("function"), series["metric"].get("class")): float(series["value"][1])
                for series in json.load(answer)["data"]["result"]}


def answers(port):
    try:
        return bool(query(port, "up{job='profil'}==1".replace("=", "%3D").replace("'", "%27")
                          .replace("{", "%7B").replace("}", "%7D")))
    except OSError:
        return False


@contextlib.contextmanager
def scraping_prometheus(served):
    """Debian's Prometheus, which scrapes SERVED each second; a function of what it is asked."""
    need_program("prometheus", "promtool")
    with open("prometheus.yml", "w") as file:
        json.dump({"global": {"scrape_interval": "1s"}, "scrape_configs": [
            {"job_name": "profil", "authorization": {"credentials": served.token},
             "static_configs": [{"targets": [f"127.0.0.1:{served.port}"]}]}]}, file)
    port = free_port()
    prometheus = Running(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                          f"--web.listen-address=127.0.0.1:{port}"])
    wait_until("prometheus", lambda: answers(port))
    yield lambda what: query(port, what)
    prometheus.end()


def case_metrics():
    """/metrics has the account and the functions, no more than were asked for; no counter ever falls;
    promtool finds nothing wrong, and Prometheus scrapes what the report says."""
    need_program("prometheus", "promtool")
    measured = Measured("--metrics-top", "3", "-F", "4999")
    served = measured.served
    measured.wait_for_samples()
    last = {}
    for _ in range(10):
        text = served.get("/metrics").decode()
        now = counters(text)
        fallen = {name: (last[name], value) for name, value in now.items() if value < last.get(name, 0)}
        expect(not fallen, f"fallen: {fallen}")
        last = now
    functions = [name for name in last if "function=" in name]
    expect(1 <= len(functions) <= 3, f"{functions}")
    with open("metrics", "w") as file:
        file.write(text)
    with open("metrics") as file:
        done = run("promtool", "check", "metrics", stdin=file)
    expect(done.status == 0 and not done.words, f"promtool: {done.text}{done.words}")
    with scraping_prometheus(served) as query:
        measured.stop()
        found = measured.report()
        total = found["identity"]["samples"]
        wait_until("all samples", lambda: sum(query("profil_samples_total").values()) == total)
        seconds = query("profil_function_cpu_seconds_total")
    period = found["facts"]["period_ns"]
    for row in found["rows"][:1]:
        expect(abs(seconds[row["name"], None] - row["samples"] * period / 1e9) < 1e-6, f"{seconds}: {row}")


def case_ends():
    """When the program has ended, the whole of it is still served; there is no more to collect."""
    measured = Measured()
    measured.wait_for_samples()
    measured.program.end()
    wait_until("the end", lambda: measured.served.ask("/debug/pprof/profile?seconds=1")[0] == 503)
    found = measured.report()
    expect(found["identity"]["samples"] >= 50 and measured.report() == found, "it moves")
    expect(measured.served.get("/metrics"), "no metrics")


def case_streams():
    """A hundred readers of events are told of each newer profile, and of the last; the slow ones and
    those that have gone keep nobody waiting, and leave no memory or descriptor behind."""
    measured = Measured()
    measured.wait_for_samples()
    served = measured.served

    def listen():
        connection = socket.create_connection(("127.0.0.1", served.port), timeout=60)
        connection.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\n"
                           f"Authorization: Bearer {served.token}\r\n\r\n".encode())
        return connection

    def hear(connection, what, count=1):
        heard = b""
        while heard.count(b"data: " + what) < count:
            some = connection.recv(4096)
            expect(some, f"closed after {heard}")
            heard += some
        return heard

    def listen_and_leave():
        streams = [listen() for _ in range(100)]
        for stream in streams[1:]:
            expect(b"text/event-stream" in hear(stream, b"live", 2), "no stream")
        for stream in streams:
            stream.close()
        # Who has gone is noticed when the next event is sent.
        wait_until("their end", lambda: served.get("/report.json") and
                   len(os.listdir(f"/proc/{server}/fd")) < 64)

    server = next(pid for pid in children(served.pid) if listens(pid))
    # The page that an event has told of its news causes none: one look a second is one event a second,
    # whoever reads, and a second more at the ends.
    stream, start = listen(), time.monotonic()
    for _ in range(5):
        hear(stream, b"live")
        for _ in range(3):
            served.get("/?newest=1")
    expect(time.monotonic() - start > 2.5, "events without end")
    stream.close()
    listen_and_leave()
    memory = memory_of(server)
    listen_and_leave()
    listen_and_leave()
    expect(memory_of(server) - memory < 1 << 20, f"{memory} bytes, then {memory_of(server)}")
    last = listen()
    hear(last, b"live")
    measured.program.end()
    hear(last, b"ended")
    hear(listen(), b"ended")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def listens(pid):
    return any(os.readlink(f"/proc/{pid}/fd/{fd}") == "anon_inode:[eventpoll]"
               for fd in os.listdir(f"/proc/{pid}/fd"))


def memory_of(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))


def case_machine():
    """-a: the whole machine, with names of what runs, and no CPU time of what is idle."""
    need_root()
    need_counting()
    program = Running([target("split"), "1000000"])
    served = Served("-a")
    wait_until("the function", lambda: b"spin_three" in served.get("/report.txt"))
    expect(b"idle" not in b"".join(line for line in served.get("/metrics").splitlines()
                                   if b"function=" in line), "idle time is a function's")
    program.end()


def case_errors():
    """What cannot be measured is said in one line, and nothing is served."""
    need_counting()
    program = Running([target("split"), "1000000"])
    check_error(profil("serve", "-p", str(program.pid), "-a"), says="-p and -a")
    check_error(profil("serve", "-p", str(program.pid), "file"), says="'file' beside it")
    check_error(profil("serve", "--metrics-top", "0", "x"), says="1 to 10,000")
    check_error(profil("serve", "-p", str(program.pid), "--listen", "1"), says="--listen '1'")
