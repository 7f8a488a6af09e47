#!/usr/bin/env python3
"""Take the picture of the planner that README.md shows: planner_picture.py PLANNER.html PICTURE.png.

A Chromium opens the page 1280 px wide and answers the usual question.
"""
import base64
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "browser"))
import browser  # noqa: E402

WIDTH, HEIGHT = 1280, 764
MOST_BYTES = 150_000
READY = ("!document.body.classList.contains('busy') && document.querySelector('#layouts .note') !== null"
         " && document.querySelector('#scale svg') !== null")


def main(page_path, picture):
    with browser.Browser() as chromium:
        page = chromium.page()
        page.look(WIDTH, HEIGHT)
        page.open(pathlib.Path(page_path).resolve().as_uri())
        end = time.monotonic() + 90
        while not page.evaluate(READY):
            if time.monotonic() > end:
                sys.exit("planner_picture.py: the page does not answer")
            time.sleep(0.1)
        data = page.send("Page.captureScreenshot",
                         clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1})["data"]
    size = pathlib.Path(picture).write_bytes(base64.b64decode(data))
    print(f"{picture}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"planner_picture.py: {picture} is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
