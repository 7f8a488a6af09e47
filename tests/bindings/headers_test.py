"""A program in C++ that includes api/answer.hpp is answered as libgpuplan answers, byte for byte.

    headers_test.py PROGRAM LIBRARY

PROGRAM is made of lines.cpp.
"""
import ctypes
import itertools
import json
import pathlib
import subprocess
import sys
import unittest

import corpus
import drawn

PROGRAM, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])


def answers_of_headers(requests):
    lines = "".join(json.dumps(one) + "\n" for one in requests)
    done = subprocess.run([PROGRAM], input=lines, capture_output=True, text=True, timeout=600, check=True)
    answers = done.stdout.split("\f")
    return answers[:-1]


def answers_of_library(requests):
    library = ctypes.CDLL(LIBRARY)
    library.gpuplan_answer.restype = ctypes.c_void_p
    library.gpuplan_answer.argtypes = [ctypes.c_char_p]
    library.gpuplan_free.argtypes = [ctypes.c_void_p]
    for request in requests:
        text = library.gpuplan_answer(json.dumps(request).encode())
        yield ctypes.string_at(text).decode()
        library.gpuplan_free(text)


def answered():
    """The questions that the headers answer."""
    listed = answers_of_headers([{}])[0]
    return json.loads(listed)["error"]["allowed"]


def odd_parts():
    """Members of a request that make sense to few questions, and to some to none."""
    for options in ("x", [], {}, None, {"no_such_option": 1}, {"json": True}, {"help": True}, {"html": "x"},
                    {"words": "amdahl"}, {"words": [5, True]}, {"words": [[]]}, {"words": {}}, {"words": []},
                    {"words": ["-x"]}, {"words": ["--"]}, {"words": ["erlang_c", "servers=5"]},
                    {"words": ["erlang_c", "servers=5", "offered=x"]}, {"words": ["a\0b"]},
                    {"words": ["\u202e\n"]}, {"search": ""}, {"search": []}, {"search": ["a", "b"]},
                    {"search": 5}, {"search": '"quoted"'}, {"search": "noise", "words": ["scale"]}):
        yield {"options": options}
    for member in ({"model": 5}, {"model": ""}, {"model": {}}, {"cluster": 5}, {"cluster": {"gpu": "H100"}},
                   {"recipe": {"zero": 1}}, {"recipe": {"no_such_field": 1}}, {"recipe": {"overlap": {"data": 1}}},
                   {"cluster": {"fabric": {"x": 1}}}, {"files": 5}, {"files": {"a": 5}}, {"no_such_member": 1},
                   {"workspace": {}}, {"parallelism": None}):
        yield member


def requests():
    for kind in (corpus.formulas(), corpus.catalogs(), corpus.models(), drawn.models(60, seed=23),
                 ((words, members) for words, members, _ in corpus.refusals())):
        for _, members in kind:
            yield corpus.with_files(members, corpus.FILES)
    for question, members in itertools.product(answered(), odd_parts()):
        yield {"question": question, **members}


class Headers(unittest.TestCase):
    def test_answers_are_those_of_the_library(self):
        known = answered()
        self.assertIn("formula", known)
        asked = [one for one in requests() if one["question"] in known]
        self.assertGreater(len(asked), 50)
        refused = 0
        for request, ours, theirs in zip(asked, answers_of_headers(asked), answers_of_library(asked),
                                         strict=True):
            with self.subTest(request=request):
                self.assertEqual(ours, theirs)
            refused += "error" in json.loads(theirs)
        self.assertTrue(20 < refused < len(asked), refused)

    def test_what_is_no_question_is_refused_alike_but_for_those_there_are(self):
        asked = [[], "x", {"question": "why"}, {"question": 5}, {}]
        for ours, theirs in zip(map(json.loads, answers_of_headers(asked)),
                                map(json.loads, answers_of_library(asked)), strict=True):
            self.assertEqual(ours["error"]["where"], theirs["error"]["where"])
            self.assertLessEqual(set(ours["error"]["allowed"] or []), set(theirs["error"]["allowed"] or []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
