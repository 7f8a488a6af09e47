"""benchmarks/measured/measure.py without a GPU: what it would train, and why it cannot."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

import program

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/measured"


def measure(*arguments):
    return subprocess.run([sys.executable, "-B", FOLDER / "measure.py", *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def has_gpu():
    if importlib.util.find_spec("torch") is None:
        return False
    import torch
    return torch.cuda.is_available()


class Measured(program.ProgramTest):
    def test_jobs_are_described_and_their_parameters_are_exact(self):
        listed = json.loads(measure("--dry-run", "--json").stdout)
        self.assertGreaterEqual(len(listed["rows"]), 24)
        self.assertGreaterEqual(len(listed["largest"]), 6)
        rows = listed["rows"] + listed["largest"]
        self.assertEqual(sum(row["fitted"] for row in listed["rows"]), 4)
        for words in ("precision", "optimizer", "recompute", "attention", "micro_batch_size",
                      "sequence_length", "model"):
            self.assertGreaterEqual(len({row[words] for row in listed["rows"]}), 2, words)
        self.assertEqual(len({row["name"] for row in listed["rows"]}), len(listed["rows"]))
        seen = {}
        for row in rows:
            if row["model"] in seen:
                self.assertEqual(row["parameters"], seen[row["model"]])
                continue
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(row["transformer"], file)
                file.flush()
                self.assertEqual(self.answer("model", file.name)["parameters"], row["parameters"],
                                 row["model"])
            seen[row["model"]] = row["parameters"]

    def test_models_are_those_of_the_catalogue(self):
        rows = {row["model"]: row["parameters"]
                for row in json.loads(measure("--dry-run", "--json").stdout)["rows"]}
        for ours, theirs in (("gpt2", "gpt2"), ("gpt2-xl", "gpt2-xl"), ("llama-8b", "llama-3-8b")):
            self.assertEqual(rows[ours], self.answer("model", theirs)["parameters"], ours)

    def test_list_for_people(self):
        done = measure("--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn("124,439,808 parameters", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_largest_batch_is_found_by_bisection(self):
        sys.path.insert(0, str(FOLDER))
        try:
            from measure import largest_batch
        finally:
            sys.path.pop(0)
        for most in (0, 1, 2, 3, 4, 7, 8, 37, 1000):
            tried = []

            def fits(batch, most=most, tried=tried):
                tried.append(batch)
                return batch <= most

            self.assertEqual(largest_batch(None, fits), most)
            self.assertEqual(len(tried), len(set(tried)), "each batch is tried once")

    def test_without_a_gpu_it_says_so_in_one_line(self):
        if has_gpu():
            self.skipTest("a GPU is at hand")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "table.json"
            for arguments in (("-o", file), ("--run", "gpt2_b8_s1024_mixed_bf16_adamw_none_flash")):
                done = measure(*arguments)
                self.assertEqual(done.returncode, 3)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertRegex(done.stderr, "PyTorch is not installed|finds no GPU")
            self.assertFalse(file.exists())
        self.assertEqual(measure().returncode, 2)


program.main()
