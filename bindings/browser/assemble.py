#!/usr/bin/env python3
"""Write planner.html, one file that needs no other: assemble.py MODULE.wasm PAGE.

The module is compressed, and stands in the page as letters of 85 values, 4 bytes in 5.  Scripts are written as ES modules; in
the page their names share one scope, so that imports and exports are left out.
"""
import base64
import gzip
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PAGE = ["words.js", "pictures.js", "question.js", "desk.js", "planner.js"]
WORKER = ["engine.js", "worker.js"]
MOST_BYTES = 1_000_000


def compressed(module):
    """As gzip has it: by zopfli where that is installed, which takes 4 % less."""
    if zopfli := shutil.which("zopfli"):
        return subprocess.run([zopfli, "-c", "--i5", module], check=True,
                              capture_output=True).stdout
    return gzip.compress(pathlib.Path(module).read_bytes(), 9, mtime=0)


def letters(packed):
    """As base64.b85encode writes them, but for <, which begins tags."""
    return base64.b85encode(packed).decode().replace("<", ",")


def joined(names):
    """Modules as one script, without comments of their own lines."""
    text = "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)
    text = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^export \{[^}]*\};\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE)
    if "</script" in text:
        raise SystemExit("assemble.py: a script must not contain </script")
    return text.strip()


def version():
    """Of the project."""
    text = (HERE.parent.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(gpuplan VERSION ([0-9.]+)", text).group(1)


def main(module, page):
    packed = compressed(module)
    text = (HERE / "planner.html.in").read_text(encoding="utf-8")
    for name, value in [("STYLE", (HERE / "planner.css").read_text(encoding="utf-8").strip()),
                        ("VERSION", version()),
                        ("WORKER", joined(WORKER)),
                        ("SCRIPT", joined(PAGE)),
                        ("MODULE", letters(packed))]:
        text = text.replace(f"@{name}@", value)
    size = pathlib.Path(page).write_bytes(text.encode())
    print(f"{page}: {size:,} bytes; module {pathlib.Path(module).stat().st_size:,}, "
          f"compressed {len(packed):,}")
    if size > MOST_BYTES:
        raise SystemExit(f"assemble.py: {page} is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
