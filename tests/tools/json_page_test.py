#!/usr/bin/env python3
"""json_page.py finds a table of docs/json.md that is not what the program says."""
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
PROGRAM = """#!/bin/sh
echo '{"recipe": [{"key": "zero", "option": "--zero", "kind": "number or name", "unit": "", "least": 0,
"most": 3, "names": {"0": "0", "none": "0"}, "usual": "0", "help": "A stage", "idle": "data is 1",
"idle_is_refused": false}, {"key": "maps", "option": "--maps", "kind": "array of names", "unit": "", "least": 0,
"most": 3, "names": {"query": "query"}, "usual": "none", "help": "Maps", "idle": "", "idle_is_refused": false}]}'
"""
ROW = ("| `zero` | `--zero` | number or name: `0` (`none`) | 0 | A stage; without effect where data is 1 |\n"
       "| `maps` | `--maps` | array of names: `query` | none | Maps |")
HEAD = "| key | option | value | where absent | what it is |\n|---|---|---|---|---|\n"
PAGE = f"# A page\n\n<!-- fields: recipe -->\n\n{HEAD}{ROW}\n\nThe end.\n"


class JsonPage(unittest.TestCase):
    def run_on(self, page, *options):
        with tempfile.TemporaryDirectory() as folder:
            path, fake = pathlib.Path(folder) / "json.md", pathlib.Path(folder) / "program"
            path.write_text(page)
            fake.write_text(PROGRAM)
            fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
            done = subprocess.run([sys.executable, SCRIPT, fake, path, *options],
                                  capture_output=True, text=True)
            return done, path.read_text()

    def test_a_page_that_is_right_passes(self):
        self.assertEqual(self.run_on(PAGE)[0].returncode, 0, self.run_on(PAGE)[0].stdout)

    def test_a_stale_row_a_missing_row_and_a_missing_table_fail(self):
        for stale in (PAGE.replace("A stage", "A step"), PAGE.replace(ROW + "\n", ""),
                      PAGE.replace("<!-- fields: recipe -->\n", "")):
            done, _ = self.run_on(stale)
            self.assertEqual(done.returncode, 1)
            self.assertIn("json.md", done.stdout)

    def test_it_writes_what_is_right(self):
        for stale in (PAGE.replace("A stage", "A step"), PAGE.replace(HEAD + ROW + "\n", "")):
            self.assertEqual(self.run_on(stale, "--write")[1], PAGE)


unittest.main()
