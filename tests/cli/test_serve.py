# SPDX-License-Identifier: BSD-2-Clause
"""profil serve: who may read what, and that it is what the commands print."""

import concurrent.futures
import contextlib
import gzip
import html
import json
import os
import re
import shutil
import signal
import socket
import time

from command import check_error, expect, long, profil, report, wait_until
from golden import DATA
from large import field
from serving import HTML, TEXT, Served
from test_stacks import fields

def some(count=1, folder="."):
    """The names of COUNT recorded profiles, copied to here; the first one has call stacks."""
    names = ("wall", "attached", "go-runtime")[:count]
    for name in names:
        shutil.copy(os.path.join(DATA, "profiles", f"{name}.pb.gz"), folder)
    return names


def unread(page):
    """What a list says of the files that it could not read, with the number that it says."""
    said = re.search(r"<h2>(\d+) files? could not be read.*?<ul id=unread[^>]*>\n(.*?)</ul>", page, re.DOTALL)
    lines = [html.unescape(line) for line in re.findall(r"<li>(.*)\n", said[2])] if said else []
    expect(not said or int(said[1]) == len(lines), f"{said[1] if said else 0}: {lines}")
    return lines


def listed(page):
    return set(re.findall(r'<a href="/profile/[^"]*">([^<]*)</a>', page))


def case_views():
    """A page is the bytes that profil html writes, and the other views those of their commands; the
    sums are those of profil report."""
    name, = some(1)
    path = f"{name}.pb.gz"
    served = Served(path)
    expect(profil("html", "-o", "page.html", path).status == 0, "no page")
    with open("page.html", "rb") as file:
        expect(served.get("/", HTML) == file.read(), "another page than profil html's")
    for view, kind, words in (("report.txt", TEXT, ["report"]),
                              ("report.json", "application/json", ["report", "--json"]),
                              ("tree.txt", TEXT, ["tree"]), ("hist.txt", TEXT, ["hist"])):
        own = profil(*words, path)
        expect(own.status == 0 and served.get(f"/{view}", kind) == own.stdout, f"another {view}")
        expect(served.get(f"/profile/1/{view}", kind) == own.stdout, f"another {view} by number")
    found = json.loads(served.get("/report.json"))
    expect(found["identity"] == report(path)["identity"] and found["identity"]["samples"] > 0,
           f"{found['identity']}")
    with open("again.pb.gz", "wb") as file:
        file.write(served.get("/profile.pb.gz", "application/octet-stream"))
    expect(report("again.pb.gz")["identity"]["samples"] == found["identity"]["samples"], "other samples")
    expect(profil("flame", path).status == 0, "no picture")
    with open("profil.svg", "rb") as file:
        expect(served.get("/flame.svg", "image/svg+xml") == file.read(), "another picture")
    status, headers, body = served.ask("/", method="HEAD")
    expect(status == 200 and not body and int(headers["Content-Length"]) > 1000, f"HEAD: {headers}")
    served.running.process.send_signal(signal.SIGINT)
    done = served.running.wait()
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")


def case_what_a_list_says():
    """A list reads no sample of what profil wrote, and has the number of samples that a report has; also where another
    program has added some and left what profil said."""
    os.mkdir("folder")
    profiles = os.path.join(DATA, "profiles")
    for name in os.listdir(profiles):
        if name.endswith(".pb.gz"):
            shutil.copy(os.path.join(profiles, name), "folder")
    with gzip.open("folder/attached.pb.gz") as file, open("folder/more.pb", "wb") as more:
        written = file.read()
        others = sum(key == 1 for key, _ in fields(written)) - 1  # values beside samples
        more.write(written + field(2, field(1, 1) + field(2, b"\5" + b"\0" * others)))
    page = Served("folder").get("/", HTML).decode()
    listed = {html.unescape(name): int(samples) for samples, name in
              re.findall(r'<tr data-samples=(\d+)>.*?<a href="[^"]*">([^<]*)</a>', page, re.DOTALL)}
    due = {name: report(f"folder/{name}")["identity"]["samples"] for name in os.listdir("folder")}
    expect(listed == due and due["more.pb"] == due["attached.pb.gz"] + 5, f"{listed}, due {due}")


def case_folder():
    """A folder is a list of its profiles, whatever else is there, and any two are compared."""
    os.mkdir("folder")
    names = some(3)
    some(3, "folder")
    with open("folder/notes <b>.txt", "w") as file:
        file.write("no profile\n")
    os.mkdir("folder/deeper")
    served = Served("folder")
    page = served.get("/", HTML).decode()
    for name in names:
        samples = report(f"{name}.pb.gz")["identity"]["samples"]
        address = "".join(letter if letter.isalnum() else f"%{ord(letter):02X}"
                          for letter in f"{name}.pb.gz")
        expect(f'<a href="/profile/{address}">{name}.pb.gz</a>' in page, f"{name} is not listed")
        expect(f"data-samples={samples}>" in page, f"{name}: not its {samples} samples")
        expect(served.get(f"/profile/{address}/report.json") ==
               profil("report", "--json", f"{name}.pb.gz").stdout, f"another report of {name}")
    expect(unread(page) == ["notes <b>.txt: not a profile (a text file, in no format that profil reads): "
                            "give a pprof file (.pb.gz)"] and "deeper" not in page, page[-400:])
    files = [f"{name}.pb.gz" for name in names[:2]]
    two = f"?before={files[0]}&after={files[1]}"
    expect(served.get("/diff.txt" + two, TEXT) == profil("diff", *files).stdout, "another diff")
    expect(served.get("/diff.json" + two) == profil("diff", "--json", *files).stdout, "another JSON")
    expect(profil("diff", "--html", "page.html", *files).status == 0, "no page")
    with open("page.html", "rb") as file:
        expect(served.get("/diff" + two, HTML) == file.read(), "another page than profil diff's")
    # Repeats, as OLD... -- NEW... has them.
    several = f"?before={files[0]}&after={files[1]}&before={files[1]}&before={files[0]}"
    expect(served.get("/diff.txt" + several, TEXT) ==
           profil("diff", files[0], files[1], files[0], "--", files[1]).stdout, "another diff of repeats")
    expect(served.get("/diff.txt" + f"?before={files[0]}&after={files[1]}" + 15 * f"&before={files[1]}" +
                      15 * f"&after={files[0]}", TEXT).count(b" and 15 more") == 2, "not sixteen a side")
    for more in ("&before=nothing", "&after=nothing", 16 * f"&after={files[0]}"):
        expect(served.ask("/diff" + two + more)[0] == 404, f"{more} is there")
    # What comes later is there, too.
    os.rename("folder/" + files[0], "folder/new & x.pb.gz")
    expect(served.get("/profile/new%20%26%20x.pb.gz/report.json"), "not there")
    status, _, _ = served.ask(f"/profile/{files[0]}")
    expect(status == 404, f"what is gone: {status}")


def case_nothing_else():
    """Nothing can be read that is not a profile of the folder: no path leads out of it, no link does,
    no hidden file, device or pipe is opened."""
    os.mkdir("folder")
    name, = some(1)
    some(1, "folder")
    path = f"{name}.pb.gz"
    shutil.copy(path, "folder/.hidden")
    shutil.copy(path, "folder/-i")
    os.symlink(f"../{path}", "folder/out")
    os.symlink(os.path.abspath(path), "folder/absolute")
    os.symlink("/proc/self/fd/0", "folder/magic")
    os.symlink(path, "folder/within")
    os.mkfifo("folder/pipe")
    served = Served("folder")
    for asked in (f"../{path}", f"..%2f{path}", f"%2e%2e/{path}", f".%00/../{path}", "/etc/passwd",
                  "%2fetc%2fpasswd", ".hidden", "-i", "out", "absolute", "magic", "pipe", ".", "..", "",
                  "1", "0", f"{path}/../{path}", f"{path}/-h"):
        status, _, body = served.ask("/profile/" + asked)
        expect(status == 404, f"{asked}: {status}: {body[:80]}")
    expect(served.get("/profile/within/report.json") ==
           served.get(f"/profile/{path}/report.json").replace(path.encode(), b"within"),
           "a link that stays is followed")
    for asked in ("/diff", "/diff.svg", "/diff?before=x", f"/diff?before={path}", f"/diff?before={path}&after=out",
                  f"/diff?before=-i&after={path}", "/report.json", "/x", "/metrics"):
        expect(served.ask(asked)[0] == 404, f"{asked} is there")
    page = served.get("/").decode()
    expect(page.count("<tr data-samples=") == 2, "more is listed than two files")


def case_refused():
    """Without the token, under another name, for another page, or to do anything but read, nothing is
    answered; with it there is a cookie that no other page can send or read."""
    name = f"{some(1)[0]}.pb.gz"
    served = Served(name)

    def status(path="/", **options):
        return served.ask(path, **options)[0]

    wrong = ("0" * 32, served.token[:-1], served.token + "0", "", served.token.upper() + "x")
    for token in wrong:
        for options in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"profil{served.port}={token}"}):
            expect(status(token=False, **options) == 403, f"taken: {options}")
        expect(status(f"/?token={token}", token=False) == 403, f"taken: {token}")
    expect(status(token=False) == 403, "taken without a token")
    expect(status(Host="127.0.0.1.example.com") == status(Host=f"evil.example:{served.port}") ==
           status(Host="") == status(Host="[::1") == status(Host="localhost.evil:1") == 403, "any host")
    expect(status(Host="localhost:9") == status(Host=f"[::1]:{served.port}") == 200, "no own name")
    host = f"127.0.0.1:{served.port}"
    for origin in ("http://evil.example", "null", f"https://{host}", f"http://{host}.evil", ""):
        expect(status(Origin=origin) == 403, f"taken from {origin}")
    expect(status(Origin=f"http://{host}") == 200, "not taken from itself")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        expect(status(method=method) == 405, f"{method} is taken")
    code, headers, _ = served.ask(f"/?token={served.token}", token=False)
    cookie, *how = headers["Set-Cookie"].split("; ")
    expect(code == 303 and headers["Location"] == "/", f"{code}: {headers}")
    expect({"HttpOnly", "SameSite=Strict"} <= set(how), f"{how}")
    code, headers, _ = served.ask("/", token=False, Cookie=cookie)
    expect(code == 200 and headers["Cache-Control"] == "no-store" and
           headers["Referrer-Policy"] == "no-referrer" and
           "frame-ancestors 'none'" in headers["Content-Security-Policy"], f"{code}: {headers}")
    expect(Served(name).token != served.token, "twice the same token")


def case_malformed():
    """Requests that are too long, broken off or none at all are refused or dropped, and the next one is
    answered."""
    name, = some(1)
    served = Served(f"{name}.pb.gz")
    head = f"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.token}\r\n".encode()
    expect(served.say(head + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200 "), "not answered")
    texts = (b"", b"\n\n\n", b"GET", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 4096, b"\x16\x03\x01\x02\0",
                 b"GET / HTTP/1.1\r\n\r\n", b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n",
                 head + b"X: " + b"y" * 100000 + b"\r\n\r\n", head + b"X: y\r\n" * 20000 + b"\r\n",
                 head + b"Content-Length: -5\r\n\r\n", head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                 head.replace(b"GET", b"\xff\xfe") + b"\r\n", head + b" folded\r\n : \r\n\r\n")
    with concurrent.futures.ThreadPoolExecutor(len(texts)) as pool:
        for text, answer in zip(texts, pool.map(served.say, texts)):
            expect(not answer.startswith(b"HTTP/1.1 200 "), f"{text[:40]}: {answer[:200]}")
    # A body is not looked at.
    answer = served.say(head + b"Content-Length: 5\r\nConnection: close\r\n\r\nhello")
    expect(answer.startswith(b"HTTP/1.1 200 "), answer[:200])
    expect(served.get("/report.json"), "no more answers")


def case_slow():
    """Clients that do not go on, in the head of a request or in the middle of an answer, keep nobody
    waiting, and are ended after a while."""
    name, = some(1)
    served = Served(f"{name}.pb.gz")
    with contextlib.ExitStack() as stack:
        def connect():
            return stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))

        dumb = [connect() for _ in range(40)]
        for number, connection in enumerate(dumb):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n"[:number])
        readers = [connect() for _ in range(40)]
        for connection in readers:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.sendall(f"GET /?x HTTP/1.1\r\nHost: localhost\r\n"
                               f"Authorization: Bearer {served.token}\r\n\r\n".encode())
        for _ in range(10):
            expect(served.get("/report.json"), "no answer")
        # One that says a letter a second is not idle, and is ended all the same.
        drip, start = dumb[0], time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() < start + 60:
                drip.sendall(b"G")
                time.sleep(0.5)
        expect(time.monotonic() < start + 60, "a client without end")
    expect(served.get("/report.json"), "no answer")


def ask_often(count):
    name, = some(1)
    served = Served(f"{name}.pb.gz")
    connection = served.connect()

    def requests(count):
        for number in range(count):
            path = ("/report.json", "/nothing", "/hist.txt", "/profile/2")[number % 4]
            status, _, _ = served.ask(path, connection=connection, token=bool(number % 5))
            expect(status in (200, 403, 404), f"{path}: {status}")

    requests(1000)  # with AddressSanitizer, memory has its size later
    memory, files = served.memory(), len(os.listdir(f"/proc/{served.pid}/fd"))
    requests(count)
    expect(served.memory() - memory <= 256 << 10, f"{memory} bytes, then {served.memory()}")
    expect(len(os.listdir(f"/proc/{served.pid}/fd")) == files, "more descriptors")


def case_many():
    """A thousand requests, some of them refused or failed, leave the server as large as before, with
    the descriptors it had."""
    ask_often(1000)


@long
def case_many_more():
    """So do ten thousand."""
    ask_often(10000)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def case_crash():
    """Where the process that makes a page ends by a signal, that is the answer, in a line, and the next
    page is made; and none outlives the server."""
    with open("large.folded", "w") as file:
        for number in range(400000):
            file.write(f"main;function{number % 5000};called{number} 1\n")
    served = Served("large.folded")
    connection = served.connect()
    connection.request("GET", "/tree.txt", headers={"Authorization": f"Bearer {served.token}"})
    wait_until("the process", lambda: children(served.pid))
    os.kill(children(served.pid)[0], signal.SIGSEGV)
    answer = connection.getresponse()
    body = answer.read().decode()
    expect(answer.status == 500 and "signal 11" in body and body.startswith("profil: page: "),
           f"{answer.status}: {body}")
    expect(served.ask("/nothing")[0] == 404, "no more answers")
    # Whoever has gone away is not waited for.
    connection.request("GET", "/tree.txt", headers={"Authorization": f"Bearer {served.token}"})
    wait_until("the process", lambda: children(served.pid))
    child = children(served.pid)[0]
    connection.close()
    served.running.process.send_signal(signal.SIGTERM)
    expect(served.running.wait().status == 0, "it failed in the end")
    wait_until("the end of the page's process", lambda: not os.path.exists(f"/proc/{child}"))


def case_unreadable():
    """A profile that is cut off, damaged, or ends the process that reads it is named in the list with why, beside
    all others."""
    os.mkdir("folder")
    names = {f"{name}.pb.gz" for name in some(3, "folder")}
    with open("folder/attached.pb.gz", "rb") as file:
        whole = file.read()
    for number in range(8):
        with open(f"folder/cut-{number}.pb.gz", "wb") as file:
            file.write(whole[:len(whole) * number // 8])
    with open("folder/damaged.pb.gz", "wb") as file:
        file.write(gzip.compress(gzip.decompress(whole)[:-9]))
    bad = {name for name in os.listdir("folder") if name not in names}
    served = Served("folder")
    page = served.get("/", HTML).decode()
    expect(listed(page) == names and {line.split(":")[0] for line in unread(page)} == bad and len(bad) == 9,
           f"{listed(page)}, {unread(page)}")
    # The first one, by its name.
    with open("folder/a.folded", "w") as file:
        for number in range(400000):
            file.write(f"main;function{number % 5000};called{number} 1\n")
    connection = served.connect()
    connection.request("GET", "/", headers={"Authorization": f"Bearer {served.token}"})

    def reader():
        return next((child for page in children(served.pid) for child in children(page)), None)

    wait_until("the process that reads it", reader)
    os.kill(reader(), signal.SIGSEGV)
    page = connection.getresponse().read().decode()
    expect(listed(page) == names and len(unread(page)) == 10 and
           "a.folded: what read it ended with signal 11: move it elsewhere" in unread(page),
           f"{listed(page)}, {unread(page)}")
    os.unlink("folder/a.folded")
    expect(len(unread(served.get("/").decode())) == 9, "the next list is another")


def case_errors():
    """What cannot be served is said in one line; another address than this machine's own is warned of."""
    name = f"{some(1)[0]}.pb.gz"
    for listen in ("7997", "localhost:1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "[::1:1", "::1:1",
                   "127.0.0.1:70000", "127.0.0.1:-1", "", "[]:1", ":1"):
        check_error(profil("serve", "--listen", listen, name), says="--listen")
    check_error(profil("serve", "nothing.pb.gz"), says="nothing.pb.gz: No such file")
    check_error(profil("serve", "nothing", name), says="nothing: No such file")
    check_error(profil("serve", name, "/proc"), says="/proc: not a file")
    served = Served(name)
    check_error(profil("serve", "--listen", f"127.0.0.1:{served.port}", name), says="already in use")
    public = Served(name, listen="0.0.0.0:0")
    expect(public.ask("/report.json", Host="127.0.0.1:1")[0] == 200, "not served")
    public.running.process.send_signal(signal.SIGTERM)
    done = public.running.wait()
    expect(done.status == 0 and "others than this machine can reach it" in done.words, done.words)
