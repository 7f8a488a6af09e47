"""docs/schema/request.json takes the requests of the corpus, and refuses others.

    schema_test.py
"""
import json
import pathlib
import sys
import unittest

import corpus

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema" / "request.json"


@unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
class Schema(unittest.TestCase):
    def setUp(self):
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def test_requests_of_the_corpus(self):
        requests = [members for kind in (corpus.common(), corpus.apart()) for _, members in kind]
        requests += [{"question": "evaluate", **one} for one in corpus.evaluations()]
        for request in requests:
            with self.subTest(request=request):
                self.validator.validate(request)

    def test_what_no_question_knows(self):
        fit = {"question": "fit", "model": "gpt2", "cluster": {"gpu": "H100"}}
        self.validator.validate(fit)
        for part in ({"question": "fits"}, {"clusters": {}}, {"cluster": {"gpu_count": 8}},
                     {"recipe": {"overlap": {"dat": True}}}, {"options": {"tokens": "1T"}},
                     {"files": {"a": 1}}, {"options": []}, {"workspace": {"fragmentation": -1}},
                     {"parallelism": {"data": 0}}):
            with self.subTest(part=part):
                self.assertFalse(self.validator.is_valid({**fit, **part}))
        self.assertFalse(self.validator.is_valid({"model": "gpt2"}))
        self.assertFalse(self.validator.is_valid({"question": "evaluate", "model": "gpt2",
                                                  "recipe": {"zero": 4}}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
