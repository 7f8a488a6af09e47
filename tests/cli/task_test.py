"""--task of gpuplan plan, fit and scale, from outside."""
import json

import program
from program import DONE, INFEASIBLE, USAGE, run

GPUS = ("--gpu", "A100-80GB", "--gpus", "8")
PLAN = ("plan", "llama-3-8b", *GPUS)
FIT = ("fit", "llama-3-8b", "--gpu", "A100-80GB", "--data", "8", "--zero", "3", "--recompute", "full")
TASKS = ("pretrain", "continue", "sft", "lora", "qlora", "dpo")
LLAMA = 8_030_261_248


class Task(program.ProgramTest):
    def test_without_a_task_nothing_is_said_of_one(self):
        answer = self.answer(*FIT)
        self.assertIsNone(answer["task"])
        self.assertEqual(answer["inputs"]["recipe"]["reference_model"], "none")
        self.assertEqual(answer["inputs"]["recipe"]["sequences_per_sample"], 1)
        self.assertEqual(answer["step_terms"]["reference_s"], 0)
        self.assertEqual(answer["memory"]["stages"][0]["reference_model_bytes"], 0)
        self.assertNotIn("task ", run(*FIT).stdout)

    def test_a_batch_of_half_a_pair_names_the_nearest(self):
        for asked in ((*PLAN, "--task", "dpo"), (*FIT, "--sequences-per-sample", "2")):
            self.refused(*asked, "--batch", "3", saying=("--batch", "2 or 4, not 3"))
        self.refused(*PLAN, "--task", "dpo", "--batch", "1", saying="sequences: 2, not 1")

    def test_a_reference_model_is_said_without_a_task(self):
        self.assertIn("A frozen reference model: a second copy",
                      run(*FIT, "--reference-model", "frozen", "--batch", 8).stdout)
        self.assertNotIn("reference model", run(*FIT, "--batch", 8).stdout)
        self.assertIn("precomputed", " ".join(run("fit", "--help").stdout.split("reference-model")[1]
                                              .split()[:30]))

    def test_pretraining_is_what_no_task_means(self):
        asked = (*PLAN, "--risk", "0.2")
        plain, named = self.answer(*asked), self.answer(*asked, "--task", "pretrain")
        self.assertEqual(named.pop("task"), {"name": "pretrain", "defaults": [],
                                             "description": "pre-training of every weight"})
        self.assertIsNone(plain.pop("task"))
        self.assertEqual(plain, named)

    def test_fine_tuning_takes_hours_not_months(self):
        plain = self.answer(*PLAN)
        answer = self.answer(*PLAN, "--task", "sft")
        self.assertGreater(plain["run"]["with_failures"]["time_s"], 40 * 86400)
        self.assertLess(answer["run"]["with_failures"]["time_s"], 86400)
        self.assertEqual(answer["inputs"]["run"]["tokens"], 3 * 52002 * 1024)
        self.assertEqual(answer["inputs"]["run"]["samples"], 52002)
        self.assertEqual(answer["inputs"]["run"]["epochs"], 3)
        self.assertEqual(answer["inputs"]["recipe"]["global_batch_size"], 128)
        text = run(*PLAN, "--task", "sft", env={"COLUMNS": "200"}).stdout
        self.assertIn("task sft: supervised fine-tuning of every weight; it sets --batch 128, "
                      "--sequence 1024, --optimizer adamw\n", text)
        self.assertIn("52,002 samples x 3 epochs; --samples and --epochs change it", text)

    def test_the_description_follows_the_recipe(self):
        for asked, said in ((("sft", "--lora-rank", "16"), "of adapters beside frozen weights"),
                            (("sft",), "of every weight"),
                            (("qlora",), "frozen weights of 4 bits"),
                            (("qlora", "--base-weights", "int8"), "frozen weights of 8 bits")):
            answer = self.answer(*PLAN, "--quick", "--risk", "1", "--task", *asked)
            self.assertTrue(answer["task"]["description"].endswith(said), answer["task"])

    def test_a_task_of_adapters_has_some(self):
        for task in "lora", "qlora":
            done = run(*PLAN, "--task", task, "--adapter-rank", "0")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(f"--adapter-rank must be >= 1: --task {task} trains adapters", done.stderr)

    def test_every_task_has_an_answer(self):
        for task in TASKS:
            with self.subTest(task):
                answer = self.answer(*PLAN, "--task", task)
                self.assertTrue(answer["fits"])
                self.assertEqual(answer["task"]["name"], task)
                recipe = answer["inputs"]["recipe"]
                for one in answer["task"]["defaults"]:
                    self.assertEqual(recipe[one["field"]], one["value"])
                    self.assertTrue(one["source"])

    def test_what_is_typed_goes_before_the_task(self):
        typed = ("--batch", "64", "--sequence", "512", "--samples", "10k", "--epochs", "2")
        answer = self.answer(*PLAN, "--task", "sft", *typed)
        self.assertEqual(answer["inputs"]["run"]["tokens"], 2 * 10_000 * 512)
        self.assertEqual(answer["run"]["steps"], 313)  # 312.5
        self.assertEqual([one["field"] for one in answer["task"]["defaults"]], ["optimizer"])
        answer = self.answer(*PLAN, "--task", "lora", "--adapter-rank", "8", "--tokens", "1G")
        self.assertEqual(answer["inputs"]["recipe"]["adapter_rank"], 8)
        self.assertEqual(answer["inputs"]["run"]["tokens"], 1e9)
        self.assertIsNone(answer["inputs"]["run"]["samples"])
        placed = self.answer(*FIT, "--task", "lora", "--adapter-place", "attention_and_ffn")
        self.assertEqual(placed["inputs"]["recipe"]["adapter_maps"], [])

    def test_adapters(self):
        lora = self.answer(*FIT, "--task", "lora")["inputs"]["recipe"]
        self.assertEqual((lora["adapter_rank"], lora["adapter_maps"][:2], lora["base_weights"]),
                         (16, ["query", "value"], "by_precision"))
        self.assertNotIn("key", lora["adapter_maps"])
        answer = self.answer("fit", "llama-3-8b", "--gpu", "RTX4090", "--task", "qlora",
                             "--recompute", "full")
        qlora = answer["inputs"]["recipe"]
        self.assertEqual((qlora["adapter_rank"], qlora["base_weights"]), (64, "nf4"))
        self.assertLessEqual({"query", "key", "value", "output", "gate", "up", "down"},
                             set(qlora["adapter_maps"]))
        self.assertLess(answer["memory"]["worst_stage_bytes"], 16e9)

    def test_samples_without_a_task(self):
        answer = self.answer(*PLAN, "--samples", "100000")
        self.assertEqual(answer["inputs"]["run"]["tokens"], 100_000 * 2048)
        self.assertEqual(answer["inputs"]["run"]["epochs"], 1)
        self.assertIn("100,000 samples x 1 epoch)", run(*PLAN, "--samples", "100000").stdout)

    def test_a_batch_is_a_multiple_of_what_the_gpus_take(self):
        for gpus, task, batch in ((48, "sft", 144), (64, "qlora", 64), (96, "dpo", 384)):
            answer = self.answer("plan", "llama-3-8b", "--gpu", "H100", "--gpus", gpus, "--task",
                                 task, "--top", "1")
            self.assertEqual(answer["inputs"]["recipe"]["global_batch_size"], batch)
        answer = self.answer(*FIT, "--task", "sft", "--micro-batch", "5")
        self.assertEqual(answer["inputs"]["recipe"]["global_batch_size"], 160)

    def test_the_reference_model_of_preference_optimization(self):
        undivided = ("fit", "llama-3-8b", "--gpu", "H200", "--data", "8", "--zero", "2",
                     "--recompute", "full", "--task", "dpo")
        answer = self.answer(*undivided)
        without = self.answer(*undivided, "--reference-model", "precomputed")
        stage, before = (one["memory"]["stages"][0] for one in (answer, without))
        self.assertEqual(stage["reference_model_bytes"], 2 * LLAMA)
        self.assertEqual(before["reference_model_bytes"], 0)
        self.assertAlmostEqual((answer["memory"]["allocated_bytes"] -
                                without["memory"]["allocated_bytes"]) / 1e9, 16.06, delta=0.005)
        self.assertGreater(answer["step_terms"]["reference_s"], 0)
        self.assertEqual(without["step_terms"]["reference_s"], 0)
        self.assertGreater(answer["step_time_s"], without["step_time_s"])
        divided = self.answer(*FIT, "--task", "dpo")["memory"]["stages"][0]
        self.assertEqual(divided["reference_model_bytes"], 2 * LLAMA / 8)
        self.assertIn("reference model", run(*undivided).stdout)
        self.assertIn("A frozen reference model: a second copy of the weights", run(*undivided).stdout)

    def test_the_base_of_adapters_is_their_reference(self):
        plain = self.answer(*FIT, "--task", "dpo", "--adapter-rank", "16", "--reference-model",
                            "none")
        answer = self.answer(*FIT, "--task", "dpo", "--adapter-rank", "16")
        self.assertEqual(answer["memory"]["stages"], plain["memory"]["stages"])
        self.assertGreater(answer["step_terms"]["reference_s"], 0)
        self.assertIn("no second copy of the weights",
                      run(*FIT, "--task", "dpo", "--adapter-rank", "16").stdout)

    def test_pairs_lie_in_one_micro_batch(self):
        self.assertEqual(self.answer(*FIT, "--task", "dpo")["inputs"]["parallelism"]
                         ["micro_batch_size"], 2)
        answer = self.answer(*FIT, "--task", "dpo", "--micro-batch", "3", code=INFEASIBLE)
        self.assertEqual(answer["reason"], "samples")
        for row in self.answer(*PLAN, "--task", "dpo")["plans"]:
            self.assertEqual(row["parallelism"]["micro_batch_size"] % 2, 0)

    def test_preferences_never_cost_less_than_fine_tuning(self):
        same = ("--batch", "128", "--micro-batch", "2")
        for zero in range(4):
            asked = ("fit", "llama-3.2-1b", "--gpu", "H100", "--data", "8", "--zero", str(zero), *same)
            sft = self.answer(*asked, "--task", "sft")
            dpo = self.answer(*asked, "--task", "dpo")
            self.assertGreater(dpo["memory"]["worst_stage_bytes"],
                               sft["memory"]["worst_stage_bytes"])
            self.assertGreater(dpo["step_time_s"], sft["step_time_s"])

    def test_inputs_sent_back_give_the_same_answer(self):
        for task in TASKS:
            with self.subTest(task):
                answer = self.answer(*FIT, "--task", task)
                done = run("evaluate", stdin=json.dumps(answer["inputs"]))
                self.assertEqual(done.returncode, DONE, done.stderr)
                again = program.read_json(done.stdout)
                for key in ("step_time_s", "step_terms", "memory", "mfu"):
                    self.assertEqual(again[key], answer[key])

    def test_proposals_keep_the_task(self):
        asked = ("plan", "llama-3-8b", "--gpu", "A100-80GB", "--gpus", "2", "--task", "dpo")
        answer = self.answer(*asked, code=INFEASIBLE)
        self.assertTrue(answer["what_fits"])
        for one in answer["what_fits"]:
            self.assertIn("--task dpo", one["command"])

    def test_scale(self):
        answer = self.answer("scale", "llama-3-8b", *GPUS, "--task", "dpo")
        self.assertEqual(answer["task"]["name"], "dpo")
        self.assertEqual(answer["inputs"]["fixed_batch"], 256)
        answer = self.answer("scale", "llama-3-8b", *GPUS, "--task", "sft", "--fixed-batch", "64")
        self.assertEqual(answer["inputs"]["fixed_batch"], 64)
        self.assertNotIn("global_batch_size",
                         [one["field"] for one in answer["task"]["defaults"]])

    def test_refusals(self):
        for task in ("grpo", "PPO", "rloo"):
            self.refused(*PLAN, "--task", task,
                         saying=(f"--task {task.lower()}: its rollout (generation)",
                                 "--reference-model frozen"))
        self.refused(*PLAN, "--task", "stf", saying=("--task must be one of pretrain", "sft"))
        self.refused(*PLAN, "--task", "sft", "--tokens", "1G", "--samples", "5",
                     saying="give --tokens, or --samples and --epochs, not both")
        self.refused(*PLAN, "--epochs", "3", saying="--epochs needs --samples")
        self.refused(*PLAN, "--samples", "0", saying="--samples must be")
        self.refused(*PLAN, "--samples", "1.5", saying="--samples must be")
        self.refused(*PLAN, "--task", "sft", "--epochs", "0", saying="--epochs must be")
        self.refused(*PLAN, "--task", "sft", "--epochs", "nan", saying="--epochs must be")

    def test_no_launch_has_a_word_for_a_reference_model(self):
        done = run(*FIT, "--task", "dpo", "--emit", "megatron")
        self.assertIn("a reference model", done.stdout + done.stderr)

    def test_the_update_of_reinforcement_learning(self):
        answer = self.answer(*FIT, "--task", "sft", "--reference-model", "frozen")
        self.assertGreater(answer["step_terms"]["reference_s"], 0)
        self.assertEqual(answer["inputs"]["recipe"]["sequences_per_sample"], 1)


program.main()
