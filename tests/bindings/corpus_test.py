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

import corpus

PROGRAM, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
CC = sys.argv[3] if len(sys.argv) > 3 else "cc"
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "bindings"
os.environ["GPUPLAN_LIBRARY"] = LIBRARY
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
        for name, text in cls.files.items():
            (cls.folder / name).write_text(text)
        (cls.folder / "libgpuplan.so.0").symlink_to(LIBRARY)
        cls.ask = cls.folder / "ask"
        subprocess.run([CC, f"-I{SOURCES}/c", f"{SOURCES}/c/examples/ask.c", LIBRARY, "-o", cls.ask],
                       check=True)

    def request(self, members):
        named = json.dumps(members)
        files = {name: text for name, text in self.files.items() if f'"{name}"' in named}
        return {**members, "files": files} if files else members

    def answer_in_c(self, request):
        done = subprocess.run([self.ask], input=json.dumps(request), capture_output=True, text=True,
                              env=os.environ | {"LD_LIBRARY_PATH": str(self.folder)}, cwd="/",
                              timeout=300, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_answers_are_those_of_the_command_line(self):
        count = 0
        for words, members in corpus.answered():
            with self.subTest(words=" ".join(words)):
                expected = program(*words, folder=self.folder)
                self.assertIn(expected.returncode, (0, 4), expected.stderr)
                request = self.request(members)
                self.assertEqual(self.answer_in_c(request), expected.stdout)
                self.assertEqual(gpuplan.answer(request), json.loads(expected.stdout))
                count += 1
        self.assertGreater(count, 150)

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

    def test_evaluations_are_those_of_the_command_line(self):
        requests = list(corpus.evaluations())
        for request in requests:
            with self.subTest(request=request):
                expected = program("evaluate", stdin=json.dumps(request) + "\n").stdout
                asked = {"question": "evaluate", **request}
                self.assertEqual(self.answer_in_c(asked), expected)
                self.assertEqual(gpuplan.answer(asked), json.loads(expected))
        requests.insert(3, {"model": "gpt"})
        lines = program("evaluate", stdin="".join(json.dumps(one) + "\n" for one in requests)).stdout
        expected = "[" + lines.strip().replace("\n", ",\n") + "]\n"
        self.assertEqual(self.answer_in_c({"question": "evaluate", "requests": requests}), expected)

    def test_refusals_say_what_the_command_line_says(self):
        for words, members, where in corpus.refusals():
            with self.subTest(words=" ".join(words)):
                expected = program(*words, "--json", folder=self.folder)
                self.assertEqual(expected.returncode, 2)
                request = self.request(members)
                error = json.loads(self.answer_in_c(request))["error"]
                self.assertEqual(f"gpuplan: {error['what']}\n", expected.stderr)
                self.assertEqual(error["where"], where)
                self.assertEqual(error["exit_code"], 2)
                with self.assertRaises(gpuplan.RequestError) as raised:
                    gpuplan.answer(request)
                self.assertEqual(vars(raised.exception), error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
