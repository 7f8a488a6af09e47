"""Requests that chance has changed: each gets an answer or an error, as JSON, whatever it is.

    fuzz_test.py LIBRARY

GPUPLAN_FUZZ_REQUESTS is how many; GPUPLAN_FUZZ_SEED chooses others.
"""
import ctypes
import json
import os
import random
import sys
import unittest

import corpus

LIBRARY = sys.argv[1]
REQUESTS = int(os.environ.get("GPUPLAN_FUZZ_REQUESTS", "300"))
SEED = int(os.environ.get("GPUPLAN_FUZZ_SEED", "1"))

VALUES = [0, 1, -1, 0.5, 8, 65536, 10**9 + 1, 2**64, 1e308, None, True, False, "", "x", "-", "--",
          "--help", "-o", "--json", "a=b", "0", "1e9", "on", "any", "[1,2]", "\u0000", "\n", "\U0001f600",
          "a" * 300, "../../etc/passwd", "/dev/zero", "config.json", [], [[]], ["a", "b"], {}, {"a": 1}]
KEYS = ["question", "model", "cluster", "recipe", "parallelism", "workspace", "options", "files",
        "requests", "gpu", "gpus", "zero", "data", "help", "json", "html", "output", "csv", "emit",
        "no_color", "version", "config", "", "--gpu", "gpu=H100"]
CHEAP = {"fit", "model", "evaluate", "queue", "place", "calibrate", "catalog", "formula"}


def refuse_nonfinite(constant):
    raise ValueError(f"{constant} is no JSON")


class Door:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.gpuplan_answer.restype = ctypes.c_void_p
        self.library.gpuplan_answer.argtypes = [ctypes.c_char_p]
        self.library.gpuplan_free.argtypes = [ctypes.c_void_p]

    def ask(self, text):
        answer = self.library.gpuplan_answer(text)
        copy = ctypes.string_at(answer).decode()
        self.library.gpuplan_free(answer)
        return copy


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.door = Door(LIBRARY)
        self.random = random.Random(SEED)
        asked = [members for kind in (corpus.common(), corpus.apart()) for _, members in kind
                 if members["question"] in CHEAP]
        asked += [{"question": "evaluate", **one} for one in corpus.evaluations()]
        self.seeds = [json.dumps({**one, "files": corpus.FILES} if "options" in one else one)
                      for one in asked]

    def changed(self, request):
        """A member, somewhere, that is gone, other, or new."""
        place = request
        while self.random.random() < 0.6:
            inner = [one for one in place.values() if isinstance(one, dict) and one]
            if not inner:
                break
            place = self.random.choice(inner)
        key = self.random.choice([*place, self.random.choice(KEYS)])
        if self.random.random() < 0.25:
            place.pop(key, None)
        else:
            place[key] = self.random.choice(VALUES)
        return request

    def damaged(self, text):
        data = bytearray(text.encode())
        for _ in range(self.random.randint(1, 3)):
            data[self.random.randrange(len(data))] = self.random.choice(b'"{}[]:,\\0-.eE\x01\xff nt')
        return bytes(data).replace(b"\0", b" ")

    def check(self, request):
        answer = json.loads(self.door.ask(request), parse_constant=refuse_nonfinite)
        if isinstance(answer, dict) and "error" in answer:
            error = answer["error"]
            self.assertEqual(list(error), ["what", "where", "allowed", "did_you_mean", "exit_code"])
            self.assertTrue(error["what"], request)
            self.assertNotIn("\n", error["what"])
            where = error["where"] or "x"
            self.assertNotRegex(where, ": |:$|^$")
            if f'"{where}"'.encode() not in request:  # a member may have any name
                self.assertNotRegex(where, "^-|^[A-Z]+$")
            self.assertNotIn("internal error", error["what"], request)
            self.assertIn(error["exit_code"], (2, 3), request)
            return False
        return True

    def test_changed_requests(self):
        answered = 0
        for _ in range(REQUESTS):
            request = json.loads(self.random.choice(self.seeds))
            for _ in range(self.random.randint(1, 2)):
                self.changed(request)
            text = json.dumps(request)
            with self.subTest(request=text[:500]):
                answered += self.check(text.encode())
        self.assertGreater(answered, REQUESTS // 20)

    def test_damaged_texts(self):
        for _ in range(REQUESTS):
            text = self.damaged(self.random.choice(self.seeds))
            with self.subTest(text=text[:500]):
                self.check(text)

    def test_texts_without_end(self):
        for text in (b"[" * 10**6, b'{"a":' * 10**5, b'"' + b"x" * 10**6, b" " * 10**6, b"1" * 10**6,
                     b'{"question": "formula", "options": {"words": [' + b'"x", ' * 10**4 + b'"x"]}}',
                     b'{"question": "' + b"plan" * 10**5 + b'"}', b"\xff\xfe", b"\xef\xbb\xbf{}"):
            with self.subTest(text=text[:40]):
                self.check(text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
