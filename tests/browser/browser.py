"""A headless Chromium, spoken to over a pipe: what a page shows, says and asks for."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
           "--no-first-run", "--disable-sync", "--disable-component-update",
           "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe")


def found():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """Use with `with`: it ends with the block."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def give_pipes():  # Chromium reads from 3 and writes to 4
            low, high = os.dup(to_read), os.dup(from_write)
            copies = os.dup(low), os.dup(high)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        self.process = subprocess.Popen(
            [found(), *OPTIONS, f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=give_pipes, close_fds=False)
        os.close(to_read)
        os.close(from_write)
        self.writer = os.fdopen(to_write, "wb", buffering=0)
        self.reader = from_read
        self.unread = b""
        self.number = 0
        self.events = []
        return self

    def __exit__(self, *_):
        self.writer.close()
        self.process.terminate()
        self.process.wait(timeout=20)
        os.close(self.reader)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        while b"\0" not in self.unread:
            part = os.read(self.reader, 1 << 16)
            if not part:
                raise RuntimeError("Chromium is gone")
            self.unread += part
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    def send(self, method, session=None, **parameters):
        """The result of a command of the DevTools protocol."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        self.writer.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.read()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def page(self):
        return Page(self)


class Page:
    """A tab."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def look(self, width, height=900, scheme="light", media="screen"):
        """The next page is shown so wide, so high, in this scheme and on this medium."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        """Opens it; returns what it asked of anybody else, and what it complained of."""
        self.browser.events.clear()
        self.send("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired"
                      for event in self.browser.events):
            self.browser.events.append(self.browser.read())
        self.evaluate("new Promise(done => requestAnimationFrame(() => done(1)))")
        requests, complaints = [], []
        for event in self.browser.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent" and parameters["request"]["url"] != url:
                requests.append(parameters["request"]["url"])
            if method == "Log.entryAdded":
                complaints.append(parameters["entry"]["text"])
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                complaints.append(json.dumps(parameters))
        return requests, complaints

    def evaluate(self, script):
        """The value of a script, as JSON can say it."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def picture(self, path):
        """The whole page as PNG."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        data = self.send("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"],
                               "height": size["height"], "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
