#!/usr/bin/env python3
"""umbrella.py lists what stands alone, and notices a list that is not that."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

TREE = {
    "require.hpp": "#include <stdexcept>\n",
    "units/units.hpp": "#include <gpuplan/require.hpp>\n",
    "units/chrono.hpp": "#include <chrono>\n",
    "units/format.hpp": "#include <fmt/format.h>\n",
    "report/table.hpp": "#include <gpuplan/units/format.hpp>\n",
    "memory/footprint.hpp": "#include <gpuplan/units/units.hpp>\n",
    "registry/formula.hpp": "#include <string_view>\n",
}
ALONE = ["require.hpp", "memory/footprint.hpp", "units/units.hpp"]


class Umbrella(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "gpuplan"
        for header, text in TREE.items():
            (self.root / header).parent.mkdir(parents=True, exist_ok=True)
            (self.root / header).write_text(text)

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, SCRIPT, self.folder.name, *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_what_it_writes_lists_the_headers_that_stand_alone(self):
        self.assertEqual(self.run_script("--write")[0], 0)
        lines = (self.root / "gpuplan.hpp").read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("#include")],
                         [f"#include <gpuplan/{header}>" for header in ALONE])
        self.assertEqual(self.run_script(), (0, "umbrella ok\n"))

    def test_a_new_header_a_lost_one_and_no_list_at_all_are_faults(self):
        self.assertNotEqual(self.run_script()[0], 0)
        self.run_script("--write")
        (self.root / "units" / "new.hpp").write_text("")
        code, said = self.run_script()
        self.assertEqual((code, said), (1, "gpuplan.hpp: lacks <gpuplan/units/new.hpp>\n"))
        (self.root / "units" / "new.hpp").write_text("#include <fmt/format.h>\n")
        self.assertEqual(self.run_script()[0], 0)
        (self.root / "units" / "units.hpp").write_text("#include <gpuplan/units/new.hpp>\n")
        code, said = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("should not have <gpuplan/units/units.hpp>", said)
        self.assertIn("should not have <gpuplan/memory/footprint.hpp>", said)

    def test_nothing_of_its_own(self):
        self.run_script("--write")
        with (self.root / "gpuplan.hpp").open("a") as umbrella:
            umbrella.write("namespace gpuplan {}\n")
        self.assertEqual(self.run_script()[0], 1)


if __name__ == "__main__":
    unittest.main()
