#!/usr/bin/env python3
"""make_coverage.py writes every row once, counts by state, and notices a page that is stale."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

DATA = {"documents": [{"id": "One", "title": "Chapter 1, a document", "sections": [["1", "First"]]},
                      {"id": "Two", "title": "Another", "sections": [["2", "Second"]]}],
        "known_gaps": {"two-half": "the other half"},
        "rows": [{"id": "one-all", "document": "One", "section": "1", "kind": "number",
                  "what": "costs $4 | a day", "topics": ["M1", "B1"],
                  "calls": ["memory/a.hpp: one", "memory/a.hpp: two"],
                  "shows": [{"command": "gpuplan formula one", "text": "= 4"}],
                  "erratum": "one-4", "state": "have"},
                 {"id": "two-half", "document": "Two", "section": "2", "kind": "rule",
                  "what": "a half", "state": "partial", "lacks": "the rest", "in_work": "halves"}]}
ROWS = [
    "| 1 First | number: costs \\$4 \\| a day | M1 B1 | memory/a.hpp: `one`, `two` | "
    "`gpuplan formula one` prints `= 4` | have, [erratum](errata.md#one-4) |",
    "| 2 Second | rule: a half | - | - | - | partial: the rest (in work: halves) |",
    "| two-half | the other half |",
    "| [Chapter 1, a document](#chapter-1-a-document) | 1 | 1 | 1 | 0 | 0 | 0 |",
    "| all | 2 | 2 | 1 | 1 | 0 | 0 |"]


class MakeCoverage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs").mkdir()
        (self.root / "tests/data").mkdir(parents=True)
        self.list = self.root / "tests/data/coverage.json"
        self.list.write_text(json.dumps(DATA))

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, "-B", SCRIPT, self.folder.name, *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_every_row_is_written_once(self):
        self.assertEqual(self.run_script(), (0, ""))
        lines = (self.root / "docs/coverage.md").read_text().splitlines()
        for row in ROWS:
            self.assertEqual(lines.count(row), 1, row)

    def test_a_stale_or_absent_page_fails(self):
        self.assertEqual(self.run_script("--check")[0], 1)
        self.run_script()
        self.assertEqual(self.run_script("--check"), (0, "coverage page ok\n"))
        changed = {**DATA, "known_gaps": {"two-half": "less"}}
        self.list.write_text(json.dumps(changed))
        self.assertEqual(self.run_script("--check")[0], 1)

    def test_without_gaps_the_page_says_so(self):
        self.list.write_text(json.dumps({**DATA, "known_gaps": {}}))
        self.run_script()
        page = (self.root / "docs/coverage.md").read_text()
        self.assertTrue(page.endswith("\n## Known gaps\n\nNone.\n"), page[-80:])


if __name__ == "__main__":
    unittest.main()
