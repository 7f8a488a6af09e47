"""libgpuplan.so has the functions of gpuplan.h and gpuplan_admission.h, no other symbol, and the name
that it is found by.

    exports_test.py LIBRARY [C COMPILER]
"""
import pathlib
import re
import subprocess
import sys
import unittest

LIBRARY = sys.argv[1]
HEADERS = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "c"
DECLARATION = re.compile(r"^(?:const )?\w+\*? (gpuplan_\w+)\(", re.MULTILINE)


def printed(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Exports(unittest.TestCase):
    def test_symbols(self):
        symbols = {line.split()[-1] for line in
                   printed("nm", "--dynamic", "--defined-only", LIBRARY).splitlines()}
        declared = {name for header in HEADERS.glob("*.h")
                    for name in DECLARATION.findall(header.read_text())}
        self.assertGreaterEqual(declared, {"gpuplan_answer", "gpuplan_free", "gpuplan_version",
                                           "gpuplan_admit", "gpuplan_model"})
        self.assertEqual(symbols, declared)

    def test_name(self):
        headers = printed("objdump", "-p", LIBRARY)
        self.assertRegex(headers, r"SONAME +libgpuplan\.so\.\d+\n")

    def test_no_way_to_end_the_process(self):
        wanted = {line.split()[-1].split("@")[0] for line in
                  printed("nm", "--dynamic", "--undefined-only", LIBRARY).splitlines()}
        for name in ("exit", "_exit", "quick_exit", "signal", "sigaction", "raise", "system",
                     "setlocale", "fork", "socket"):
            self.assertNotIn(name, wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
