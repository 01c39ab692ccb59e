# SPDX-License-Identifier: BSD-2-Clause
"""A real browser: headless Chromium, driven by chromedriver over HTTP (W3C WebDriver)."""

import atexit
import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import signal
import tempfile
import threading
import time
import urllib.error
import urllib.request

from command import PATIENCE, Running, expect, need_program

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--hide-scrollbars"]

# Whatever the environment says of proxies.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))

# A page gives an element as an object with this one key.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Driver(Running):
    """chromedriver, which no case's end ends.  What it starts does not end with it, but is known by the
    folder HOME."""

    def __init__(self, home):
        super().__init__(["chromedriver", "--port=0"], cwd=home,
                         env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home,
                              "XDG_CACHE_HOME": home})
        Running.all.remove(self)
        self.home = home

    def started(self):
        """The processes whose command lines name the folder."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if f"={self.home}/".encode() in file.read():
                        yield int(pid)
            except OSError:
                pass  # it has ended

    def end(self):
        super().end()
        # One that is being started is not seen until it is there.
        while pids := list(self.started()):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        shutil.rmtree(self.home, ignore_errors=True)


class Browser:
    """One window of a browser that all cases of a file share, for its start takes longer than most of
    them; nothing of a page is in the next."""

    shared = None

    def __init__(self, width=1280, height=900, dark=False):
        need_program("chromium", "chromedriver")
        if not Browser.shared:
            Browser.shared = self.start()
            atexit.register(self.shared[0].end)
        self.driver, self.address = Browser.shared
        self.emulate(width, height, dark)
        self.open("about:blank")
        self.words()
        self.requests()

    def start(self):
        port = None
        # It takes a port that is free in IPv6 and leaves where that is taken in IPv4.
        while not port:
            self.driver = Driver(tempfile.mkdtemp(prefix="profil-browser-"))
            port = self.find_port()
        self.address = f"http://127.0.0.1:{port}"
        capabilities = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {
                "args": [*ARGUMENTS, f"--user-data-dir={os.path.join(self.driver.home, 'data')}"]},
        }
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        return self.driver, f"{self.address}/session/{session['sessionId']}"

    def find_port(self):
        """chromedriver says which port it took; 0 where it left because that was taken."""
        end = time.monotonic() + PATIENCE
        while True:
            said = self.driver.so_far()
            found = re.search(rb"successfully on port (\d+)|port not available", said)
            if found:
                return int(found[1] or 0)
            expect(self.driver.process.poll() is None and time.monotonic() < end,
                   f"chromedriver does not start: {said}")
            time.sleep(0.01)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.address + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with DIRECTLY.open(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:2000]}") from error

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def emulate(self, width, height, dark=False, scripts=True, media=""):
        """What the page sees of its reader."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.devtools("Emulation.setScriptExecutionDisabled", value=not scripts)

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def open_file(self, path):
        self.open("file://" + os.path.abspath(path))

    def do(self, script, *arguments):
        """What the body of a function, SCRIPT, returns in the page."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """The driver looks where an element is, scrolls, and clicks there: what has moved meanwhile, as beside other
        work it may, is missed.  So it is in the middle first, and nothing moves."""
        self.do("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'});"
                "return document.documentElement.offsetHeight", selector)
        self.ask("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        """Keys as a keyboard sends them, to an element."""
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Keys to whatever has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard",
                                                  "actions": actions}]})

    def wait_for(self, what, script, *arguments):
        """Wait until SCRIPT returns something true, which is returned."""
        end = time.monotonic() + PATIENCE
        while True:
            value = self.do(script, *arguments)
            if value:
                return value
            expect(time.monotonic() < end, f"waited in vain for {what}")
            time.sleep(0.05)

    def words(self):
        """What the console has been told since the last time, as text."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses asked for since the last time."""
        urls = []
        for entry in self.ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    """Serve FOLDER on a port of this machine; its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
