"""gpuplan evaluate on requests that chance has changed: each line gets its answer, whatever it is.

GPUPLAN_FUZZ_LINES is how many lines; GPUPLAN_FUZZ_SEED chooses others.
"""
import json
import os
import random
import unittest

import program
from program import DONE, USAGE, run

LINES = int(os.environ.get("GPUPLAN_FUZZ_LINES", "3000"))
SEED = int(os.environ.get("GPUPLAN_FUZZ_SEED", "1"))

VALUES = [0, 1, 2, 3, 7, 8, 16, 31, 64, 128, 1000, 4096, 65535, 65536, 10**9, 10**9 + 1, 2**31 - 1,
          2**31, 2**63, 2**64, -1, -0.0, 0.5, 1e-300, 1e18, 1e308, None, True, False, "", "x", "bf16",
          "0", "full", "NaN", [], [1], [16, 16], {}, {"a": 1}, "\u0000", "\U0001f600", "a" * 300]
FIELDS = {
    "cluster": ["gpu", "gpus", "gpus_per_node", "fabric", "gpu_memory_bytes"],
    "recipe": ["sequence_length", "global_batch_size", "precision", "optimizer", "gradient_dtype",
               "zero", "recompute", "recompute_every", "sequence_parallel", "attention", "dropout",
               "schedule", "layer_split", "encoder_sequence_length", "loss", "weights", "framework",
               "gradients_live", "interleave_group"],
    "parallelism": ["data", "tensor", "pipeline", "context", "expert", "interleave",
                    "micro_batch_size", "expert_tensor", "shard_group"],
    "workspace": ["cublas_bytes", "cuda_context_bytes", "communicator_bytes", "fragmentation"],
}
SENSIBLE = {"gpu": ["A100-80GB", "H100", "V100-32GB", "MI300X", "TPU-v5p", "RTX4090"],
            "fabric": ["NDR", "10gbe", {"latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9}],
            "precision": ["fp32", "tf32", "fp16", "bf16", "fp8", "pure_bf16"],
            "optimizer": ["sgd", "adam", "adamw", "adam_8bit", "adafactor", "lion", "muon"],
            "gradient_dtype": ["fp32", "bf16"], "recompute": ["none", "selective", "full"],
            "attention": ["flash", "unfused"],
            "schedule": ["gpipe", "1f1b", "zb_h1", "zb_h2", "zb_v", "dualpipe"],
            "zero": [0, 1, 2, 3], "sequence_parallel": [True, False], "dropout": [True, False],
            "framework": ["fsdp", "fsdp2", "megatron_2021", "megatron_deepspeed"],
            "loss": ["in_place", "eager", "chunked"], "weights": ["fp32"],
            "gradients_live": ["always", "backward"], "layer_split": [[8, 8], [16, 16], []],
            "data": [1, 2, 8], "tensor": [1, 2], "context": [1, 2], "interleave": [1],
            "expert": [1, 2], "shard_group": [0, 1], "gpus": [16, 64, 1024], "expert_tensor": [0, 1],
            "global_batch_size": [64, 256], "sequence_length": [1024, 4096],
            "cuda_context_bytes": [0, 10**9], "fragmentation": [0, 0.1]}


class Chance:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.own = [json.loads(run("model", name, "--json").stdout)["inputs"]["transformer"]
                    for name in ("deepseek-v3", "gpt-oss-20b", "bert-large-uncased", "gemma-2-2b")]
        self.models = [path.stem for path in sorted(program.CONFIGS.glob("*.json"))]

    def model(self):
        name = self.random.choice(self.models)
        kind = self.random.random()
        if kind < 0.3:
            return name
        fields = program.config(name)
        if kind < 0.5:
            return fields
        if kind < 0.75:
            return self.changed_own()
        for _ in range(self.random.randint(1, 3)):
            field = self.random.choice(list(fields))
            if self.random.random() < 0.3:
                del fields[field]
                if not fields:
                    return fields
            else:
                fields[field] = self.random.choice(VALUES)
        return fields

    def changed_own(self):
        """The library's own fields, some of them others that may be."""
        fields = json.loads(json.dumps(self.random.choice(self.own)))
        for _ in range(self.random.randint(1, 4)):
            inner = [fields[name] for name in ("moe", "latent") if isinstance(fields[name], dict)]
            part = self.random.choice([fields, fields, *filter(None, inner)])
            field = self.random.choice(list(part))
            if isinstance(part[field], bool):
                part[field] = self.random.random() < 0.5
            elif isinstance(part[field], int):
                part[field] = self.random.choice([0, 1, 2, 3, 8, 100, 10**5, 10**9])
            elif self.random.random() < 0.1:
                part[field] = self.random.choice(VALUES)
        return fields

    def request(self):
        """A request of which most fields make sense."""
        made = {"model": self.model()}
        strange = self.random.random() < 0.5
        for part, fields in FIELDS.items():
            made[part] = {}
            for field in fields:
                if self.random.random() < 0.25:
                    usual = SENSIBLE.get(field, [1, 2, 4, 8])
                    pool = VALUES if strange and self.random.random() < 0.2 else usual
                    made[part][field] = self.random.choice(pool)
        return made

    def line(self):
        text = json.dumps(self.request()).encode()
        if self.random.random() < 0.7:
            return text
        edited = bytearray(text)
        for _ in range(self.random.randint(1, 4)):
            at = self.random.randrange(len(edited))
            edit = self.random.randrange(4)
            if edit == 0:
                edited[at] = self.random.randrange(256)
            elif edit == 1:
                del edited[at:at + self.random.randint(1, 20)]
            elif edit == 2:
                edited[at:at] = edited[at:at + self.random.randint(1, 20)]
            else:
                edited[at:at] = self.random.choice([b"\x00", b"-", b"e999", b"[" * 80, b"\xc3", b'"'])
            if not edited:
                break
        return bytes(edited).replace(b"\n", b" ")


def finite_numbers(value):
    """Every number in an answer."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield value
        return
    for part in value:
        yield from finite_numbers(part)


class Fuzz(program.ProgramTest):
    def check(self, answer, line):
        if "error" in answer:
            self.assertEqual(list(answer), ["line", "error"], line)
            self.assertEqual(list(answer["error"]), program.ERROR, line)
            return False
        for number in finite_numbers({k: v for k, v in answer.items() if k != "inputs"}):
            self.assertTrue(abs(number) < float("inf"), line)
        if answer["step_time_s"] is not None:
            self.assertGreater(answer["step_time_s"], 0, line)
            self.assertTrue(0 <= answer["mfu"] <= 1, line)
            total = sum(answer["step_terms"].values())
            self.assertAlmostEqual(total / answer["step_time_s"], 1, msg=line)
            for stage in answer["memory"]["stages"]:
                for term, size in stage.items():
                    if term.endswith("_bytes"):
                        self.assertGreaterEqual(size, 0, (term, line))
        self.assertEqual(answer["fits"], answer["reason"] is None, line)
        return True

    def test_every_line_has_its_answer(self):
        chance = Chance(SEED)
        lines = [chance.line() for _ in range(LINES)]
        wanted = [number for number, line in enumerate(lines, 1) if line.strip(b" \t\r")]
        done = run("evaluate", stdin=b"\n".join(lines) + b"\n")
        self.assertIn(done.returncode, (DONE, USAGE), done.stderr[-2000:])
        self.assertEqual(done.stderr, "")
        answers = [program.read_json(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer["line"] for answer in answers], wanted)
        answered = sum(self.check(answer, lines[answer["line"] - 1]) for answer in answers)
        # Chance must leave enough of both.
        self.assertGreater(answered, LINES / 10)
        self.assertGreater(len(answers) - answered, LINES / 10)


program.main()
