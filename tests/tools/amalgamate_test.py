#!/usr/bin/env python3
"""amalgamate.py puts each header once, after those it includes."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

TREE = {
    "gpuplan.hpp": "#pragma once\n\n#include <gpuplan/b.hpp>\n#include <gpuplan/a.hpp>\n",
    "a.hpp": "#pragma once\n/// A.\n\n#include <string>\n\nint a;\n",
    "b.hpp": "#pragma once\n#include <string>\n\n#include <gpuplan/a.hpp>\n\nint b;\n",
}


class Amalgamate(unittest.TestCase):
    def amalgamate(self, tree):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "gpuplan"
            root.mkdir()
            for header, text in tree.items():
                (root / header).write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def test_each_header_once_after_those_it_includes(self):
        code, text = self.amalgamate(TREE)
        self.assertEqual(code, 0, text)
        self.assertEqual(text.count("#pragma once"), 1)
        self.assertEqual([line for line in text.splitlines() if line.startswith("#include")],
                         ["#include <string>"])
        self.assertEqual((text.count("int a;"), text.count("int b;")), (1, 1))
        self.assertLess(text.index("int a;"), text.index("int b;"))
        self.assertLess(text.index("#include"), text.index("int a;"))

    def test_what_some_compilers_include_stays_in_its_condition(self):
        stopgap = "#if !defined(__cpp_lib_x)\n#include <other/x.h>\n#endif\nint a;\n"
        code, text = self.amalgamate(TREE | {"a.hpp": "#pragma once\n" + stopgap})
        self.assertEqual(code, 0, text)
        self.assertIn(stopgap, text)

    def test_another_library_is_refused(self):
        code, text = self.amalgamate(TREE | {"a.hpp": "#include <fmt/format.h>\n"})
        self.assertEqual(code, 1)
        self.assertIn("gpuplan/a.hpp: #include <fmt/format.h>", text)


if __name__ == "__main__":
    unittest.main()
