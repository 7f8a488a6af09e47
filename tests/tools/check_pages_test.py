#!/usr/bin/env python3
"""check_pages.py keeps what the pages show equal to where it comes from."""
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

The [end](docs/page.md#in-short), [the title](#a-title), [elsewhere](https://example.org/x).
"""

# Stands for gpuplan: prints its arguments, a line each, and ends with their number.
PROGRAM = """#!/bin/sh
for word in "$@"; do echo "$word"; done
exit $#
"""


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name).resolve()
        self.write("examples/one.cpp", CODE)
        self.write("docs/page.md", PAGE)
        self.write("README.md", README)
        self.write("elsewhere/program", PROGRAM)
        (self.root / "elsewhere/program").chmod(0o755)

    def write(self, name, text):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def text(self, name="README.md"):
        return (self.root / name).read_text()

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, SCRIPT, self.root, *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.replace(f"{self.root}/", "")

    def run_commands(self, text, *arguments):
        """Check a page of one console block."""
        self.write("docs/how.md", f"# How\n\n```console\n{text}```\n")
        return self.run_script("--program", self.root / "elsewhere/program", *arguments)

    def written(self):
        return self.text("docs/how.md").split("```")[1].removeprefix("console\n")

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

    def test_every_page_of_docs_is_checked(self):
        self.write("docs/how.md", README.replace("return 0", "return 1").replace("docs/page", "page")
                   .replace("page.md: ", "docs/page.md: "))
        self.assertEqual(self.run_script(), (1, "docs/how.md:4: is not what examples/one.cpp says: "
                                                "./run docs writes it again\n"))

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

    def test_a_part_of_a_program(self):
        self.write("examples/one.cpp", "int main() {\n  // [body]\n  if (x)\n    y();\n  // [/body]\n}\n")
        self.write("README.md", "<!-- examples/one.cpp: body -->\n```cpp\nif (x)\n  y();\n```\n")
        self.assertEqual(self.run_script(), (0, ""))
        self.write("README.md", "<!-- examples/one.cpp: body -->\n```cpp\nif (x)\n```\n"
                                "<!-- examples/one.cpp: head -->\n")
        code, said = self.run_script()
        self.assertEqual((code, said.splitlines()), (1, [
            "README.md:1: is not what examples/one.cpp says: ./run docs writes it again",
            "README.md:5: examples/one.cpp has no part [head]"]))

    def test_links_that_lead_nowhere(self):
        self.write("docs/how.md", "# How\n\n[a](no.md) [b](page.md#later)\n[c](page.md#sooner)\n"
                                  "[d](#how)\n[e](#why)\n<a id=\"x-1\"></a> [g](#x-1)\n```\n[f](no.md)\n```\n")
        self.assertEqual(self.run_script(), (1, "docs/how.md:3: there is no no.md\n"
                                                "docs/how.md:4: page.md has no heading #sooner\n"
                                                "docs/how.md:6: how.md has no heading #why\n"))

    def test_commands_print_what_is_shown(self):
        self.assertEqual(self.run_commands("$ gpuplan a \\\n    b\na\nb\n$ ./run plan | cat\nplan\n"
                                           "$ cat examples/one.cpp >copy\n$ head -n 1 copy\n"
                                           "int main() {\n"), (0, ""))

    def test_a_program_is_needed_to_run_commands(self):
        self.run_commands("$ gpuplan a\nb\n")
        self.assertEqual(self.run_script(), (0, ""))

    def test_generated_pages_are_left_to_their_own_tests(self):
        self.write("docs/errata.md", "```console\n$ gpuplan a\nb\n```\n")
        self.assertEqual(self.run_commands("$ gpuplan a\na\n"), (0, ""))

    def test_output_that_differs_is_a_fault_and_is_written_again(self):
        code, said = self.run_commands("$ gpuplan a b\na\nc\n")
        self.assertEqual((code, said), (1, "docs/how.md:4: 'gpuplan a b' prints something else: "
                                           "./run docs writes it again\n"))
        self.run_commands("$ gpuplan a b\na\nc\n", "--write")
        self.assertEqual(self.written(), "$ gpuplan a b\na\nb\n")

    def test_lines_may_be_left_out(self):
        self.assertEqual(self.run_commands("$ gpuplan a b c d\na\n...\nc\nd\n"), (0, ""))
        self.assertEqual(self.run_commands("$ gpuplan a b c d\na\n...\n"), (0, ""))
        self.assertEqual(self.run_commands("$ gpuplan a b c d\na\n...\nb\n")[0], 1)
        self.run_commands("$ gpuplan a b c d\na\n...\nb\n", "--write")
        self.assertEqual(self.written(), "$ gpuplan a b c d\na\n...\nd\n")

    def test_a_command_of_which_nothing_is_shown_must_succeed(self):
        self.assertEqual(self.run_commands("$ gpuplan a\n"),
                         (1, "docs/how.md:4: 'gpuplan a' ends with exit code 1\n"))
        self.assertEqual(self.run_commands("$ gpuplan\n"), (0, ""))

    def test_a_console_block_without_a_command_or_an_end(self):
        fault = "docs/how.md:3: a console block is closed and begins with a line '$ command'\n"
        self.assertEqual(self.run_commands("gpuplan a\n"), (1, fault))
        self.assertEqual(self.run_commands(""), (1, fault))
        self.write("docs/how.md", "# How\n\n```console\n$ gpuplan\n")
        self.assertEqual(self.run_script("--program", self.root / "elsewhere/program"), (1, fault))


if __name__ == "__main__":
    unittest.main()
