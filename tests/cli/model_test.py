"""gpuplan model, from outside."""
import csv
import io
import json
import pathlib
import re
import tempfile

import program
from program import DONE, USAGE, read_json, run


class Model(program.ProgramTest):
    def test_a_refused_config_is_refused_in_one_line(self):
        config = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                  "intermediate_size": 128, "num_attention_heads": 4, "vocab_size": 1000,
                  "quantization_config": {"quant_method": "fp8"}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(config, file)
            file.flush()
            self.refused("plan", file.name, "--gpu", "H100", "--gpus", 8, "--task", "dpo",
                         "--batch", 3, saying="2 or 4, not 3")
            done = run("fit", file.name, "--gpu", "H100")
            self.assertEqual(done.stderr.count("quantization_config (fp8)"), 1)

    def test_a_sequence_has_no_more_tokens_than_learned_positions(self):
        self.refused("model", "gpt2", "--sequence", "1025",
                     saying="--sequence must be at most 1024, the positions that the model has learned")
        self.answer("model", "gpt2", "--sequence", "1024")
        self.answer("model", "llama-3-8b", "--sequence", "131072")

    def test_csv_has_a_row_for_each_component(self):
        for name in ("llama-3-8b", "mixtral-8x7b-v0.1"):
            rows = list(csv.DictReader(io.StringIO(run("model", name, "--csv").stdout)))
            answer = self.answer("model", name)
            self.assertEqual({row["component"]: float(row["parameters"]) for row in rows},
                             answer["components"] | {"total": answer["parameters"]})
            self.assertAlmostEqual(sum(float(row["share"]) for row in rows), 2)
        self.refused("model", "llama-3-8b", "--csv", "--json", saying="--csv")
        self.refused("model", "resnet-50", "--csv", saying="--csv")

    def test_convolutional_networks_come_by_the_same_door(self):
        # He et al. 2016, table 1; Simonyan and Zisserman 2015, configuration D.
        for name, parameters, billions in (("resnet-50", 25_557_032, 4.1), ("ResNet-101", 44_549_160, 7.8),
                                           ("resnet-152", 60_192_808, 11.5), ("vgg-16", 138_357_544, 15.5)):
            with self.subTest(name=name):
                answer = read_json(run("model", name, "--json").stdout)
                self.assertEqual(answer["parameters"], parameters)
                self.assertAlmostEqual(answer["multiply_adds_of_image"] / 1e9, billions, delta=0.1)
                self.assertEqual(answer["training_flop_of_image"],
                                 6 * answer["multiply_adds_of_image"])
                self.assertEqual(answer["inputs"]["model"], name.lower())
        self.assertIn("25,557,032 parameters", run("model", "resnet-50").stdout)
        done = run("model", "resnet-50", "--sequence", "128")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (USAGE, 1))

    def test_a_repository_named_beside_a_model_is_found(self):
        rows = []
        for header in sorted((program.DATA.parent.parent / "include/gpuplan/model").glob("catalog*.hpp")):
            rows += re.findall(r"/// ([\w.-]+/[\w.-]+?)(?:, its language model)?: ([\d ]+)\.$",
                               header.read_text(), re.MULTILINE)
        self.assertGreater(len(rows), 100)
        for name, count in rows:
            with self.subTest(name=name):
                done = run("model", name, "--json")
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.assertEqual(read_json(done.stdout)["parameters"], int(count.replace(" ", "")))

    def test_names_as_people_paste_them(self):
        known = read_json(run("model", "llama-3-8b", "--json").stdout)["parameters"]
        for name in ("meta-llama/Meta-Llama-3-8B", "meta-llama/Llama-3.1-8B-Instruct",
                     "Llama-3.1-8B"):
            with self.subTest(name=name):
                done = run("model", name, "--json")
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.assertEqual(read_json(done.stdout)["parameters"], known)
        done = run("model", "nobody/llama-9-8b")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (USAGE, 1))

    def test_a_folder_and_a_model_that_sees(self):
        text = {"model_type": "qwen3_vl_text", "hidden_size": 64, "num_hidden_layers": 2,
                "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 256,
                "vocab_size": 100}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text(json.dumps({"model_type": "qwen3_vl", "text_config": text,
                                        "vision_config": {"depth": 2}}))
            done = run("model", folder, "--json")
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertIn("vision_config is left out", done.stderr)
            path.write_text(json.dumps(text | {"rope_scale": float("inf")}))
            again = run("model", folder, "--json")
            self.assertEqual(again.returncode, DONE, again.stderr)
            self.assertEqual(read_json(done.stdout)["parameters"],
                             read_json(again.stdout)["parameters"])

    def test_layers_of_several_kinds_are_counted_and_not_planned_with(self):
        models = json.loads((program.DATA / "layered_counts.json").read_text())["models"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            for row in models:
                with self.subTest(name=row["name"]):
                    path.write_text(json.dumps(row["config"]))
                    learned = "max_position_embeddings" if row["config"].get(
                        "is_encoder_decoder") else "none"
                    longest = row["config"].get("max_target_positions",
                                                row["config"].get(learned, 100000))
                    done = run("model", str(path), "--json", "--sequence", longest)
                    self.assertEqual(done.returncode, DONE, done.stderr)
                    answer = read_json(done.stdout)
                    self.assertEqual(answer["parameters"], row["parameters"])
                    self.assertEqual(answer["active_parameters"], row["active"])
                    self.assertEqual(answer["multi_token_prediction_parameters"],
                                     row["multi_token_prediction"])
                    self.assertEqual(answer["state_bytes_per_sequence"], row["state_bytes"])
                    self.assertEqual(sum(answer["components"].values()), row["parameters"])
                    self.assertEqual(sum(kind["layers"] * kind["parameters"]["total"]
                                         for kind in answer["layer_kinds"]),
                                     sum(count for part, count in answer["components"].items()
                                         if part.startswith("layers_")))
            path.write_text(json.dumps(next(row["config"] for row in models
                                            if row["config"].get("model_type") == "whisper")))
            text = run("model", str(path)).stdout
            for words in ("parameters", "Kind of layer", "KV cache", "cross attention"):
                self.assertIn(words, text)
            path.write_text(json.dumps(next(row["config"] for row in models
                                            if row["config"].get("model_type") == "qwen3_next")))
            done = run("plan", str(path), "--gpu", "B200", "--gpus", "64", "--json")
            self.assertEqual(done.returncode, DONE, done.stderr)
            answer = read_json(done.stdout)
            self.assertEqual(answer["error_basis"]["step_time"]["grade"], "extrapolated")
            path.write_text(json.dumps(next(row["config"] for row in models
                                            if row["config"].get("model_type") == "whisper")))
            for command in ("plan", "fit", "scale"):
                done = run(command, str(path), "--gpu", "H100", "--gpus", "8")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (USAGE, 1), done.stderr)
                self.assertIn("whose memory and time are not modelled", done.stderr)
            path.write_text(json.dumps(next(row["config"] for row in models
                                            if row["name"].startswith("Kimi-K3"))))
            done = run("plan", str(path), "--gpu", "H100", "--gpus", "64")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (USAGE, 1), done.stderr)
            self.assertIn("has attention over earlier layers, whose memory and time", done.stderr)
            for name, asked in (("ModernBERT", ("8", "--batch", "64")),
                                ("Apertus", ("256",)), ("GLM-5.2", ("1024",)),
                                ("MiMo", ("512",)), ("Nemotron-3-Super", ("256",))):
                path.write_text(json.dumps(next(row["config"] for row in models
                                                if row["name"].startswith(name))))
                done = run("plan", str(path), "--gpu", "H200", "--gpus", *asked, "--json")
                self.assertEqual(done.returncode, DONE, done.stderr)
                basis = read_json(done.stdout)["error_basis"]
                self.assertEqual(basis["step_time"]["grade"], "extrapolated")
            path.write_text(json.dumps(next(row["config"] for row in models
                                            if row["config"].get("model_type") == "falcon_h1")))
            done = run("plan", str(path), "--gpu", "H100", "--gpus", "8", "--json")
            self.assertEqual(done.returncode, DONE, done.stderr)
            answer = read_json(done.stdout)
            self.assertEqual(answer["error_basis"]["step_time"]["grade"], "extrapolated")
            path.write_text(json.dumps(next(row["config"] for row in models
                                            if row["config"].get("model_type") == "whisper")))
            self.assertEqual(self.answer("model", str(path))["inputs"]["sequence_length"], 448)
            self.refused("model", str(path), "--sequence", "449", saying="must be at most 448, the")
            done = run("model", str(path), "--encoder-sequence", "8")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (USAGE, 1), done.stderr)

    def test_a_stored_format_is_named(self):
        config = json.loads((program.CONFIGS / "llama-3-8b.json").read_text())
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(config | {"quantization_config": {"quant_method": "fp8"}}, file)
            file.flush()
            done = run("model", file.name, "--json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("quantization_config (fp8)", done.stderr)
        self.assertEqual(read_json(done.stdout)["stored_weights"], "fp8")

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
