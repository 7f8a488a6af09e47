#!/usr/bin/env python3
"""check_readme.py keeps what README.md shows equal to where it comes from."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

CODE = "int main() {\n\n  return 0;\n}\n"
PAGE = "# A page\n\n| not | this |\n|---|---|\n\n## In short\n\nWords.\n\n| a | b |\n|---|---:|\n" \
       "| x | 2.6% |\n\n| c |\n|---|\n\n## Later\n"
README = f"""# A title

<!-- a remark, and no source -->
<!-- examples/one.cpp -->
```cpp
{CODE}```

<!-- docs/page.md: In short -->

| a | b |
|---|---:|
| x | 2.6% |

The end.
"""


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("examples/one.cpp", CODE)
        self.write("docs/page.md", PAGE)
        self.write("README.md", README)

    def write(self, name, text):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def text(self):
        return (self.root / "README.md").read_text()

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, SCRIPT, self.root / "README.md", *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout.replace(f"{self.root}/", "")

    def test_what_is_equal_is_left_alone(self):
        self.assertEqual(self.run_script(), (0, ""))
        self.assertEqual(self.run_script("--write"), (0, ""))
        self.assertEqual(self.text(), README)

    def test_code_that_differs_is_a_fault_and_is_written_again(self):
        self.write("examples/one.cpp", CODE.replace("0", "1"))
        code, said = self.run_script()
        self.assertEqual((code, said), (1, "README.md:4: is not what examples/one.cpp says: "
                                           "./run docs writes it again\n"))
        self.assertEqual(self.run_script("--write"), (0, ""))
        self.assertEqual(self.text(), README.replace("return 0", "return 1"))

    def test_a_figure_that_differs_is_a_fault_and_is_written_again(self):
        self.write("docs/page.md", PAGE.replace("2.6", "2.7").replace("| c |", "| 2.6% |"))
        self.assertEqual(self.run_script()[0], 1)
        self.assertEqual(self.run_script("--write"), (0, ""))
        self.assertEqual(self.text(), README.replace("2.6", "2.7"))

    def test_a_source_or_a_section_that_is_not_there_and_a_comment_without_a_block(self):
        self.write("README.md", "<!-- no/such.cpp -->\n<!-- docs/page.md: Nowhere -->\n"
                                "<!-- examples/one.cpp -->\nwords\n<!-- examples/one.cpp -->\n")
        code, said = self.run_script("--write")
        self.assertEqual(code, 1)
        self.assertEqual(said.splitlines(), [
            "README.md:1: there is no no/such.cpp",
            "README.md:2: docs/page.md has no table in a section 'Nowhere'",
            "README.md:3: neither code nor a table follows",
            "README.md:5: neither code nor a table follows"])


if __name__ == "__main__":
    unittest.main()
