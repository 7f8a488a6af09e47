"""The command line, libgpuplan as a program in C sees it, and the Python package answer alike.

    corpus_test.py PROGRAM LIBRARY [C COMPILER]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import corpus
import native

PROGRAM, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
CC = sys.argv[3] if len(sys.argv) > 3 else "cc"
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "bindings"
os.environ["GPUPLAN_LIBRARY"] = LIBRARY
os.environ["SOURCE_DATE_EPOCH"] = "0"  # the day of pages
sys.path.insert(0, str(SOURCES / "python"))
import gpuplan  # noqa: E402: it finds the library that is named above


def program(*words, stdin="", folder=None):
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    return subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True, cwd=folder,
                          env=environment, timeout=300)


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.files = dict(corpus.FILES)
        for name, model in (("before.json", "llama-3-8b"), ("after.json", "mistral-7b-v0.1")):
            cls.files[name] = program("fit", model, "--gpu", "H100", "--data", "8", "--zero", "3",
                                      "--json").stdout
        (cls.folder / "libgpuplan.so.0").symlink_to(LIBRARY)
        cls.ask = cls.folder / "ask"
        source = pathlib.Path(__file__).resolve().parent / "lines.c"
        subprocess.run([CC, f"-I{SOURCES}/c", source, LIBRARY, "-o", cls.ask], check=True)

    def answers_in_c(self, requests):
        """What a program in C is answered, request by request."""
        lines = "".join(json.dumps(one) + "\n" for one in requests)
        done = subprocess.run([self.ask], input=lines, capture_output=True, text=True,
                              env=os.environ | {"LD_LIBRARY_PATH": str(self.folder)}, cwd="/",
                              timeout=600, check=True)
        self.assertEqual(done.stderr, "")
        answers = done.stdout.split("\f")
        self.assertEqual(answers.pop(), "")
        self.assertEqual(len(answers), len(requests))
        return answers

    def check(self, requests, printed):
        """What C and Python are answered is what the command line prints: text, or what it says."""
        with ThreadPoolExecutor(2) as both:
            in_c = both.submit(self.answers_in_c, requests)
            in_python = both.submit(lambda: [in_python_or_error(one) for one in requests])
        for request, answer, result, (code, text) in zip(requests, in_c.result(), in_python.result(),
                                                         printed, strict=True):
            with self.subTest(request=request):
                if code in (0, 4):
                    self.assertEqual(answer, text)
                    self.assertEqual(result, json.loads(text))
                else:
                    error = json.loads(answer)["error"]
                    self.assertEqual(
                        (error["exit_code"], corpus.without_options(error["what"])),
                        (code, corpus.without_options(text)))
                    self.assertNotRegex(error["where"] or "", "^-|[A-Z]{4}| ")
                    self.assertEqual(result, error)

    def test_a_thousand_requests(self):
        asked = corpus.everywhere()
        self.assertEqual(len(asked), 1000)
        printed = native.printed(PROGRAM, asked, self.files)
        refused = sum(code == 2 for code, _ in printed)
        misfits = sum(code == 4 for code, _ in printed)
        self.assertTrue(50 < refused < 250 and misfits > 250, (refused, misfits))
        self.check([request for _, request in asked], printed)

    def test_questions_that_the_page_leaves_out(self):
        asked = [(words, corpus.with_files(members, self.files)) for words, members in corpus.apart()]
        self.assertGreater(len(asked), 40)
        printed = native.printed(PROGRAM, asked, self.files)
        self.assertLessEqual({code for code, _ in printed}, {0, 4})
        self.check([request for _, request in asked], printed)

    def test_launches_are_those_of_the_command_line(self):
        options = ("--data", "4", "--tensor", "2", "--batch", "64")
        request = {"question": "fit", "model": "llama-3-8b", "cluster": {"gpu": "H100"},
                   "recipe": {"global_batch_size": 64}, "parallelism": {"data": 4, "tensor": 2}}
        for framework in ("megatron", "torchtitan"):
            expected = program("fit", "llama-3-8b", "--gpu", "H100", *options, "--emit", framework)
            self.assertEqual(expected.returncode, 0, expected.stderr)
            asked = {**request, "options": {"emit": framework}}
            self.assertEqual(gpuplan.answer(asked)["launch"], expected.stdout)
        small = {**request, "cluster": {"gpu": "A100-40GB"}, "options": {"emit": "megatron"}}
        self.assertIsNone(gpuplan.answer(small)["launch"])

    def test_pages_are_those_of_the_command_line(self):
        for words, request in (
                (("scale", "gpt2", "--gpu", "H100", "--gpus", "8"),
                 {"question": "scale", "model": "gpt2", "cluster": {"gpu": "H100", "gpus": 8}}),
                (("queue", "--arrivals", "4/h", "--service", "10h", "--gpus", "64"),
                 {"question": "queue", "options": {"arrivals": "4/h", "service": "10h", "gpus": 64}})):
            done = program(*words, "--html", "page.html", folder=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            options = {**request.get("options", {}), "html": True}
            self.assertEqual(gpuplan.answer({**request, "options": options})["page"],
                             (self.folder / "page.html").read_text(encoding="utf-8"))
        with self.assertRaises(gpuplan.RequestError) as raised:
            gpuplan.answer({"question": "plan", "model": "gpt2", "cluster": {"gpu": "H100"},
                            "options": {"html": True, "emit": "megatron"}})
        self.assertEqual(raised.exception.where, "options.html")

    def test_several_evaluations_are_the_lines_of_the_command_line(self):
        requests = list(corpus.evaluations())
        requests.insert(3, {"model": "gpt"})
        lines = program("evaluate", stdin="".join(json.dumps(one) + "\n" for one in requests)).stdout
        expected = "[" + lines.strip().replace("\n", ",\n") + "]\n"
        asked = {"question": "evaluate", "requests": requests}
        self.assertEqual(self.answers_in_c([asked]), [expected])
        self.assertEqual(gpuplan.answer(asked), json.loads(expected))

    def test_refusals_say_where(self):
        asked = [(words + ("--json",), corpus.with_files(members, self.files))
                 for words, members, _ in corpus.refusals()]
        self.check([request for _, request in asked], native.printed(PROGRAM, asked, self.files))
        for (_, request), (_, _, where) in zip(asked, corpus.refusals()):
            with self.subTest(request=request), self.assertRaises(gpuplan.RequestError) as raised:
                gpuplan.answer(request)
            self.assertEqual(raised.exception.where, where)


def in_python_or_error(request):
    try:
        return gpuplan.answer(request)
    except gpuplan.RequestError as error:
        return vars(error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
