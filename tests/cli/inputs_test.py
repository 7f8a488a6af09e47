"""An answer's inputs are a request with the same answer, whatever field was asked for.

GPUPLAN_INPUTS_LINES is how many random requests are tried; GPUPLAN_INPUTS_SEED chooses others.
"""
import json
import os
import random
import tempfile

import program
from program import run

LINES = int(os.environ.get("GPUPLAN_INPUTS_LINES", "2000"))
SEED = int(os.environ.get("GPUPLAN_INPUTS_SEED", "1"))
FIELDS = program.read_json(run("evaluate", "--fields").stdout)
CONFIGS = sorted(program.CONFIGS.glob("*.json"))
ENCODED = {"layers": 32, "encoder_layers": 32, "hidden_size": 64, "attention_heads": 4,
           "ffn_size": 256, "vocabulary_size": 1000}
CATALOGUE = {"gpu": ["H100", "A100-40GB", "V100-32GB", "B200", "MI300X", "L40S"],
             "fabric": ["NDR", "10gbe", {"latency_s": 3.3e-6, "bandwidth_bytes_per_s": 1e10 / 3}]}
# Counts among which many are of layouts that can be.
COUNTS = {"gpus": [16, 64, 100, 1024], "gpus_per_node": [1, 4, 8, 72], "expert": [1, 2, 8],
          "data": [1, 2, 6, 64], "tensor": [1, 2, 8], "pipeline": [1, 2, 4], "context": [1, 2],
          "interleave": [1, 1, 2], "micro_batch_size": [1, 2], "shard_group": [0, 1, 2],
          "expert_tensor": [0, 1, 2], "sequence_length": [1000, 4096], "adapter_rank": [0, 8],
          "global_batch_size": [64, 768], "recompute_every": [1, 4], "interleave_group": [0, 8],
          "encoder_sequence_length": [0, 512], "base_weights_block": [64, 128]}
# Fields that have an effect beside others alone.
BESIDE = {"base_weights_block": {"adapter_rank": 8, "base_weights": "int4"},
          "double_quantization": {"adapter_rank": 8, "base_weights": "int4"}}


class Chance:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def model(self):
        kind = self.random.random()
        path = self.random.choice(CONFIGS)
        if kind < 0.1:
            return ENCODED
        return path.stem if kind < 0.6 else json.loads(path.read_text())

    def value(self, row):
        pick = self.random.choice
        if row["key"] in CATALOGUE:
            return pick(CATALOGUE[row["key"]])
        if row["key"] in COUNTS:
            return pick(COUNTS[row["key"]])
        if row["kind"] == "array of names":
            return self.random.sample(list(row["names"]), pick([0, 1, 2]))
        if row["names"]:
            return pick(list(row["names"]))
        if row["key"] == "power_limit_w":
            return 10 ** self.random.uniform(2.5, 3.5)
        if row["key"] == "expert_capacity_factor":
            return pick([0, 0.625, 1, 1.375])
        if row["kind"].startswith("flag"):
            return pick([True, False])
        if row["kind"] == "array of integers":
            return pick([[], [8, 8, 8, 8], [16, 16], [9, 8, 8, 7]])
        least, most = row["least"], row["most"]
        spread = 10 ** self.random.uniform(-3, 12)  # any digits, not whole numbers alone
        return pick([least, max(least, min(most, spread)), max(least, min(most, least + 0.375))])

    def request(self):
        made = {"model": self.model()}
        for part, rows in FIELDS.items():
            made[part] = {}
            for row in rows:
                if self.random.random() < (0.1 if row["idle"] else 0.25):
                    name, _, inner = row["key"].partition(".")
                    if inner:
                        made[part].setdefault(name, {})[inner] = self.value(row)
                    else:
                        made[part][name] = self.value(row)
                    made[part] |= BESIDE.get(row["key"], {}) if self.random.random() < 0.5 else {}
        if self.random.random() < 0.9:  # half a feed is refused
            feed = made["cluster"]
            if ("stored_sample_bytes" in feed) != ("storage_bytes_per_s" in feed):
                feed.pop("stored_sample_bytes", None)
                feed.pop("storage_bytes_per_s", None)
            if "preprocessing_s" not in feed:
                feed.pop("loader_workers", None)
        if self.random.random() < 0.1:
            made["cluster"] = [made["cluster"] | {"gpu": self.value({"key": "gpu"}), "gpus": 8}
                               for _ in range(2)]
        return made


def evaluated(requests, *options):
    text = "".join(json.dumps(one) + "\n" for one in requests)
    return [program.read_json(line) for line in run("evaluate", *options, stdin=text).stdout.splitlines()]


def without_line(answer):
    return {key: value for key, value in answer.items() if key != "line"}


class Inputs(program.ProgramTest):
    def check_same(self, first):
        again = evaluated([answer["inputs"] for answer in first])
        self.assertEqual(len(first), len(again))
        for before, after in zip(first, again):
            self.assertEqual(without_line(before), without_line(after), json.dumps(before["inputs"]))

    def test_of_random_requests(self):
        chance = Chance(SEED)
        left, answered, costed, asked = LINES, 0, 0, {}
        while left > 0:
            some = [chance.request() for _ in range(min(left, 10000))]
            left -= len(some)
            pairs = [(one, answer) for one, answer in zip(some, evaluated(some))
                     if "error" not in answer]
            self.check_same([answer for _, answer in pairs])
            answered += len(pairs)
            costed += sum(answer["step_time_s"] is not None for _, answer in pairs)
            for one, _ in pairs:
                for part, rows in FIELDS.items():
                    for row in rows:
                        name, _, inner = row["key"].partition(".")
                        if name in one[part] and (not inner or inner in one[part][name]):
                            asked[row["key"]] = asked.get(row["key"], 0) + 1
        # Chance must leave enough of them, and try each field.
        self.assertGreater(answered, LINES / 4)
        self.assertGreater(costed, LINES / 20)
        for rows in FIELDS.values():
            for row in rows:
                self.assertGreater(asked.get(row["key"], 0), 0, row["key"])

    def test_of_every_framework_and_precision(self):
        names = {row["key"]: set(row["names"].values()) for row in FIELDS["recipe"]}
        first = evaluated([{"model": "llama-3.2-1b", "parallelism": {"data": 16},
                            "recipe": {"framework": framework, "precision": precision,
                                       "zero": 2 if framework == "fsdp2" else 1,
                                       "weights": weights}}
                           for framework in sorted(names["framework"])
                           for precision in sorted(names["precision"] - {"mixed_nvfp4"})
                           for weights in sorted(names["weights"])])
        self.assertTrue(all(answer.get("step_time_s") for answer in first))
        self.check_same(first)

    def test_of_fit(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as own:
            json.dump(ENCODED, own)
            own.flush()
            for model in ("llama-3.2-1b", own.name, CONFIGS[0]):
                for typed in ((), ("--framework", "megatron_deepspeed", "--precision", "fp16"),
                              ("--framework", "fsdp", "--precision", "pure_bf16", "--weights", "fp32"),
                              ("--memory", "79.64GiB", "--reduce-dtype",
                               "bf16", "--update-temporary", "0.375B"),
                              ("--fabric", "400Gb/s", "--latency", "3.3us", "--tensor", "2")):
                    fit = self.answer("fit", model, "--gpu", "H100", "--data", "16", *typed)
                    [answer] = evaluated([fit["inputs"]])
                    for key, value in without_line(answer).items():
                        self.assertEqual(fit[key], value, (model, typed, key))

    def test_of_plan(self):
        for typed in (("--framework", "megatron_deepspeed", "--precision", "fp16"),
                      ("--framework", "fsdp", "--weights", "fp32", "--precision", "bf16")):
            plan = self.answer("plan", "llama-3.2-1b", "--gpu", "A100-80GB", "--gpus", "16", *typed)
            inputs = plan["inputs"]
            of_plan = {"model": inputs["model"], "cluster": inputs["cluster"],
                       "workspace": inputs["workspace"], "recipe": plan["recipe"],
                       "parallelism": plan["parallelism"]}
            [answer] = evaluated([of_plan])
            for key in set(answer) - {"line", "inputs", "calibration"}:
                self.assertEqual(plan[key], answer[key], key)
            # And asked by its inputs' recipe, plan searches and finds the same.
            options = {row["key"]: row["option"].split(",")[0] for row in FIELDS["recipe"]}
            recipe = {}
            for key, value in inputs["recipe"].items():
                recipe |= ({f"{key}.{inner}": one for inner, one in value.items()}
                           if isinstance(value, dict) else {key: value})
            again = [text for key, value in recipe.items()
                     if not inputs["searched"].get(key) and value not in ([], 0, None)
                     and options[key] not in typed and key != "schedule"
                     for text in (options[key], {True: "on", False: "off"}.get(value, str(value))
                                  if isinstance(value, bool) else str(value))]
            try:
                repeated = self.answer("plan", "llama-3.2-1b", "--gpu", "A100-80GB", "--gpus", "16",
                                       *typed, *again)
            except AssertionError as refused:
                self.fail(f"{again}: {refused}")
            self.assertEqual(repeated["plans"], plan["plans"])


program.main()
