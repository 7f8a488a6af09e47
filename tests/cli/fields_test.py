"""Every field of a request: JSON and the command line set the same, and help and docs name it."""
import json
import pathlib
import tempfile

import program
from program import DONE, USAGE, run

FIELDS = program.read_json(run("evaluate", "--fields").stdout)
PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text()
ROWS = [(part, row) for part, rows in FIELDS.items() for row in rows]

# Models and layouts among which each field has an effect somewhere.
ENCODED = {"layers": 32, "encoder_layers": 32, "hidden_size": 64, "attention_heads": 4,
           "ffn_size": 256, "vocabulary_size": 1000}
CUT = {"data": 4, "tensor": 2, "pipeline": 4, "interleave": 2}
BASES = [{"model": "llama-3-8b", "parallelism": CUT,
          "recipe": {"recompute": "full", "adapter_rank": 8, "global_batch_size": 64}},
         {"model": "mixtral-8x7b", "parallelism": CUT | {"interleave": 1},
          "recipe": {"global_batch_size": 64, "sequence_parallel": True}},
         {"model": "deepseek-v3", "parallelism": {"data": 8},
          "recipe": {"global_batch_size": 64, "precision": "fp8"}},
         {"model": ENCODED, "parallelism": {"data": 8}, "recipe": {"global_batch_size": 64}},
         {"model": "gpt2", "parallelism": {"data": 8},
          "recipe": {"global_batch_size": 64, "offload": "optimizer", "zero": 1}},
         {"model": "llama-3-8b", "parallelism": {"data": 8},
          "recipe": {"global_batch_size": 64, "adapter_rank": 8, "base_weights": "int4"}},
         {"model": "gpt2", "parallelism": {"data": 8}, "recipe": {"global_batch_size": 64},
          "cluster": {"stored_sample_bytes": 1000, "storage_bytes_per_s": 1e9,
                      "preprocessing_s": 0.001}}]
ENCODED_FILE = tempfile.NamedTemporaryFile("w", suffix=".json")
json.dump(ENCODED, ENCODED_FILE)
ENCODED_FILE.flush()


def samples(row):
    """Values in JSON, each with how an option writes it."""
    if row["key"] == "gpu":
        return [("A100-SXM4-80GB", "a100 80gb")]
    if row["key"] == "fabric":
        return [("InfiniBand HDR 4x", "infiniband-hdr-4x")]
    if row["kind"] == "array of names":
        return [([name], name) for name in row["names"]]
    if row["names"]:
        return [(name, name) for name in row["names"] if name != "interleaved"]
    if row["kind"].startswith("flag"):
        return [(True, "on"), (False, "off")]
    if row["kind"] == "array of integers":
        return [([9, 8, 8, 7], "9,8,8,7")]
    if row["kind"] == "number" and row["key"] == "expert_capacity_factor":
        return [(1.5, "1.5"), (0.75, "0.75")]
    if row["key"] == "power_limit_w":
        return [(300, "300W")]
    if row["unit"] == "B":
        return [(64 * 2**30, "64GiB"), (3_000_000, "3MB")]
    if row["unit"] == "B/s":
        return [(50_000_000_000, "50GB/s")]
    if row["unit"] == "s":
        return [(0.002, "2ms")]
    if row["kind"] == "number":
        value = min(row["most"], row["least"] + 0.5)
        return [(value, str(value))]
    return [(value, str(value)) for value in (2, 8, 64)]


def as_options(request, tried):
    """A request as the options of fit, but for the field that is tried."""
    options = {row["key"]: row["option"].split(",")[0] for _, row in ROWS}
    units = {row["key"]: row["unit"] or "" for _, row in ROWS}
    model = request["model"]
    typed = ["fit", model if isinstance(model, str) else ENCODED_FILE.name, "--json"]
    cluster = {"gpu": "H100"} | request.get("cluster", {})
    for part in (cluster, request.get("recipe", {}), request.get("parallelism", {})):
        for key, value in part.items():
            text = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
            text += units[key] if isinstance(value, (int, float)) else ""
            if key != tried:
                typed += [options[key], text]
    return typed


def with_field(base, part, key, value):
    name, _, inner = key.partition(".")  # "overlap.data" is data within overlap
    placed = {name: {inner: value}} if inner else {name: value}
    return base | {part: base.get(part, {}) | placed}


class Fields(program.ProgramTest):
    def evaluated(self, request):
        answer = program.read_json(run("evaluate", stdin=json.dumps(request)).stdout)
        return answer.get("inputs"), answer.get("error")

    def test_an_option_sets_what_json_sets(self):
        for part, row in ROWS:
            compared = 0
            for value, typed in samples(row):
                for base in BASES:
                    inputs, error = self.evaluated(with_field(base, part, row["key"], value))
                    if error is not None:  # without effect, or out of range, in this job
                        continue
                    for option in row["option"].split(","):
                        done = run(*as_options(base, row["key"]), option, typed)
                        if row["idle"] and not row["idle_is_refused"] and done.returncode == USAGE:
                            # fit searches nothing that may give the option an effect
                            self.assertEqual(done.stderr, f"gpuplan: {row['option'].split(',')[0]} "
                                                          f"has no effect: {row['idle']}\n")
                            continue
                        self.assertNotEqual(done.stdout, "", (row["key"], typed, done.stderr))
                        self.assertEqual(program.read_json(done.stdout)["inputs"][part],
                                         inputs[part], (row["key"], option, typed))
                        compared += 1
            self.assertGreater(compared, 0, row["key"])

    def test_what_is_answered_is_read_back_to_the_same(self):
        for part, row in ROWS:
            for value, _ in samples(row):
                for base in BASES:
                    inputs, error = self.evaluated(with_field(base, part, row["key"], value))
                    if error is None:
                        self.assertEqual(self.evaluated(inputs)[0], inputs, row["key"])

    def test_help_names_every_field(self):
        of_requests = run("evaluate", "--help").stdout
        helps = {name: run(name, "--help").stdout for name in ("plan", "fit", "scale")}
        for part, row in ROWS:
            self.assertRegex(of_requests, rf"(?m)^  {row['key']} ")
            printed = set(row["names"].values())
            for name in printed:
                self.assertIn(name, of_requests)
            for subcommand, text in helps.items():
                if subcommand == "scale" and row["key"] == "global_batch_size":
                    continue  # --fixed-batch or --batch-per-gpu
                self.assertIn(row["option"] + " ", text, subcommand)
                for name in printed - {"by_precision"}:
                    self.assertIn(name, text, subcommand)


class Docs(program.ProgramTest):
    """docs/json.md names every key; tools/json_page.py sees to its tables of requests."""

    def check_keys(self, answer, where, but=()):
        for key in answer:
            if key not in but:
                self.assertIn(f"`{key}`", PAGE, where)

    def test_it_names_each_field_option_and_name(self):
        for part, row in ROWS:
            for word in [row["key"], *row["option"].split(","), *row["names"]]:
                self.assertIn(f"`{word}`", PAGE, part)

    def test_it_names_each_key_of_answers(self):
        answer = program.read_json(run("evaluate", stdin=json.dumps(BASES[0])).stdout)
        self.check_keys(answer, "evaluate")
        for key in ("memory", "step_terms", "inputs"):
            self.check_keys(answer[key], key)
        self.check_keys(answer["memory"]["stages"][0], "stages")
        mixed = program.read_json(run("evaluate", stdin=json.dumps(
            {"model": "gpt2", "cluster": [{"gpu": "H100", "gpus": 1}, {"gpu": "A100-80GB", "gpus": 1}],
             "parallelism": {"data": 2}})).stdout)
        self.check_keys(mixed["mixed"], "mixed")
        for command in (("fit", "gpt2", "--gpu", "H100"), ("model", "gpt2"),
                        ("plan", "gpt2", "--gpu", "H100", "--gpus", "2", "--tokens", "1B"),
                        ("scale", "gpt2", "--gpu", "H100", "--gpus", "2"),
                        ("queue", "--arrivals", "4/h", "--service", "1h", "--gpus", "8")):
            answer = self.answer(*command)
            self.check_keys(answer, command[0])
            for rows in ("points", "regimes", "repairs"):
                for row in answer.get(rows) or []:
                    self.check_keys(row, rows)


program.main()
