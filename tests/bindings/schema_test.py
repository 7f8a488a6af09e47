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

    def test_what_the_library_takes(self):
        on = {"gpu": "H100", "gpus": 8}
        for question, part in (
                ("fit", {"options": {"cp": 1, "tp": 2, "dp": 2, "seq": 2048, "micro-batch": 1,
                                     "global_batch_size": 8}}),
                ("fit", {"options": {"emit": "Megatron", "overlap-data": True, "zero": 1}}),
                ("plan", {"options": {"by": "GPU hours", "tokens": 1e12, "price": "$2/h",
                                      "deadline": "30d", "what_if": True}}),
                ("plan", {"cluster": {"gpu": ["H100", "B200"], "gpus": [8, 16]}}),
                ("plan", {"cluster": {"gpu": "any", "gpus": 8}, "recipe": {"schedule": "any"}}),
                ("scale", {"parallelism": {"tensor": "any"}, "recipe": {"zero": "any"}}),
                ("fit", {"recipe": {"sequence_parallel": True, "layer_split": [6, 6]}}),
                ("evaluate", {"recipe": {"precision": "BF16"}}),
                ("evaluate", {"recipe": {"precision": "bf-16", "cuda_graphs": True, "zero": "FSDP"}}),
                ("evaluate", {"cluster": {"gpu_memory_bytes": "80GiB"}}),
                ("evaluate", {"cluster": [{"gpu": "H100", "gpus": 4}, {"gpu": "B200", "gpus": 4}]})):
            request = {"question": question, "model": "gpt2", "cluster": on, **part}
            with self.subTest(request=request):
                self.validator.validate(request)

    def test_what_the_library_refuses(self):
        on = {"gpu": "H100", "gpus": 8}
        for question, part in (
                ("plan", {"options": {"emit": "xx"}}), ("plan", {"options": {"by": "nope"}}),
                ("plan", {"options": {"tokens": True}}), ("plan", {"options": {"tokens": ""}}),
                ("plan", {"options": {"price": 2}}), ("plan", {"options": {"budget": 1000000}}),
                ("plan", {"options": {"deadline": 30}}), ("fit", {"options": {"precision": "fp33"}}),
                ("fit", {"cluster": {"gpu": ["H100", "B200"]}}),
                ("scale", {"cluster": {"gpu": ["H100", "B200"], "gpus": 8}}),
                ("fit", {"cluster": {"gpu": "H100", "gpus": [4, 8]}}),
                ("fit", {"cluster": {"gpu": "H100", "gpus": "8"}}),
                ("fit", {"recipe": {"schedule": "any"}}), ("fit", {"parallelism": {"tensor": "any"}}),
                ("plan", {"parallelism": {"tensor": [1, 2]}}), ("fit", {"parallelism": {"tensor": "2"}}),
                ("plan", {"recipe": {"layer_split": "12"}}), ("scale", {"recipe": {"dropout": "on"}}),
                ("fit", {"recipe": {"overlap.data": "on"}}), ("evaluate", {"cluster": []}),
                ("evaluate", {"cluster": [{"gpu": "H100"}]}),
                ("evaluate", {"cluster": [{"gpu": "H100", "gpus": None}]}),
                ("evaluate", {"cluster": {"fabric": ""}}),
                ("evaluate", {"cluster": {"gpu_memory_bytes": "8"}}),
                ("evaluate", {"recipe": {"precision": "bf16x"}})):
            request = {"question": question, "model": "gpt2", "cluster": on, **part}
            with self.subTest(request=request):
                self.assertFalse(self.validator.is_valid(request))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
