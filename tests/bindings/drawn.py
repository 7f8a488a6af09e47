"""Questions drawn by number: the words of a command line, and the request that asks the same.

The same number draws the same questions on every machine.  Some are refused, some do not fit.
Numbers are written as JavaScript writes them, too, as refusals and commands repeat them.
"""
import pathlib
import random
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md"
# Fields that fit accepts in a request, where they may have no effect, and refuses as options.
ACCEPTED = set(re.findall(r"^\| `([a-z_.]+)` \|.*; without effect where ", PAGE.read_text(), re.M))

MODELS = ["gpt2", "gpt2-xl", "bert-large-uncased", "opt-1.3b", "bloom-7b1", "pythia-6.9b", "falcon-7b",
          "llama-2-13b", "llama-3-8b", "llama-3-70b", "llama-3.2-1b", "mistral-7b-v0.1",
          "mixtral-8x7b-v0.1", "qwen2.5-14b", "qwen3-8b", "qwen3-30b-a3b", "gemma-2-9b",
          "deepseek-v2-lite", "deepseek-v3", "gpt-oss-20b", "gpt3-175b"]
GPUS = ["H100", "H100", "A100-40GB", "A100-80GB", "H200", "B200", "GB200", "MI300X", "V100-32GB", "L40S",
        "RTX4090", "TPU-v5p", "Gaudi3"]
FABRICS = ["InfiniBand NDR 4x", "InfiniBand HDR 4x", "Ethernet 100", "400Gb/s", "no such fabric"]
# Options whose names are not their keys in words.
OPTIONS = {"gpu_memory_bytes": "memory", "host_memory_bytes": "host-memory",
           "cuda_context_bytes": "cuda-context", "communicator_bytes": "communicator",
           "power_limit_w": "power-limit", "preprocessing_s": "preprocessing"}
UNITS = {"bytes": "B", "w": "W", "s": "s"}  # by the last word of a key


def option_of(key):
    return "--" + OPTIONS.get(key, key.replace("_", "-").replace(".", "-"))


def word(key, value):
    if isinstance(value, bool):  # of a choice of names, as those of overlap are, true is one
        names = ("false", "true") if "." in key else ("off", "on")
        return names[value]
    if isinstance(value, list):
        return ",".join(value)
    return str(value) + UNITS.get(key.rpartition("_")[2], "")


def nested(fields):
    """{"overlap.data": True} as {"overlap": {"data": True}}."""
    made = {}
    for key, value in fields.items():
        outer, dot, inner = key.partition(".")
        if dot:
            made.setdefault(outer, {})[inner] = value
        else:
            made[key] = value
    return made


def asked(question, model, parts, options=None):
    """Words and request of fields by part, and of options."""
    words = [question, model]
    for fields in parts.values():
        for key, value in fields.items():
            words += [option_of(key), word(key, value)]
    for key, value in (options or {}).items():
        words += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
    request = {"question": question, "model": model}
    request |= {part: nested(fields) for part, fields in parts.items() if fields}
    return (*words, "--json"), request | ({"options": options} if options else {})


def with_options(request, parts):
    """The request with ACCEPTED fields among its options, so that what the words refuse it does, too."""
    moved = {option_of(key)[2:].replace("-", "_"): word(key, value) for fields in parts.values()
             for key, value in fields.items() if key in ACCEPTED}
    for part, fields in parts.items():
        left = {key: value for key, value in fields.items() if key not in ACCEPTED}
        request = {key: value for key, value in request.items() if key != part}
        request |= {part: nested(left)} if left else {}
    return request | ({"options": request.get("options", {}) | moved} if moved else {})


def some(chance, choices, share):
    """A few of {key: values}, each with a probability, and a value of each."""
    return {key: chance.choice(values) for key, values in choices.items() if chance.random() < share}


LAYOUT = {"data": [1, 2, 4, 8, 16], "tensor": [1, 2, 4, 8], "pipeline": [1, 2, 4, 8],
          "micro_batch_size": [1, 2, 4, 8], "context": [1, 2, 4], "expert": [1, 2, 8],
          "interleave": [1, 2, 4], "expert_tensor": [0, 1, 2], "shard_group": [0, 2, 8],
          "context_exchange": ["ring", "all_to_all"]}
RECIPE = {"sequence_length": [512, 1024, 2048, 4096, 8192, 32768], "zero": [0, 1, 2, 3],
          "recompute": ["none", "selective", "full"], "global_batch_size": [16, 64, 128, 512, 1024, 960],
          "precision": ["mixed_bf16", "fp32", "mixed_fp16", "mixed_fp8", "pure_bf16", "tf32"],
          "sequence_parallel": [True, False],
          "optimizer": ["adam", "sgd", "adam_8bit", "muon", "lion", "adafactor"],
          "attention": ["flash", "unfused"], "schedule": ["gpipe", "1f1b", "zb_h1", "zb_v", "dualpipe"],
          "framework": ["fsdp2", "megatron_2021", "transformer_engine"], "loss": ["fused", "eager"],
          "gradient_dtype": ["fp32", "bf16"], "offload": ["none", "optimizer", "all"],
          "overlap.data": [True, False], "overlap.tensor": ["on", "off"], "cuda_graphs": ["none", "iteration"],
          "adapter_rank": [0, 8, 64], "recompute_every": [1, 2], "power_limit_w": [350, 500],
          "reference_model": ["none", "frozen"], "dispatcher": ["all_to_all", "deep_ep"],
          "expert_imbalance": [1, 1.5], "recompute_modules": [["mlp"], ["moe", "layernorm"]]}
CLUSTER = {"gpus_per_node": [4, 8], "fabric": FABRICS, "gpu_memory_bytes": [64 * 2 ** 30, 50 * 10 ** 9],
           "slowest": [1, 1.05, 0.5], "nvlink_domain": [8, 72], "host_memory_bytes": [2 * 10 ** 12],
           "preprocessing_s": [0.003]}
WORKSPACE = {"cuda_context_bytes": [0, 4 * 10 ** 8], "communicator_bytes": [0, 10 ** 9], "fragmentation": [0, 0.1, 20],
             "variable_lengths": [True]}


def layout_and_recipe(chance):
    layout = {key: chance.choice(LAYOUT[key]) for key in ("data", "tensor", "pipeline", "micro_batch_size")}
    layout |= some(chance, {key: LAYOUT[key] for key in LAYOUT if key not in layout}, 0.1)
    recipe = some(chance, {key: RECIPE[key] for key in ("sequence_length", "zero", "recompute")}, 0.6)
    recipe |= some(chance, {key: RECIPE[key] for key in RECIPE if key not in recipe}, 0.06)
    return layout, recipe


def job(chance):
    """Parts of a request for one layout; some of them make no sense."""
    layout, recipe = layout_and_recipe(chance)
    cluster = {"gpu": chance.choice(GPUS)} | some(chance, CLUSTER, 0.06)
    if chance.random() < 0.3:
        ranks = layout["data"] * layout["tensor"] * layout["pipeline"] * layout.get("context", 1)
        cluster["gpus"] = chance.choice([ranks, ranks, 2 * ranks, 7])
    workspace = some(chance, WORKSPACE, 0.05)
    return {"cluster": cluster, "recipe": recipe, "parallelism": layout, "workspace": workspace}


def evaluations(count, seed):
    """Requests for the standard input of evaluate."""
    chance = random.Random(seed)
    for _ in range(count):
        model = chance.choice(MODELS) if chance.random() < 0.98 else "no-such-model"
        yield {"model": model, **{part: nested(fields) for part, fields in job(chance).items() if fields}}


def fits(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        options = some(chance, {"level": ["0.5", "0.99"], "task": ["sft", "lora", "qlora", "dpo", "rloo"]},
                       0.1)
        words, request = asked("fit", chance.choice(MODELS), parts := job(chance), options)
        yield words, with_options(request, parts)


def plans(count, seed):
    """Of few GPUs, so that a search takes milliseconds."""
    chance = random.Random(seed)
    for _ in range(count):
        recipe = some(chance, {key: RECIPE[key] for key in
                               ("sequence_length", "zero", "recompute", "precision", "optimizer")}, 0.25)
        layout = some(chance, {key: LAYOUT[key] for key in ("tensor", "pipeline", "context")}, 0.15)
        options = some(chance, {"tokens": ["1T", "20B"], "by": ["cost", "energy", "memory"], "top": [1, 3],
                                "price": ["$2/h"], "budget": ["$10k"], "deadline": ["30d"],
                                "risk": ["0.01"], "level": ["0.5"]}, 0.12)
        cluster = {"gpu": chance.choice(GPUS), "gpus": chance.choice([1, 2, 4, 8, 8, 16, 24])}
        yield asked("plan", chance.choice(MODELS[:13]),
                    {"cluster": cluster, "recipe": recipe, "parallelism": layout}, options)


def scales(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        cluster = {"gpu": chance.choice(GPUS[:6]), "gpus": chance.choice([4, 8, 16])}
        options = some(chance, {"fixed_batch": [64, 256]}, 0.5)
        yield asked("scale", chance.choice(MODELS[:9]), {"cluster": cluster}, options)


def models(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        lengths = some(chance, {"sequence_length": [128, 1000, 4096, 131072, 0]}, 0.5)
        lengths |= some(chance, {"encoder_sequence_length": [64]}, 0.1)
        yield asked("model", chance.choice(MODELS), {"recipe": lengths})
