"""A real browser for tests, spoken to by its own protocol over a pipe."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"),
)


def _high(descriptor):
    """Move a descriptor out of the way of 3 and 4."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    """One Chromium with the network off; what pages ask for and complain of is kept."""

    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        heard, self._out = map(_high, os.pipe())
        self._in, said = map(_high, os.pipe())
        # The browser listens at descriptor 3 and answers at 4.
        words = [BROWSER, *_FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"]
        shell = ["bash", "-c", f'exec "$@" 3<&{heard} 4>&{said}', "bash", *words]
        self._process = subprocess.Popen(
            shell, pass_fds=(heard, said), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(heard)
        os.close(said)
        self._buffer, self._number, self._session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        """End the browser."""
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def open(self, path, *, width=1400, height=1000, dark=False, script=True):
        """Open a file as a reader would, and forget what earlier pages did."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.events.clear()
        self.call("Page.navigate", url=Path(path).as_uri())
        self._wait("Page.loadEventFired")

    def run(self, expression):
        """Return what an expression is in the page; promises are waited for."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self, path, *, clip=None):
        """Write a PNG of the window, or of a part of the page."""
        more = {"clip": clip | {"scale": 1}, "captureBeyondViewport": True} if clip else {}
        shot = self.call("Page.captureScreenshot", format="png", **more)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def complaints(self):
        """Return errors and warnings of the console, uncaught ones included."""
        logged = [e["params"] for e in self.events if e["method"] == "Log.entryAdded"]
        said = [e["params"] for e in self.events if e["method"] == "Runtime.consoleAPICalled"]
        thrown = [e["params"] for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        entries = [e["entry"] for e in logged if e["entry"]["level"] in ("error", "warning")]
        return entries + [e for e in said if e["type"] in ("error", "warning", "assert")] + thrown

    def requests(self):
        """Return the addresses that were asked for; what the page itself holds does not count."""
        sent = [e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        urls = [item["request"]["url"] for item in sent]
        return [url for url in urls if not url.startswith(("data:", "blob:"))]

    def downloads(self, folder, count):
        """Wait for so many files in a folder, and return them."""
        for _ in range(200):
            found = sorted(p for p in Path(folder).iterdir() if p.suffix != ".crdownload")
            if len(found) == count:
                return found
            time.sleep(0.05)
        raise AssertionError(f"{len(found)} downloads in place of {count}")

    def call(self, method, **parameters):
        """Send a command of the protocol and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _wait(self, method):
        while not any(event["method"] == method for event in self.events):
            self._read()

    def _read(self):
        while b"\0" not in self._buffer:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser is gone"
            self._buffer += more
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message
