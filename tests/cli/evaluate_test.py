"""gpuplan evaluate, from outside: requests as the documentation has them, and as nobody should."""
import json
import subprocess
import threading

import program
from program import DONE, USAGE, run

OWN = {"layers": 2, "hidden_size": 64, "attention_heads": 4, "ffn_size": 256,
       "vocabulary_size": 1000}
FULL = {"model": "llama-3-8b",
        "cluster": {"gpu": "H100-SXM5-80GB", "gpus": 64, "gpus_per_node": 8,
                    "fabric": "InfiniBand NDR 4x"},
        "recipe": {"sequence_length": 4096, "global_batch_size": 512, "precision": "mixed_bf16",
                   "optimizer": "adamw", "gradient_dtype": "bf16", "zero": 1,
                   "recompute": "selective", "sequence_parallel": True, "attention": "flash",
                   "dropout": False, "schedule": "1f1b", "layer_split": [9, 8, 8, 7]},
        "parallelism": {"data": 4, "tensor": 4, "pipeline": 4, "context": 1, "expert": 1,
                        "interleave": 1, "micro_batch_size": 1}}


def request(**parts):
    return {"model": "llama-3-8b"} | parts


def lines_of(requests):
    """One line each; text and bytes as they are."""
    lines = [one if isinstance(one, bytes) else
             (one if isinstance(one, str) else json.dumps(one)).encode() for one in requests]
    return b"".join(line + b"\n" for line in lines)


class EvaluateTest(program.ProgramTest):
    def evaluated(self, *requests, code=None):
        done = run("evaluate", stdin=lines_of(requests))
        answers = [program.read_json(line) for line in done.stdout.splitlines()]
        bad = any("error" in answer for answer in answers)
        self.assertEqual(done.returncode, (USAGE if bad else DONE) if code is None else code)
        self.assertEqual(done.stderr, "")
        return answers

    def answered(self, one):
        [answer] = self.evaluated(one, code=DONE)
        return answer

    def refusal(self, one):
        [answer] = self.evaluated(one, code=USAGE)
        self.assertEqual(list(answer), ["line", "error"])
        self.assertEqual(list(answer["error"]), program.ERROR)
        self.assertNotIn("\n", answer["error"]["what"])
        return answer["error"]["what"]


class Answers(EvaluateTest):
    def test_a_full_request(self):
        answer = self.answered(FULL)
        self.assertEqual(answer["schema_version"], 1)
        self.assertIs(answer["fits"], True)
        self.assertIsNone(answer["reason"])
        self.assertEqual(len(answer["memory"]["stages"]), 4)
        self.assertEqual(max(stage["total_bytes"] for stage in answer["memory"]["stages"]),
                         answer["memory"]["worst_stage_bytes"])
        self.assertAlmostEqual(sum(answer["step_terms"].values()) / answer["step_time_s"], 1)
        self.assertTrue(0 < answer["mfu"] < 1)
        self.assertIn(answer["binding"] + "_s", answer["step_terms"])
        for part in ("cluster", "recipe", "parallelism"):
            for field, value in FULL[part].items():
                self.assertEqual(answer["inputs"][part][field], value, field)

    def test_all_but_the_model_has_a_default(self):
        inputs = self.answered({"model": "gpt2"})["inputs"]
        self.assertEqual(inputs["cluster"]["gpus"], 1)
        self.assertEqual(inputs["recipe"]["global_batch_size"], 1)
        inputs = self.answered({"model": "gpt2", "parallelism": {
            "data": 3, "pipeline": 2, "micro_batch_size": 5}, "recipe": {}, "cluster": {}})["inputs"]
        self.assertEqual(inputs["cluster"]["gpus"], 6)
        self.assertEqual(inputs["recipe"]["global_batch_size"], 30)

    def test_defaults_are_what_the_gpu_and_the_model_have(self):
        for gpu, precision, fabric in (("H100", "mixed_bf16", "InfiniBand NDR 4x"),
                                       ("A100-80GB", "mixed_bf16", "InfiniBand HDR 4x"),
                                       ("V100-32GB", "mixed_fp16", "InfiniBand EDR 4x")):
            answer = self.answered({"model": "gpt2", "cluster": {"gpu": gpu}})
            self.assertEqual(answer["inputs"]["recipe"]["precision"], precision)
            self.assertEqual(answer["inputs"]["cluster"]["fabric"], fabric)
            self.assertIs(answer["fits"], True)
            self.assertEqual(answer["inputs"]["recipe"]["sequence_length"], 1024)
        answer = self.answered({"model": "llama-3-8b"})
        self.assertEqual(answer["inputs"]["recipe"]["sequence_length"], 2048)

    def test_the_echo_is_a_request_with_the_same_answer(self):
        configs = [json.loads(path.read_text()) for path in sorted(program.CONFIGS.glob("*.json"))]
        first = self.evaluated(FULL, {"model": OWN}, *({"model": one} for one in configs))
        self.assertEqual(first, self.evaluated(*(answer["inputs"] for answer in first)))

    def test_a_model_by_name_by_config_and_by_fields(self):
        fields = self.answer("model", "llama-3-8b")["inputs"]["transformer"]
        answers = self.evaluated(*(FULL | {"model": model} for model in (
            "Llama 3 8B", program.config("llama-3-8b"), fields)))
        for answer in answers:
            del answer["inputs"], answer["line"]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def test_fit_and_evaluate_agree(self):
        fit = self.answer("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--zero", "1",
                          "--batch", "64", "--sequence", "4096", "--recompute", "full")
        answer = self.answered(request(
            parallelism={"data": 8},
            recipe={"zero": 1, "global_batch_size": 64, "sequence_length": 4096,
                    "recompute": "full"}))
        for key in ("fits", "mfu", "step_time_s", "memory", "binding"):
            self.assertEqual(fit[key], answer[key], key)

    def test_aliases_say_what_they_mean(self):
        for typed, meant, gradient in (
                ("bf16", "mixed_bf16", "fp32"), ("fp16", "mixed_fp16", "fp16"),
                ("fp8", "mixed_fp8", "fp32"), ("fp32", "fp32", "fp32"), ("tf32", "tf32", "fp32"),
                ("pure_bf16", "pure_bf16", "bf16"), ("BF16", "mixed_bf16", "fp32")):
            recipe = self.answered(request(recipe={"precision": typed}))["inputs"]["recipe"]
            self.assertEqual((recipe["precision"], recipe["gradient_dtype"]), (meant, gradient))
        for field, typed, meant in (
                ("zero", 3, 3), ("zero", "fsdp", 3), ("zero", "optimizer", 1),
                ("schedule", "gpipe", "gpipe"),
                ("schedule", "zb-h1", "zb_h1"), ("recompute", "full", "full"),
                ("attention", "unfused", "unfused"), ("optimizer", "adam8bit", "adam_8bit"),
                ("dropout", 0.1, True), ("dropout", 0, False), ("dropout", True, True)):
            recipe = self.answered(request(recipe={field: typed}))["inputs"]["recipe"]
            self.assertEqual(recipe[field], meant, field)

    def test_what_few_recipes_ask_for(self):
        cut = {"data": 8}
        plain = self.answered(request(parallelism=cut, recipe={"zero": 3}))
        worst = lambda answer: answer["memory"]["worst_stage_bytes"]

        def asked(recipe, **more):
            return self.answered(request(parallelism=cut, recipe={"zero": 3} | recipe, **more))

        for recipe in ({"offload": "optimizer"}, {"offload": "parameters"},
                       {"offloaded_activations": 0.5}):
            answer = asked(recipe)
            self.assertLess(worst(answer), worst(plain), recipe)
            self.assertGreater(answer["step_terms"]["offload_s"], 0, recipe)
        self.assertEqual(plain["step_terms"]["offload_s"], 0)
        self.assertEqual(asked({"offload": "parameters"})["inputs"]["recipe"]["offload"], "all")
        adapted = asked({"adapter_rank": 16, "adapter_place": "all-linear"})
        self.assertLess(worst(adapted), worst(plain))
        self.assertLess(adapted["step_time_s"], plain["step_time_s"])
        self.assertEqual(adapted["inputs"]["recipe"]["adapter_place"], "attention_and_ffn")
        slow = asked({}, cluster={"gpu": "H100", "slowest": 1.2})
        self.assertGreater(slow["step_time_s"], plain["step_time_s"])

    def test_sequences_shared_by_heads(self):
        for ranks, reason in ((8, None), (16, "context_heads")):
            answer = self.answered(request(
                parallelism={"context": ranks, "context_exchange": "ulysses"},
                recipe={"sequence_length": 8192, "recompute": "full"}))
            self.assertEqual(answer["inputs"]["parallelism"]["context_exchange"], "all_to_all")
            refused = answer["rejected"] and answer["rejected"]["reason"]
            self.assertEqual(refused if refused != "memory" else None, reason)

    def test_data_outside_the_pipeline(self):
        layout = {"data": 4, "tensor": 2, "pipeline": 4}
        usual = self.answered(request(parallelism=layout))
        turned = self.answered(request(parallelism=layout | {"group_order": "tp-cp-ep-pp-dp"}))
        self.assertEqual(usual["inputs"]["parallelism"]["group_order"], "data_then_pipeline")
        self.assertEqual(turned["inputs"]["parallelism"]["group_order"], "pipeline_then_data")
        terms = [answer["step_terms"] for answer in (usual, turned)]
        self.assertGreater(terms[0]["pipeline_s"], terms[1]["pipeline_s"])
        self.assertLess(terms[0]["data_s"], terms[1]["data_s"])

    def test_a_pool_of_two_kinds_waits_for_the_slower(self):
        layout = {"data": 32}
        recipe = {"zero": 3, "global_batch_size": 64, "sequence_length": 4096}
        kinds = [{"gpu": "H100-SXM5-80GB", "gpus": 24}, {"gpu": "A100-SXM4-80GB", "gpus": 8}]
        both = self.answered(request(cluster=kinds, parallelism=layout, recipe=recipe))
        slow = self.answered(request(cluster={"gpu": "A100-SXM4-80GB"}, parallelism=layout,
                                     recipe=recipe))
        self.assertEqual(both["step_time_s"], slow["step_time_s"])
        self.assertEqual((both["mixed"]["part"], both["mixed"]["gpu"]), (1, "A100-SXM4-80GB"))
        self.assertNotIn("mixed", slow)
        mean = both["mixed"]["mean_step_time_s"]
        self.assertAlmostEqual(both["mixed"]["idle_share"], 1 - mean / both["step_time_s"])
        self.assertLess(both["mixed"]["proportional_step_time_s"], both["step_time_s"])
        echo = both["inputs"]
        self.assertEqual([one["gpus"] for one in echo["cluster"]], [24, 8])
        self.assertEqual(self.answered(echo)["mixed"], both["mixed"])

        small = kinds[:1] + [kinds[1] | {"gpu_memory_bytes": 8e9}]
        none = self.answered(request(cluster=small, parallelism=layout, recipe=recipe))
        self.assertEqual((none["fits"], none["mixed"]["part"]), (False, 1))
        self.assertIsNone(none["mixed"]["mean_step_time_s"])
        # What no kind lacks: V100s multiply no BF16.
        with_v100 = request(cluster=[{"gpu": "H100", "gpus": 8}, {"gpu": "V100-32GB", "gpus": 8}],
                            parallelism={"data": 16}, recipe={"zero": 3})
        self.assertEqual(self.answered(with_v100)["inputs"]["recipe"]["precision"], "mixed_fp16")
        for wrong in ([], [{"gpu": "H100"}], [7], kinds * 9):
            self.assertIn("cluster", self.refusal(request(cluster=wrong)))

    def test_what_has_no_effect_is_refused(self):
        moe = {"model": "mixtral-8x7b-v0.1"}
        for recipe, dense in (({"expert_imbalance": 2}, moe), ({"dispatcher": "deepep"}, moe),
                              ({"expert_capacity_factor": 1.5}, moe),
                              ({"recompute_every": 4}, {"recipe": {"recompute": "full"}}),
                              ({"adapter_place": "all_linear"}, {"recipe": {"adapter_rank": 8}}),
                              ({"encoder_sequence_length": 512}, {"model": OWN | {"encoder_layers": 2}}),
                              ({"interleave_group": 8},
                               {"parallelism": {"pipeline": 4, "interleave": 2}})):
            self.assertIn("has no effect", self.refusal(request(recipe=recipe)))
            with_effect = request(**dense)
            with_effect["recipe"] = with_effect.get("recipe", {}) | recipe
            self.answered(with_effect)

    def test_interleaved_is_1f1b_with_chunks(self):
        chunked = {"pipeline": 4, "interleave": 2}
        recipe = self.answered(request(recipe={"schedule": "interleaved"},
                                       parallelism=chunked))["inputs"]["recipe"]
        self.assertEqual(recipe["schedule"], "1f1b")
        [answer] = self.evaluated(request(recipe={"schedule": "interleaved"}))
        self.assertIn("interleave", answer["error"]["what"])

    def test_bytes_are_whole(self):
        answer = self.answered(request(recipe={"zero": 1}, parallelism={"data": 7}))
        for stage in answer["memory"]["stages"]:
            for term, size in stage.items():
                if term.endswith("_bytes"):
                    self.assertIsInstance(size, int, term)

    def test_what_cannot_be_cut_so_is_an_answer_with_a_reason(self):
        for parallelism, reason in (({"tensor": 3}, "attention_heads"), ({"pipeline": 33}, "layers"), ({"expert": 8}, "experts"),
                                    ({"interleave": 2}, "interleave"),
                                    ({"pipeline": 10**9}, "layers")):
            answer = self.answered(request(parallelism=parallelism))
            self.assertEqual((answer["fits"], answer["reason"]), (False, reason))
            self.assertIsNone(answer["step_time_s"])
            memory = answer["memory"]
            for key in ("worst_stage", "worst_stage_bytes", "allocated_bytes", "reserved_bytes",
                        "device_bytes"):
                self.assertIsNone(memory[key], key)
            self.assertEqual(memory["stages"], [])
            self.assertEqual(memory["capacity_from"], "driver")
        answer = self.answered(request(parallelism={"data": 16}, cluster={"gpus": 8}))
        self.assertEqual(answer["reason"], "gpus")

    def test_what_does_not_fit_is_costed(self):
        answer = self.answered(request())
        self.assertEqual((answer["fits"], answer["reason"]), (False, "memory"))
        self.assertGreater(answer["step_time_s"], 0)
        self.assertEqual(answer["rejected"]["needed_bytes"], answer["memory"]["worst_stage_bytes"])

    def test_gpus_need_not_fill_nodes(self):
        answer = self.answered(request(cluster={"gpus": 13, "gpus_per_node": 8},
                                       parallelism={"data": 13}, recipe={"zero": 3}))
        self.assertEqual(answer["gpus_used"], 13)

    def test_a_fabric_by_its_rates(self):
        fast, slow = self.evaluated(*(request(
            cluster={"fabric": {"latency_s": 5e-6, "bandwidth_bytes_per_s": rate}},
            parallelism={"data": 16}) for rate in (50e9, 1e9)))
        self.assertLess(fast["step_time_s"], slow["step_time_s"])

    def test_the_workspace_may_be_given(self):
        answer = self.answered(request(workspace={"cuda_context_bytes": 7, "fragmentation": 0}))
        stage = answer["memory"]["stages"][0]
        self.assertEqual((stage["cuda_context_bytes"], stage["fragmentation_bytes"]), (7, 0))


class BadLines(EvaluateTest):
    def test_one_bad_line_does_not_stop_the_rest(self):
        answers = self.evaluated(request(), "nonsense", request(), {"model": "no such"}, request())
        self.assertEqual([answer["line"] for answer in answers], [1, 2, 3, 4, 5])
        self.assertEqual(["error" in answer for answer in answers],
                         [False, True, False, True, False])

    def test_an_error_says_where_and_what_may_be_meant(self):
        answers = self.evaluated(request(cluster={"gpu": "H1000"}), request(recipe={"zeroo": 1}),
                                 request(recipe={"zero": 7}), {"recipe": {}}, "nonsense")
        errors = [answer["error"] for answer in answers]
        self.assertEqual([(one["where"], one["did_you_mean"]) for one in errors],
                         [("cluster.gpu", ["H100"]), ("recipe.zeroo", ["zero"]),
                          ("recipe.zero", None), ("model", None), ("request", None)])
        self.assertEqual(errors[2]["allowed"], "0 to 3")
        self.assertEqual({one["exit_code"] for one in errors}, {USAGE})

    def test_blank_lines_are_counted_and_not_answered(self):
        answers = self.evaluated("", "  \t", request(), "\r", request())
        self.assertEqual([answer["line"] for answer in answers], [3, 5])
        self.assertEqual(self.evaluated(), [])

    def test_the_last_line_may_lack_its_end(self):
        done = run("evaluate", stdin=json.dumps(request()))
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (DONE, 1))
        done = run("evaluate", stdin=json.dumps(request()) + "\r\n")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (DONE, 1))

    def test_what_is_not_json(self):
        for line in (b"\x00", b"{", b"[1,", b"NaN", b'{"model":NaN}', b'{"model":-Infinity}',
                     b"\xff\xfe", b'{"model":"\xff"}', b'{"model":"\\ud800"}', b'{"model":"a\x00b"}',
                     b'{"model":1e999}', b'{"model":"gpt2"} x', b'{"model":"gpt2"}{}', b"'a'",
                     b'{"model":"gpt2","model":"gpt2"}', b"\xef\xbb\xbf\xef\xbb\xbf{}",
                     b"[" * 100000, b'{"model":' * 100000, b'{"model":' + b"[" * 100000 + b"]" * 100000
                     + b"}"):
            self.assertTrue(self.refusal(line), line[:40])

    def test_what_is_no_request(self):
        for line in ("null", "true", "1", '"x"', "[]", "[{}]"):
            self.assertIn("must be a JSON object", self.refusal(line))
        self.assertIn("model is missing", self.refusal({}))
        self.assertIn("model is missing", self.refusal({"model": None}))
        for model in (1, [], True, 1.5):
            self.assertIn("model", self.refusal({"model": model}))
        for part in ("cluster", "recipe", "parallelism"):
            self.assertIn(part, self.refusal(request(**{part: 1})))
            self.assertIn(part, self.refusal(request(**{part: []})))

    def test_unknown_names_are_refused_with_a_hint(self):
        for one, hint in ((request(recepie={}), "recipe"),
                          (request(recipe={"sequence_lenght": 1}), "sequence_length"),
                          (request(parallelism={"tensr": 1}), "tensor"),
                          (request(cluster={"gpu": "H100-SXM5-80G"}), "H100-SXM5-80GB"),
                          (request(cluster={"fabric": "InfiniBand NDX 4x"}), "InfiniBand NDR 4x"),
                          (request(recipe={"optimizer": "adamv"}), "adamw"),
                          (request(recipe={"recompute": "ful"}), "full"),
                          ({"model": "lama-3-8b"}, "llama-3-8b"),
                          ({"model": OWN | {"hiden_size": 3}}, "hidden_size")):
            error = self.refusal(one)
            self.assertIn("did you mean", error)
            self.assertIn(hint, error)

    def test_texts_with_units_are_read_as_by_other_questions(self):
        cluster = {"gpu": "H100", "gpus": 16.0, "gpu_memory_bytes": "80GiB", "fabric": "400Gb/s"}
        exact = cluster | {"gpus": 16, "gpu_memory_bytes": 80 * 2**30, "fabric": {
            "latency_s": 5e-6, "bandwidth_bytes_per_s": 5e10}}
        texts, numbers = (self.answered(request(cluster=one, parallelism={"data": 16}))
                          for one in (cluster, exact))
        self.assertEqual(texts["memory"], numbers["memory"])
        self.assertAlmostEqual(texts["step_time_s"] / numbers["step_time_s"], 1, places=12)

    def test_a_key_is_quoted_as_it_was_typed(self):
        self.assertIn("MODEL is not a known field; did you mean model?",
                      self.refusal({"MODEL": "llama-3-8b"}))

    def test_numbers_out_of_range(self):
        for field, part in (("sequence_length", "recipe"), ("global_batch_size", "recipe"),
                            ("tensor", "parallelism"), ("data", "parallelism"),
                            ("pipeline", "parallelism"), ("micro_batch_size", "parallelism"),
                            ("gpus", "cluster"), ("gpus_per_node", "cluster")):
            for value in ("0", "-1", "-0.0", "1.5", "1e308", "-1e308", "2147483648", "1e30",
                          "9223372036854775808", "18446744073709551616", '"8"', "true", "[]"):
                line = '{"model":"gpt2","%s":{"%s":%s}}' % (part, field, value)
                self.assertIn(field, self.refusal(line), line)
        for one in (request(recipe={"zero": 4}), request(recipe={"zero": -1}),
                    request(recipe={"layer_split": [1, -1]}), request(recipe={"layer_split": "a"}),
                    request(recipe={"layer_split": [0] * 1000}), request(recipe={"dropout": 1.5}),
                    request(recipe={"sequence_parallel": 1}), request(cluster={"gpus": 2147483647}),
                    request(cluster={"fabric": {"latency_s": 1e308, "bandwidth_bytes_per_s": 1}}),
                    request(cluster={"fabric": {"latency_s": -1, "bandwidth_bytes_per_s": 1e9}}),
                    request(cluster={"fabric": {"latency_s": 0, "bandwidth_bytes_per_s": 0}}),
                    request(cluster={"fabric": {"latency_s": 0}}),
                    request(cluster={"fabric": "NVSwitch"}),
                    request(parallelism={"data": 10**9, "tensor": 10**9, "pipeline": 10**9}),
                    request(workspace={"fragmentation": -1})):
            self.refusal(one)

    def test_the_inputs_of_an_answer_are_a_request(self):
        config = str(program.CONFIGS / "llama-3-8b.json")
        for words in (("plan", "llama-3.2-1b", "--gpu", "H100", "--gpus", "8"),
                      ("plan", "mixtral-8x7b-v0.1", "--gpu", "H100", "--gpus", "64", "--zero", "1",
                       "--deadline", "90d"),
                      ("plan", config, "--gpu", "A100-80GB", "--gpus", "16", "--task", "lora"),
                      ("fit", "llama-3-8b", "--gpu", "H100", "--data", "8", "--zero", "3")):
            done = run(*words, "--json")
            answer = json.loads(done.stdout)
            done = run("evaluate", stdin=json.dumps(answer["inputs"]) + "\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            for key in ("recipe", "parallelism"):
                self.assertEqual(answer["inputs"][key], answer.get(key, answer["inputs"][key]))
            told = json.loads(done.stdout)
            self.assertEqual(told["gpus_used"], answer["gpus_used"], words)
            self.assertEqual(told["step_time_s"], answer["step_time_s"], words)
            self.assertEqual(told["memory"], answer["memory"], words)

    def test_the_largest_numbers_that_are_allowed(self):
        huge = 10**9
        model = dict.fromkeys(OWN, huge)
        self.evaluated({"model": model,
                        "recipe": {"sequence_length": huge, "global_batch_size": huge},
                        "parallelism": {"micro_batch_size": huge}},
                       {"model": model, "parallelism": {"data": huge}},
                       {"model": model, "parallelism": {"tensor": huge}},
                       {"model": model, "parallelism": {"context": huge // 2}},
                       {"model": OWN | {"layers": huge}, "parallelism": {"pipeline": 100}},
                       request(cluster={"gpus": huge, "gpus_per_node": huge}),
                       request(recipe={"layer_split": [65535] * 128}),
                       request(parallelism={"interleave": huge}),
                       request(parallelism={"expert": huge}), code=DONE)
        self.refusal({"model": OWN | {"layers": huge}, "parallelism": {"pipeline": huge}})

    def test_models_that_are_none(self):
        for model in ({}, {"layers": 2}, {"model_type": "x"}, {"model_type": 5}, OWN | {"layers": 0},
                      OWN | {"attention_heads": 5}, OWN | {"layers": "2"}, OWN | {"moe": {"experts": 8}},
                      OWN | {"norm": "none"}, {"text_config": 1}, program.config("gpt2") | {"n_head": 7},
                      program.config("llama-3-8b") | {"hidden_size": None}):
            self.assertIn("model", self.refusal({"model": model}))

    def test_long_lines(self):
        answers = self.evaluated('{"model":"gpt2"' + " " * 10_000_000 + "}",
                                 '{"model":"' + "a" * 10_000_000 + '"}',
                                 '{"model":"' + "a" * 40_000_000 + '"}', request())
        self.assertEqual(["error" in answer for answer in answers], [True, True, True, False])
        self.assertIn("8 KiB", answers[0]["error"]["what"])
        self.assertIn("8 KiB", answers[1]["error"]["what"])
        self.assertIn("16 MiB", answers[2]["error"]["what"])
        self.assertLess(len(json.dumps(answers[1])), 500)
        self.assertEqual(answers[3]["line"], 4)


class Stream(EvaluateTest):
    def test_each_line_is_answered_as_it_comes(self):
        process = subprocess.Popen([program.PROGRAM, "evaluate"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        guard = threading.Timer(60, process.kill)
        guard.start()
        for line in range(1, 4):
            process.stdin.write(lines_of([request()]))
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["line"], line)
        process.stdin.close()
        self.assertEqual(process.wait(), DONE)
        process.stdout.close()
        guard.cancel()

    def test_many_lines(self):
        count = 5000
        done = run("evaluate", stdin=lines_of([request()] * count))
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(len(done.stdout.splitlines()), count)


program.main()
