"""A headless Chromium that is asked through a pipe (DevTools protocol): pages at a width, light or dark, what they complain
about, what they ask of a network, and pictures of them."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

SECONDS = 60  # that an answer may take
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--mute-audio",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe")


def browser_path():
    """Of the distribution's Chromium; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page after the other. To be closed."""

    def __init__(self):
        if browser_path() is None:
            raise RuntimeError("Chromium is missing: scripts/setup --browser installs it")
        self._profile = tempfile.TemporaryDirectory()
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def place_pipes():  # where the protocol wants them
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        # The child's ends are moved beyond 3 and 4 first: neither may lie where the other goes.
        to_browser, from_browser = (os.dup2(end, 10 + place) for place, end in enumerate((to_browser, from_browser)))
        self._process = subprocess.Popen([browser_path(), *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
                                         preexec_fn=place_pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session = b"", 0, None
        self.complaints, self.requests = [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Performance.enable", timeDomain="threadTicks")

    def close(self):
        self._process.terminate()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._end_children()
        self._profile.cleanup()

    def _end_children(self):
        """They outlive the browser for a moment, and write into its profile."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            time.sleep(0.05)

    def _next_message(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(end - time.monotonic(), 0))
            data = os.read(self._read, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, message):
        """What the page does beside answering."""
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            texts = (argument.get("value", argument.get("description")) for argument in params["args"])
            self.complaints.append(" ".join(map(str, texts)))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        return method

    def ask(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def look(self, width, dark):
        """At the page that is open, or at the next one."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def _busy_seconds(self):
        metrics = self.ask("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def open(self, path, width, dark=False):
        """Seconds of the processor that the page took until it was loaded, whatever else ran there meanwhile. What it complains
        about and asks for begins anew."""
        self.ask("Page.navigate", url="about:blank")
        self.complaints, self.requests = [], []
        self.look(width, dark)
        begin = self._busy_seconds()
        self.ask("Page.navigate", url="file://" + os.path.realpath(path))
        while self._note(self._next_message()) != "Page.loadEventFired":
            pass
        return self._busy_seconds() - begin

    def value(self, expression):
        """Of JavaScript, as JSON."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:80]}: {answer['exceptionDetails']['text']} "
                               f"{answer['exceptionDetails'].get('exception', {}).get('description', '')}")
        return answer["result"].get("value")

    def click(self, selector):
        """On the middle of the first such element, as a person does."""
        where = self.value(f"""(() => {{ const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{block: "center"}}); const box = node.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)

    def picture(self, path):
        """The whole page as a PNG file."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
