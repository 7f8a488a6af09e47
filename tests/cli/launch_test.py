"""Launches, from outside: gpuplan plan and fit --emit, and fit --from."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

import program
from program import INFEASIBLE, USAGE, run

# Configurations of Megatron-LM's functional tests: the environment's GPUPLAN_LAUNCHES, else
# shared/data/launch/megatron beside the project's folder.
LAUNCHES = pathlib.Path(os.environ.get("GPUPLAN_LAUNCHES") or
                        program.DATA / "../../../shared/data/launch/megatron")
JOB = ("llama-3.2-1b", "--gpu", "H100", "--sequence", "4096", "--batch", "256")
SAME = ("step_time_s", "memory", "mfu", "gpus_used", "fits_probability", "free_bytes")


class Launch(program.ProgramTest):
    def written(self, text, name):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_text(text)
        return path

    def round_trip(self, framework, ending, *options, again=()):
        """What is emitted, read again, must be the same answer."""
        done = run("fit", *JOB, *options, "--emit", framework)
        self.assertEqual(done.returncode, 0)
        own = "" if framework.startswith("megatron") else (
            rf"(gpuplan: --emit {framework}: its recipe is the framework's own, [^\n]*\n)?")
        self.assertRegex(done.stderr, rf"\A{own}\Z")
        path = self.written(done.stdout, "launch" + ending)
        read = self.answer("fit", "--from", path, "--gpu", "H100", *again)
        self.assertEqual(read["launch"]["framework"], framework)
        self.assertEqual(read["launch"]["not_modelled"], [])
        return read, done.stdout

    def test_megatron(self):
        for framework in ("megatron", "megatron-bridge"):
            for options in (("--data", 8, "--zero", 1),
                            ("--data", 2, "--tensor", 4, "--sequence-parallel", "on"),
                            ("--data", 2, "--pipeline", 4, "--interleave", 2, "--recompute", "full"),
                            ("--data", 4, "--context", 2, "--zero", 3, "--loss", "fused")):
                read, _ = self.round_trip(framework, ".sh", *options, again=("--gpus", 8))
                told = self.answer("fit", *JOB, *options)
                for key in SAME:
                    self.assertEqual(read[key], told[key], (framework, options, key))

    def test_inputs_of_a_launch_give_the_same_answer(self):
        """What fit --from answers as its inputs is a request that evaluate answers alike."""
        for model in ("mixtral-8x7b-v0.1", "deepseek-v2-lite", "llama-3.2-1b"):
            for framework in ("megatron", "megatron-bridge"):
                done = run("plan", model, "--gpu", "H100", "--gpus", 64, "--quick", "--emit",
                           framework)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                read = self.answer("fit", "--from", self.written(done.stdout, "a.sh"), "--gpu",
                                   "H100")
                done = run("evaluate", stdin=json.dumps(read["inputs"]) + "\n")
                self.assertEqual(done.returncode, 0, done.stdout)
                told = json.loads(done.stdout)
                for key in ("step_time_s", "memory", "mfu", "gpus_used"):
                    self.assertEqual(told[key], read[key], (model, framework, key))

    def test_layers_of_several_kinds(self):
        """Hybrids of a config.json come back from their launch with memory, time and layout."""
        usual = {"hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4,
                 "vocab_size": 32000, "head_dim": 64, "intermediate_size": 4096,
                 "tie_word_embeddings": False}
        nemotron = {"model_type": "nemotron_h", "num_hidden_layers": 10, "mamba_num_heads": 32,
                    "hybrid_override_pattern": "M-M*-M-M*-", "mamba_head_dim": 64,
                    "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4}
        qwen = {"model_type": "qwen3_next", "num_hidden_layers": 8, "full_attention_interval": 4,
                "linear_num_key_heads": 8, "linear_num_value_heads": 16, "linear_key_head_dim": 64,
                "linear_value_head_dim": 64, "linear_conv_kernel_dim": 4, "num_experts": 8,
                "num_experts_per_tok": 2, "moe_intermediate_size": 512,
                "shared_expert_intermediate_size": 512}
        for config, says in ((nemotron, "--hybrid-layer-pattern 'MM-*-|MM-*-'"),
                             (qwen, "--linear-attention-freq 4 \\")):
            model = self.written(json.dumps({**usual, **config}), "config.json")
            job = (model, "--gpu", "H100", "--sequence", 4096, "--batch", 64, "--data", 4, "--zero",
                   1, "--pipeline", 2)
            for framework in ("megatron", "megatron-bridge"):
                done = run("fit", *job, "--emit", framework)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                if framework == "megatron":
                    self.assertIn(says, done.stdout)
                    self.assertEqual(config is nemotron, "pretrain_hybrid.py" in done.stdout)
                read = self.answer("fit", "--from", self.written(done.stdout, "a.sh"), "--gpu",
                                   "H100")
                self.assertEqual(read["launch"]["not_modelled"], [])
                told = self.answer("fit", *job)
                for key in SAME:
                    self.assertEqual(read[key], told[key], (config["model_type"], framework, key))

    def test_torchtitan(self):
        fsdp = ("--framework", "fsdp2", "--weights", "fp32", "--gradients-live", "backward",
                "--loss", "compiled", "--zero", "3")
        for options in (("--data", 8), ("--data", 2, "--tensor", 4, "--recompute", "full")):
            read, text = self.round_trip("torchtitan", ".toml", *options,
                                         again=("--gpus", 8, "--model", "llama-3.2-1b"))
            told = self.answer("fit", *JOB, *fsdp, *options)
            for key in SAME:
                self.assertEqual(read[key], told[key], (options, key))
            self.assertIn("[parallelism]", text)

    def test_deepspeed(self):
        read, text = self.round_trip(
            "deepspeed", ".json", "--data", 8, "--zero", 2,
            again=("--gpus", 8, "--model", "llama-3.2-1b", "--sequence", "4096"))
        self.assertEqual(json.loads(text)["zero_optimization"]["reduce_bucket_size"], 500_000_000)
        told = self.answer("fit", *JOB, "--data", 8, "--zero", 2, "--framework", "fsdp",
                           "--loss", "eager", "--zero-buckets", "9GB")
        for key in SAME:
            self.assertEqual(read[key], told[key], key)

    def test_a_plain_file_of_deepspeed_is_written_back(self):
        for precision in ("bf16", "fp16"):
            for stage in (1, 2, 3):
                path = self.written(json.dumps({
                    "train_batch_size": 64, "train_micro_batch_size_per_gpu": 1,
                    precision: {"enabled": True}, "zero_optimization": {"stage": stage}}),
                    "plain.json")
                asked = ["--model", "llama-3.2-1b", "--gpu", "A100-80GB", "--data", "8"]
                first = json.loads(run("fit", "--from", path, *asked, "--json").stdout)
                launch = run("fit", "--from", path, *asked, "--emit", "deepspeed").stdout
                again = self.written(launch, "again.json")
                second = json.loads(run("fit", "--from", again, *asked, "--json").stdout)
                for part in ("step_time_s", "memory", "inputs"):
                    self.assertEqual(second[part], first[part])

    def test_a_launch_may_be_a_pipe(self):
        path = self.written('{"train_batch_size": 8, "bf16": {"enabled": true}}', "piped.json")
        line = 'exec "$0" fit --from <(cat "$1") --model gpt2 --gpu H100 --data 8 --json'
        done = subprocess.run(["bash", "-c", line, program.PROGRAM, path], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["inputs"]["recipe"]["global_batch_size"], 8)

    def test_accelerate(self):
        read, _ = self.round_trip(
            "accelerate", ".yaml", "--data", 8, "--micro-batch", 2,
            again=("--gpus", 8, "--model", "llama-3.2-1b", "--sequence", "4096",
                   "--micro-batch", 2))
        told = self.answer("fit", *JOB, "--data", 8, "--micro-batch", 2, "--zero", 3,
                           "--framework", "fsdp", "--weights", "fp32", "--loss", "eager",
                           "--gradients-live", "backward")
        for key in SAME:
            self.assertEqual(read[key], told[key], key)

    def test_what_does_not_fit_has_no_launch(self):
        for words in (("fit", "llama-3-70b", "--gpu", "H100", "--data", "8"),
                      ("plan", "llama-3-70b", "--gpu", "H100", "--gpus", "1")):
            done = run(*words, "--emit", "megatron")
            self.assertEqual((done.returncode, done.stdout), (INFEASIBLE, ""))
            self.assertIn("there is no launch", done.stderr)

    def test_best_plan(self):
        done = run("plan", *JOB, "--gpus", 16, "--zero", 1, "--emit", "megatron")
        self.assertEqual(done.returncode, 0, done.stderr)
        read = self.answer("fit", "--from", self.written(done.stdout, "a.sh"), "--gpu", "H100",
                           "--gpus", 16)
        best = self.answer("plan", *JOB, "--gpus", 16, "--zero", 1)["plans"][0]
        self.assertEqual(read["step_time_s"], best["step_time_s"])

    def test_what_a_framework_cannot_say_is_refused(self):
        done = run("fit", *JOB, "--data", 2, "--tensor", 4, "--emit", "deepspeed")
        self.assertEqual(done.returncode, USAGE)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("--emit deepspeed: its launch cannot say tensor 4", done.stderr)

    def test_what_the_framework_does_not_have_is_refused(self):
        self.refused("fit", "llama-3-8b", "--gpu", "H100", "--data", 4, "--tensor", 2, "--zero", 1,
                     "--sequence", 4096, "--batch", 64, "--emit", "torchtitan",
                     saying=("--emit torchtitan: its launch cannot say this", "ZeRO 1"))

    def test_a_recipe_of_the_frameworks_own_is_said(self):
        ask = ("fit", "llama-3-8b", "--gpu", "H100", "--data", 8, "--zero", 3, "--sequence", 4096,
               "--batch", 64)
        done = run(*ask, "--emit", "torchtitan")
        [(step, options)] = re.findall(
            r"\Agpuplan: --emit torchtitan: its recipe is the framework's own, whose step takes "
            r"(\S+) s; without --emit, ask for it by (.*)\n\Z", done.stderr)
        self.assertIn("--framework fsdp2", options)
        told = self.answer(*ask, *options.split())["step_time_s"]
        self.assertAlmostEqual(float(step), told, delta=0.005)
        read = self.answer("fit", "--from", self.written(done.stdout, "a.toml"), "--model",
                           "llama-3-8b", "--gpu", "H100", "--gpus", 8)
        self.assertEqual(read["step_time_s"], told)
        self.assertEqual(run(*ask, "--emit", "megatron").stderr, "")

    def test_a_launch_is_refused_for_a_gpu_that_it_is_not_for(self):
        for gpu, vendor, frameworks in (
                ("TPU-v5p", "Google", ("megatron", "megatron-bridge", "torchtitan", "deepspeed",
                                       "accelerate")),
                ("Trainium2", "Amazon", ("megatron", "accelerate")),
                ("Gaudi3", "Intel", ("megatron", "torchtitan"))):
            for framework in frameworks:
                for words in (("plan", "--gpus", 8), ("fit", "--data", 8)):
                    done = run(words[0], "llama-3.2-1b", "--gpu", gpu, *words[1:],
                               "--emit", framework)
                    self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertIn(f"--emit {framework}: writes no launch for {gpu} of {vendor}",
                                  done.stderr)
        for gpu, framework in (("MI300X", "megatron"), ("Gaudi3", "deepspeed")):
            done = run("plan", "llama-3.2-1b", "--gpu", gpu, "--gpus", 8, "--emit", framework)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_adapters_are_the_scripts_own(self):
        """Frameworks whose launch has no word for adapters are refused before any search."""
        for task, options in (("lora", ("--adapter-rank", 16, "--adapter-maps", "query,value")),
                              ("qlora", ("--adapter-rank", 64, "--adapter-place", "all_linear",
                                         "--base-weights", "int4"))):
            for framework in ("accelerate", "deepspeed"):
                job = ("llama-3.2-1b", "--gpu", "H100", "--task", task)
                done = run("plan", *job, "--gpus", 8, "--emit", framework)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, r"\A(gpuplan: [^\n]*cannot say zero 1 of the best "
                                              r"plan; this is another, [^\n]*\n)?"
                                              r"(gpuplan: [^\n]*its recipe is the framework's "
                                              r"own, [^\n]*\n)?\Z")
                self.assertIn(f"LoRA of rank {options[1]} on query", done.stdout)
                path = self.written(done.stdout, "l.json" if framework == "deepspeed" else "l.yaml")
                inputs = self.answer("fit", "--from", path, "--gpu", "H100", "--model",
                                     "llama-3.2-1b", "--sequence", 1024, *options)["inputs"]
                self.assertEqual(inputs["recipe"]["adapter_rank"], options[1])
                self.assertEqual(inputs["parallelism"]["data"], 8)
        for framework in ("megatron", "megatron-bridge", "torchtitan"):
            for task, what in (("lora", "adapters"), ("dpo", "a reference model")):
                for command in (("plan", "deepseek-v3", "--gpus", 4096),
                                ("fit", "deepseek-v3", "--data", 8)):
                    done = run(*command, "--gpu", "H100", "--task", task, "--emit", framework)
                    if done.returncode == INFEASIBLE:
                        self.assertEqual(command[0], "fit")
                        continue
                    self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertIn(f"writes no launch with {what}; use --emit accelerate",
                                  done.stderr)

    def test_a_launch_carries_its_gpus(self):
        layouts = (("--data", 2, "--tensor", 4), ("--data", 16), ("--data", 8, "--pipeline", 2),
                   ("--data", 12), ("--data", 8, "--gpus-per-node", 4))
        for options in layouts:
            for framework in ("megatron", "megatron-bridge", "torchtitan", "deepspeed",
                              "accelerate"):
                replicas = framework in ("deepspeed", "accelerate")
                if replicas and ("--tensor" in options or "--pipeline" in options):
                    continue
                job = ("llama-3.2-1b", "--gpu", "H100", "--sequence", 1024, "--batch", 96)
                done = run("fit", *job, *options, "--emit", framework)
                self.assertEqual(done.returncode, 0, (framework, options))
                unfilled = "12 GPUs do not fill nodes of 8: 2 nodes start 6 processes each"
                self.assertEqual(unfilled in done.stdout, options == ("--data", 12), framework)
                said = "".join(line for line in done.stderr.splitlines(keepends=True)
                               if "its recipe is the framework's own" not in line)
                self.assertEqual(said, f"gpuplan: --emit {framework}: {unfilled}, and the "
                                 "plan counts on full nodes; --gpus-per-node 6 plans for these\n"
                                 if options == ("--data", 12) else "")
                ending = {"deepspeed": ".json", "torchtitan": ".toml", "accelerate": ".yaml"}
                path = self.written(done.stdout, "launch" + ending.get(framework, ".sh"))
                needs = ("--model", "llama-3.2-1b") if framework in ending else ()
                if replicas:
                    needs += ("--sequence", 1024)
                cluster = self.answer("fit", "--from", path, "--gpu", "H100", *needs)["inputs"][
                    "cluster"]
                ranks = 1
                for count in options[1::2][:2 if options[-2] != "--gpus-per-node" else 1]:
                    ranks *= count
                self.assertEqual(cluster["gpus"], ranks, (framework, options))
                told = {"deepspeed", "torchtitan"}
                if "--gpus-per-node" in options and framework not in told:
                    self.assertEqual(cluster["gpus_per_node"], 4, framework)

    def test_standard_input(self):
        job = ("llama-3.2-1b", "--gpu", "H100", "--data", 8, "--zero", 1)
        text = run("fit", *job, "--emit", "megatron").stdout
        done = run("fit", "--from", "-", "--gpu", "H100", "--json", stdin=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["step_time_s"],
                         self.answer("fit", *job)["step_time_s"])
        self.refused("fit", "--from", "-", "--gpu", "H100", stdin="x", saying="standard input")

    def test_reinforcement_learning_is_refused(self):
        usual = ("--num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 "
                 "--max-position-embeddings 1024 --bf16 --vocab-size 50304 --micro-batch-size 4 ")
        for more in ("--perform-rl-step", "--grpo-iterations 2", "--rl-generation-lag 1"):
            path = self.written(usual + more + "\n", "a.sh")
            self.refused("fit", "--from", path, "--gpu", "H100",
                         saying=(more.split()[0], "rollout (generation) is not modelled"))

    def test_options_go_before_the_file(self):
        path = self.written("--num-layers 12 --hidden-size 512 --num-attention-heads 8 "
                            "--seq-length 1024 --max-position-embeddings 1024 --bf16 "
                            "--vocab-size 50304 --micro-batch-size 4 --log-interval 1 "
                            "--fp8-param-gather\n", "a.args")
        ask = ("fit", "--from", path, "--gpu", "H100", "--gpus", "4")
        inputs = self.answer(*ask, "--tensor", 2)["inputs"]
        self.assertEqual((inputs["parallelism"]["data"], inputs["parallelism"]["tensor"]), (2, 2))
        self.assertEqual(self.answer(*ask)["launch"]["not_modelled"], ["--fp8-param-gather"])
        launched = self.written("torchrun --nproc-per-node 8 pretrain_gpt.py " + path.read_text(),
                                "a.sh")
        inputs = self.answer("fit", "--from", launched, "--gpu", "H100", "--tensor", 2)["inputs"]
        self.assertEqual((inputs["parallelism"]["data"], inputs["cluster"]["gpus"]), (4, 8))
        self.assertIn("Not modelled, and may change memory or time: --fp8-param-gather",
                      run(*ask).stdout)

    def test_what_makes_a_launch_fit_can_be_pasted(self):
        text = ("torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py --num-layers 32 "
                "--hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 "
                "--num-experts 8 --moe-router-topk 2 --moe-grouped-gemm --swiglu "
                "--disable-bias-linear --normalization RMSNorm --position-embedding-type rope "
                "--untie-embeddings-and-output-weights --vocab-size 32000 --seq-length 4096 "
                "--max-position-embeddings 4096 --tensor-model-parallel-size 4 "
                "--sequence-parallel --expert-model-parallel-size 4 "
                "--expert-tensor-parallel-size 1 --micro-batch-size 2 --global-batch-size 256 "
                "--bf16 --use-distributed-optimizer\n")
        path = self.written(text, "a.sh")
        for file, stdin in ((path, b""), ("-", text.encode())):
            ask = ("fit", "--from", file, "--gpu", "H100")
            done = run(*ask, "--json", stdin=stdin)
            self.assertEqual(done.returncode, INFEASIBLE, done.stderr)
            fixes = program.read_json(done.stdout)["what_fits"]
            self.assertGreater(len(fixes), 3)
            for one in fixes:
                name, *words = shlex.split(one["command"])
                self.assertEqual((name, *words[:3]), ("gpuplan", "fit", "--from", str(file)))
                again = run(*words, stdin=stdin)
                self.assertEqual((again.returncode, again.stderr), (0, ""), one["command"])
            self.assertEqual("reads the launch from standard input again" in
                             run(*ask, stdin=stdin).stdout, file == "-")

    def test_what_makes_a_launch_of_replicas_fit_cuts_nothing(self):
        path = self.written(json.dumps({"train_batch_size": 512,
                                        "train_micro_batch_size_per_gpu": 4,
                                        "zero_optimization": {"stage": 3}}), "ds3.json")
        answer = self.answer("fit", "llama-3-8b", "--from", path, "--gpu", "A100-80GB", "--gpus",
                             16, "--sequence", 4096, "--precision", "bf16", code=INFEASIBLE)
        experts = self.answer("fit", "mixtral-8x7b", "--from", path, "--gpu", "A100-80GB", "--gpus",
                              16, "--sequence", 4096, "--precision", "bf16", code=INFEASIBLE)
        for one in (answer["what_fits"] + answer["repairs"] + experts["what_fits"] +
                    experts["repairs"]):
            cut = one["parallelism"]
            self.assertEqual([cut[axis] for axis in ("tensor", "pipeline", "context", "expert")],
                             [1] * 4, one)
        self.assertIn("nothing", [one["costs"] for one in answer["what_fits"]])
        for one in answer["what_fits"]:
            if one["gpu"] == "A100-80GB":
                done = run(*shlex.split(one["command"])[1:], "--emit", "deepspeed")
                self.assertEqual((done.returncode, done.stderr), (0, ""), one["command"])

    def test_options_say_what_the_file_does_not(self):
        path = self.written("--num-layers 12 --hidden-size 512 --num-attention-heads 8 --bf16 "
                            "--max-position-embeddings 1024 --vocab-size 50304\n", "a.args")
        ask = ("fit", "--from", path, "--gpu", "H100", "--gpus", "4")
        self.refused(*ask, saying="--micro-batch-size is missing")
        self.refused(*ask, "--micro-batch-size", 2, saying="--seq-length is missing")
        inputs = self.answer(*ask, "--micro-batch-size", 2, "--sequence", 1024)["inputs"]
        self.assertEqual(inputs["parallelism"]["micro_batch_size"], 2)
        self.assertEqual(inputs["recipe"]["sequence_length"], 1024)
        self.assertEqual(inputs["recipe"]["global_batch_size"], 8)

    def test_options_say_what_the_shell_knows(self):
        """An option goes before a variable that the file does not set; without it, it is named."""
        path = self.written("torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12 "
                            "--hidden-size 512 --num-attention-heads 8 --bf16 --vocab-size 50304 "
                            "--max-position-embeddings 1024 --seq-length $1 --micro-batch-size "
                            "$MBS --global-batch-size $((8*GBS)) --tensor-model-parallel-size "
                            "${TP}\n", "a.sh")
        ask = ["fit", "--from", path, "--gpu", "H100"]
        for option, value, argument in (("--micro-batch", 2, "--micro-batch-size"),
                                        ("--tensor", 4, "--tensor-model-parallel-size"),
                                        ("--sequence", 1024, "--seq-length"),
                                        ("--batch", 64, "--global-batch-size")):
            self.assertRegex(self.refused(*ask), f"{argument} is .*; give {option}\n")
            ask += [option, value]
        inputs = self.answer(*ask)["inputs"]
        self.assertEqual([inputs["parallelism"][key] for key in ("data", "tensor",
                                                                 "micro_batch_size")], [2, 4, 2])
        self.assertEqual([inputs["recipe"][key] for key in ("sequence_length",
                                                            "global_batch_size")], [1024, 64])

    def test_all_micro_batches_are_deferred_without_a_limit(self):
        usual = ("--num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --bf16 "
                 "--max-position-embeddings 1024 --vocab-size 50304 --micro-batch-size 1 "
                 "--global-batch-size 8 --pipeline-model-parallel-size 2 ")
        bridge = ("mixed_precision=bf16_mixed model.num_layers=12 model.hidden_size=512 "
                  "model.num_attention_heads=8 model.seq_length=1024 model.vocab_size=50304 "
                  "model.max_position_embeddings=1024 train.micro_batch_size=1 train.global_batch_size=8 "
                  "model.pipeline_model_parallel_size=2 ")
        for words, defer, limit in (
                (usual, "--defer-embedding-wgrad-compute", " --wgrad-deferral-limit "),
                (bridge, "model.defer_embedding_wgrad_compute=true", " model.wgrad_deferral_limit=")):
            needed = [self.answer("fit", "--from", self.written(words + more, "a.sh"), "--gpu",
                                  "H100", "--gpus", 2)["memory"]["stages"][-1]
                      for more in ("", defer, defer + limit + "0", defer + limit + "8",
                                   defer + limit + "2")]
            self.assertNotEqual(needed[0], needed[1])
            self.assertEqual(needed[1], needed[2])
            self.assertEqual(needed[1], needed[3])
            self.assertNotEqual(needed[1], needed[4])

    def test_branches_behind_a_text_that_runs(self):
        head = ('N=$1\nif [ "$N" = big ]; then PP=4; else PP=2; fi\nCMD="torchrun '
                '--nproc-per-node 8 pretrain_gpt.py --num-layers 12 --hidden-size 512 '
                '--num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --bf16 '
                '--vocab-size 50304 --micro-batch-size 1 --pipeline-model-parallel-size $PP"\n')
        for runs in ('$CMD', 'eval $CMD', 'srun bash -c "$CMD"'):
            path = self.written(head + runs + "\n", "c.sh")
            read = self.answer("fit", "--from", path, "--gpu", "H100")
            self.assertEqual(read["inputs"]["parallelism"]["pipeline"], 2)
            self.assertIn("line 2: which branch is taken is not known; the last one that sets an "
                          "option counts", read["launch"]["assumed"])

    def test_overrides_of_bridge(self):
        words = ("torchrun --nproc-per-node 8 a.py model.num_layers=12 model.hidden_size=512 "
                 "model.num_attention_heads=8 model.seq_length=1024 model.vocab_size=50304 "
                 "model.max_position_embeddings=1024 train.micro_batch_size=1 ")

        def read(more, *options):
            return self.answer("fit", "--from", self.written(words + more, "a.sh"), "--gpu", "B200",
                               *options)
        for plus in ("", "+", "++"):
            asked = read(f"mixed_precision=bf16_mixed {plus}model.num_layers=24")
            self.assertEqual(asked["inputs"]["model"]["layers"], 24)
        asked = read("mixed_precision=bf16_with_nvfp4_mixed")["inputs"]["recipe"]
        self.assertEqual(asked["precision"], "mixed_nvfp4")
        path = self.written(words + "mixed_precision=nonsense", "a.sh")
        self.refused("fit", "--from", path, "--gpu", "H100", saying=(
            f"{path}: mixed_precision must be one of bf16_mixed, ", "bf16_with_nvfp4_mixed",
            'not the string "nonsense"'))
        asked = read("mixed_precision=bf16_mixed peft=lora")
        self.assertEqual(asked["inputs"]["recipe"]["adapter_rank"], 32)
        self.assertIn("adapters of rank 32, the default of peft.dim", asked["launch"]["assumed"])
        asked = read("mixed_precision=bf16_mixed peft=lora peft.dim=8", "--adapter-rank", 4)
        self.assertEqual(asked["inputs"]["recipe"]["adapter_rank"], 4)

    def test_products_in_fp4_come_back(self):
        job = ("llama-3.2-1b", "--gpu", "B200", "--data", 2, "--precision", "nvfp4")
        told = self.answer("fit", *job)
        for framework, words in (("megatron", "--fp4-format e2m1"),
                                 ("megatron-bridge", "mixed_precision=bf16_with_nvfp4_mixed")):
            done = run("fit", *job, "--emit", framework)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(words, done.stdout)
            read = self.answer("fit", "--from", self.written(done.stdout, "a.sh"), "--gpu", "B200")
            self.assertEqual(read["launch"]["not_modelled"], [])
            for key in SAME:
                self.assertEqual(read[key], told[key], (framework, key))

    def test_scripts_of_others_are_named(self):
        for text, says in (
                ("deepspeed train.py --model_name_or_path m --deepspeed ds3.json",
                 "launches a script of the Hugging Face Trainer with DeepSpeed; give its "
                 "configuration in place of it: --from ds3.json, with MODEL, --micro-batch and "
                 "--sequence"),
                ("accelerate launch --config_file x.yaml train.py --epochs 3",
                 "give its YAML in place of it: --from x.yaml, with MODEL"),
                ("torchrun run_clm.py --model_name_or_path m", "Hugging Face Trainer"),
                ("torchrun -m torchtitan.train --job.config_file x.toml",
                 "launches torchtitan; give its TOML in place of it: --from x.toml, with MODEL"),
                ("torchrun run_recipe.py --recipe llama3_8b", "the recipe llama3_8b of Megatron "
                 "Bridge")):
            path = self.written(text + "\n", "ds.sh")
            for model in ((), ("llama-3-8b",)):
                self.refused("fit", *model, "--from", path, "--gpu", "H100",
                             saying=(f"{path}: launches ", says))

    def test_gpus_of_slurm(self):
        train = ("python pretrain_gpt.py --num-layers 12 --hidden-size 512 --num-attention-heads 8 "
                 "--seq-length 1024 --max-position-embeddings 1024 --bf16 --vocab-size 50304 "
                 "--micro-batch-size 1 --tensor-model-parallel-size 2\n")
        replica = ("the GPUs of one replica, as the file does not say how many; --gpus says it")
        for before, gpus in (("srun -N 4 --ntasks-per-node=8 --gpus-per-node=8 ", 32),
                             ("#SBATCH -N 2\n#SBATCH --ntasks-per-node=4\nsrun ", 8), ("", 2)):
            path = self.written(before + train, "s.sh")
            read = self.answer("fit", "--from", path, "--gpu", "H100")
            self.assertEqual(read["inputs"]["cluster"]["gpus"], gpus)
            self.assertEqual(replica in read["launch"]["assumed"], gpus == 2)
            self.assertEqual(read["launch"]["not_modelled"], [])
            for option in (("--gpus", 4), ("--data", 2, "--batch", 8)):
                read = self.answer("fit", "--from", path, "--gpu", "H100", *option)
                self.assertNotIn(replica, read["launch"]["assumed"])

    def test_what_is_trained_is_assumed(self):
        says = "all weights are trained; --adapter-rank says otherwise"
        for framework, name in (("accelerate", "e.yaml"), ("deepspeed", "e.json")):
            done = run("plan", "llama-3-8b", "--gpu", "H100", "--gpus", 64, "--task", "lora",
                       "--quick", "--emit", framework)
            self.assertEqual(done.returncode, 0, done.stderr)
            ask = ("fit", "llama-3-8b", "--from", self.written(done.stdout, name), "--gpu", "H100",
                   "--sequence", 1024)
            self.assertIn(f"Assumed: {says}.", run(*ask).stdout)
            for option in (("--adapter-rank", 16), ("--task", "lora")):
                done = run(*ask, *option)
                self.assertIn("It fits.", done.stdout)
                self.assertNotIn(says, done.stdout)
            plain, task = self.answer(*ask), self.answer(*ask, "--task", "qlora")
            taken = {one["field"] for one in task["task"]["defaults"]}
            self.assertEqual(taken, {"adapter_rank", "adapter_maps", "base_weights"})
            # The batch stays that of the file.
            for answer in (plain, task):
                answer["batch"] = answer["inputs"]["recipe"]["global_batch_size"]
            self.assertEqual(plain["batch"], task["batch"])
            self.assertEqual(task["inputs"]["recipe"]["base_weights"], "nf4")

    def test_files_count_pairs_of_preferences(self):
        path = self.written(json.dumps({
            "train_batch_size": 128, "train_micro_batch_size_per_gpu": 1,
            "gradient_accumulation_steps": 16, "bf16": {"enabled": True},
            "zero_optimization": {"stage": 3}}), "pairs.json")
        ask = ("fit", "llama-3.2-1b", "--from", path, "--gpu", "H100", "--task", "dpo")
        answer = self.answer(*ask)
        self.assertEqual(answer["inputs"]["recipe"]["global_batch_size"], 256)
        self.assertEqual(answer["inputs"]["recipe"]["sequences_per_sample"], 2)
        self.assertEqual(answer["inputs"]["parallelism"]["micro_batch_size"], 2)
        self.assertEqual(answer["inputs"]["parallelism"]["data"], 8)
        written = json.loads(run(*ask, "--emit", "deepspeed").stdout)
        self.assertEqual(written["train_batch_size"], 128)
        self.assertEqual(written["train_micro_batch_size_per_gpu"], 1)
        self.assertIn("batches count pairs", written["_comment"])
        again = self.answer(*ask, "--micro-batch", 4, "--gpus", 8)
        self.assertEqual(again["inputs"]["parallelism"]["micro_batch_size"], 4)
        launch = run("fit", *JOB[:3], "--data", 8, "--zero", 3, "--task", "dpo", "--emit",
                     "accelerate").stdout
        self.assertIn("micro-batches of 1 pair and", launch)

    def test_bad_files_are_refused_in_one_line(self):
        for text, name, says in (
                ("", "a.sh", "holds no arguments"),
                ("--num-layers 1", "a.sh", "--micro-batch-size is missing"),
                ("a: [1", "a.yaml", "line 1: a quote or a bracket is not closed"),
                ("a: &x 1\nb: *x\n", "a.yaml", "anchors, aliases and tags are not read"),
                ("{", "a.json", "is not JSON"),
                ("x\n", "a.toml", "line 1: is neither [section] nor name = value")):
            done = run("fit", "--from", self.written(text, name), "--gpu", "H100", "--model",
                       "llama-3.2-1b") if name in ("a.json", "a.toml") else run(
                           "fit", "--from", self.written(text, name), "--gpu", "H100")
            self.assertEqual(done.returncode, USAGE, (name, done.stdout))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(says, done.stderr)
        path = self.written("{}", "a.json")
        self.refused("fit", "--from", path, "--gpu", "H100", "--task", "lora",
                     saying="MODEL is required")
        self.assertIn("MODEL is required", run("fit", "--from", path, "--gpu", "H100").stderr)
        self.assertIn("there is no such file", run("fit", "--from", "/no/file", "--gpu",
                                                   "H100").stderr)

    def test_a_switch_is_true_or_false(self):
        usual = ("--num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 "
                 "--max-position-embeddings 1024 --vocab-size 50304 --micro-batch-size 4 ")
        needs = ("--model", "llama-3.2-1b")
        for text, name, more, what in (
                (usual + "--sequence-parallel maybe", "a.sh", (), '--sequence-parallel must be true '
                 'or false, not the string "maybe"'),
                ("num_layers: 12\nsequence_parallel: 7\nhidden_size: 512\nmicro_batch_size: 1\n"
                 "num_attention_heads: 8\nseq_length: 64\nmax_position_embeddings: 64\n"
                 "vocab_size: 512\n", "a.yaml", (), "--sequence-parallel must be true or false, "
                 "not 7"),
                ('{"zero_optimization": {"overlap_comm": "yes please"}}', "a.json", needs,
                 "zero_optimization.overlap_comm must be true or false"),
                ('[compile]\nenable = "maybe"\n', "a.toml", needs,
                 "compile.enable must be true or false"),
                ("distributed_type: FSDP\nfsdp_config:\n  fsdp_offload_params: maybe\n", "b.yaml",
                 needs, "fsdp_config.fsdp_offload_params must be true or false")):
            path = self.written(text, name)
            self.refused("fit", "--from", path, "--gpu", "H100", *more, saying=f"{path}: {what}")

    def test_a_squared_relu_comes_back(self):
        config = {"model_type": "nemotron", "hidden_size": 1024, "num_attention_heads": 16,
                  "num_key_value_heads": 4, "num_hidden_layers": 4, "vocab_size": 32000,
                  "intermediate_size": 4096, "hidden_act": "relu2"}
        job = (self.written(json.dumps(config), "config.json"), "--gpu", "H100", "--data", 2)
        told = self.answer("fit", *job)
        for framework, words in (("megatron", "--squared-relu"), ("megatron-bridge", "# Nor the "
                                                                  "activation function")):
            done = run("fit", *job, "--emit", framework)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(words, done.stdout)
            path = self.written(done.stdout, "a.sh")
            read = self.answer("fit", "--from", path, "--gpu", "H100")
            self.assertEqual(read["launch"]["not_modelled"], [])
            self.assertEqual(read["inputs"]["model"]["squared_relu"], framework == "megatron")
            for key in SAME:
                self.assertEqual(read[key], told[key], (framework, key))

    def test_many_layers_in_no_order_are_answered(self):
        """The deepest model that a list of layers may describe, whose chunks are all unlike."""
        some, layers = 1, []
        for _ in range(65536):
            some = some * 1103515245 + 12345 & 0x7fffffff
            layers.append(str(some >> 16 & 1))
        path = self.written("--num-layers 65536 --hidden-size 512 --num-attention-heads 8 "
                            "--seq-length 1024 --max-position-embeddings 1024 --bf16 --vocab-size "
                            "50304 --micro-batch-size 1 --num-experts 4 --moe-layer-freq "
                            f"'[{','.join(layers)}]'\n", "a.sh")
        done = run("fit", "--from", path, "--gpu", "H100", "--gpus", 64)
        self.assertEqual(done.returncode, INFEASIBLE, done.stderr)

    @unittest.skipUnless(LAUNCHES.is_dir(), f"{LAUNCHES} is not there")
    def test_functional_tests_of_megatron(self):
        """Every third real configuration is read, or refused in one line."""
        for path in sorted(LAUNCHES.glob("*.yaml"))[::3]:
            done = run("fit", "--from", path, "--gpu", "H100", "--gpus", 8, "--json")
            self.assertIn(done.returncode, (0, 2, 4), path)
            if done.returncode == USAGE:
                self.assertEqual(done.stderr.count("\n"), 1)


program.main()
