"""gpuplan model, from outside."""
import json

import program
from program import DONE, run


class Model(program.ProgramTest):
    def test_parameters_are_exact_for_every_config(self):
        counts = json.loads((program.DATA / "vectors" / "param_counts.json").read_text())
        seen = 0
        for name, row in counts.items():
            path = program.CONFIGS / f"{name}.json"
            if path.exists():
                self.assertEqual(self.answer("model", path)["parameters"], row["count"], name)
                seen += 1
        self.assertGreaterEqual(seen, 27)

    def test_components_add_up(self):
        for name in ("llama-3-8b", "deepseek-v3", "gpt2", "mixtral-8x7b"):
            answer = self.answer("model", name)
            self.assertEqual(sum(answer["components"].values()), answer["parameters"], name)

    def test_a_catalogue_name_and_its_config_agree(self):
        by_name = self.answer("model", "Llama 3 8B")
        by_file = self.answer("model", program.CONFIGS / "llama-3-8b.json")
        for answer in (by_name, by_file):
            del answer["inputs"]["model"]
        self.assertEqual(by_name, by_file)

    def test_flop_by_convention(self):
        answer = self.answer("model", "llama-3-8b", "--sequence", "8192")
        flop = answer["training_flop_per_token"]
        self.assertEqual(flop["six_active_parameters"], 6 * answer["active_parameters"])
        # Counting masked scores doubles the attention core: 3 x 2 x s x h more for each layer.
        self.assertEqual(flop["causal_counted"] - flop["causal_skipped"], 6 * 8192 * 4096 * 32)
        layer = answer["layer"]["dense"]
        self.assertEqual(layer["backward_flop_per_token"],
                         2 * layer["forward_flop_per_token"]["total"])
        self.assertEqual(flop["causal_skipped"],
                         3 * (32 * layer["forward_flop_per_token"]["total"]
                              + answer["head_forward_flop_per_token"]))

    def test_cache_of_keys_and_values(self):
        answer = self.answer("model", "llama-3-8b", "--sequence", "1000")
        self.assertEqual(answer["kv_cache_bytes_per_token"], 32 * 2 * 8 * 128 * 2)
        self.assertEqual(answer["kv_cache_bytes_per_sequence"], 1000 * 32 * 2 * 8 * 128 * 2)

    def test_text_for_people(self):
        done = run("model", "deepseek-v3")
        self.assertEqual(done.returncode, DONE)
        for words in ("parameters", "active", "routed experts", "KV cache", "with experts",
                      "Megatron-LM"):
            self.assertIn(words, done.stdout)

    def test_fields_of_the_library_in_a_file(self):
        fields = self.answer("model", "qwen3-30b-a3b")["inputs"]["transformer"]
        import tempfile
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(fields, file)
            file.flush()
            again = self.answer("model", file.name)
        self.assertEqual(again["inputs"]["transformer"], fields)

    def test_assert(self):
        self.assertEqual(run("model", "gpt2", "--assert", "parameters == 124439808").returncode, 0)
        self.assertEqual(run("model", "gpt2", "--assert", "parameters > 1B").returncode, 3)


program.main()
