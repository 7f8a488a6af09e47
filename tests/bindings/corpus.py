"""Questions of every kind: the words of a command line, and the request that asks the same."""
import itertools
import json
import pathlib
import re

import drawn

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
CONFIGS = DATA / "configs"

FILES = {
    "nodes.csv": "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\nb,32000,131072,4,T4\n",
    "jobs.csv": "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n"
                "j0,8000,16384,4,1000,,LS,0,100\nj1,8000,16384,4,1000,,BE,1,50\n"
                "j2,1000,1024,1,500,T4,LS,2,90\nj3,1000,1024,8,1000,,BE,60,200\n",
    "trace.csv": "submit_s,gpus,duration_s\n" + "".join(
        f"{60 * i},{1 + i * i % 8},{600 + 977 * i % 5000}\n" for i in range(200)),
    "train.log": "".join(
        f" iteration {i}/ 100 | elapsed time per iteration (ms): {1000 + i} | global batch size: 8 |\n"
        for i in range(1, 10)),
    "args.sh": "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --ffn-hidden-size 14336 "
               "--group-query-attention --num-query-groups 8 --swiglu --seq-length 8192 "
               "--max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 128 "
               "--tensor-model-parallel-size 8 --bf16 --use-distributed-optimizer --vocab-size 128256 "
               "--untie-embeddings-and-output-weights --normalization RMSNorm "
               "--disable-bias-linear --position-embedding-type rope --use-flash-attn\n",
    "config.json": (CONFIGS / "qwen3-0.6b.json").read_text(),
    "broken.json": "{\"layers\": ",
}


def words(options):
    """{"tokens": "1T", "verbose": True} as options of a command line."""
    for key, value in options.items():
        option = "--" + key.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, list):
            for one in value:
                yield from (option, str(one))
        else:
            yield from (option, str(value))


def asked(question, model, gpu, gpus, **options):
    """A question of a model and a cluster, with options."""
    cluster = {"gpu": gpu} | ({"gpus": gpus} if gpus else {})
    size = ("--gpus", str(gpus)) if gpus else ()
    return ((question, model, "--gpu", gpu, *size, *words(options), "--json"),
            {"question": question, "model": model, "cluster": cluster, "options": options})


def plans():
    for model, (gpu, gpus) in itertools.product(
            ("gpt2", "llama-3-8b", "mixtral-8x7b-v0.1"),
            (("H100", 8), ("A100-80GB", 64), ("B200", 16))):
        yield asked("plan", model, gpu, gpus, tokens="100B")
    yield asked("plan", "llama-3-8b", "H100", 64, by="cost", deadline="90d", tokens="1T")
    yield asked("plan", "llama-3-8b", "H100", 64, top=5, batch=512, sequence=4096)
    yield asked("plan", "llama-3-8b", "H100", 16, budget="$1M", tokens="1T", front=True)
    yield asked("plan", "llama-3-70b", "A100-40GB", 8)  # nothing fits
    yield asked("plan", "config.json", "H100", 8)
    yield (("plan", "llama-3-8b", "--gpu", "H100,A100-80GB", "--gpus", "8,16", "--json"),
           {"question": "plan", "model": "llama-3-8b",
            "cluster": {"gpu": ["H100", "A100-80GB"], "gpus": [8, 16]}})
    yield (("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64", "--fabric", "50000000000.0B/s",
            "--latency", "5e-06s", "--recompute", "full", "--overlap-data", "off", "--json"),
           {"question": "plan", "model": "llama-3-8b",
            "cluster": {"gpu": "H100", "gpus": 64,
                        "fabric": {"latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9}},
            "recipe": {"recompute": "full", "overlap": {"data": False}}})


def fits():
    for model, tensor, zero in itertools.product(
            ("gpt2-xl", "llama-3-8b", "gemma-2-9b", "qwen3-30b-a3b"), (1, 2), (0, 1, 3)):
        yield (("fit", model, "--gpu", "H100", "--tensor", str(tensor), "--data", "8", "--zero",
                str(zero), "--json"),
               {"question": "fit", "model": model, "cluster": {"gpu": "H100"},
                "recipe": {"zero": zero}, "parallelism": {"tensor": tensor, "data": 8}})
    yield (("fit", "llama-3-8b", "--gpu", "A100-80GB", "--pipeline", "4", "--data", "2", "--batch", "64",
            "--layer-split", "9,8,8,7", "--memory", "68719476736B", "--cuda-context", "4e8B",
            "--fragmentation", "0.1", "--sequence-parallel", "off", "--json"),
           {"question": "fit", "model": "llama-3-8b",
            "cluster": {"gpu": "A100-80GB", "gpu_memory_bytes": 68719476736},
            "recipe": {"global_batch_size": 64, "layer_split": [9, 8, 8, 7], "sequence_parallel": False},
            "parallelism": {"pipeline": 4, "data": 2},
            "workspace": {"cuda_context_bytes": 4e8, "fragmentation": 0.1}})
    yield (("fit", "deepseek-v2-lite", "--gpu", "H200", "--data", "8", "--expert", "8", "--dispatcher",
            "deep_ep", "--recompute-modules", "moe,layernorm", "--offload", "optimizer",
            "--host-memory", "2e12B", "--json"),
           {"question": "fit", "model": "deepseek-v2-lite",
            "cluster": {"gpu": "H200", "host_memory_bytes": 2e12},
            "recipe": {"dispatcher": "deep_ep", "recompute_modules": ["moe", "layernorm"],
                       "offload": "optimizer"},
            "parallelism": {"data": 8, "expert": 8}})
    yield (("fit", "--from", "args.sh", "--gpu", "H100", "--gpus", "64", "--json"),
           {"question": "fit", "cluster": {"gpu": "H100", "gpus": 64}, "options": {"from": "args.sh"}})
    yield (("fit", "llama-3-8b", "--gpu", "H100", "--adapter-rank", "16", "--base-weights", "int4",
            "--dropout", "on", "--json"),
           {"question": "fit", "model": "llama-3-8b", "cluster": {"gpu": "H100"},
            "recipe": {"adapter_rank": 16, "base_weights": "int4", "dropout": 0.1}})


def models():
    for path in sorted(CONFIGS.glob("*.json")):
        yield (("model", path.stem, "--json"), {"question": "model", "model": path.stem})
    yield (("model", "llama-3-8b", "--sequence", "4096", "--json"),
           {"question": "model", "model": "llama-3-8b", "recipe": {"sequence_length": 4096}})
    yield (("model", "resnet-50", "--json"), {"question": "model", "model": "resnet-50"})
    yield (("model", "config.json", "--json"), {"question": "model", "model": "config.json"})


def scales():
    yield asked("scale", "gpt2", "H100", 64)
    yield asked("scale", "llama-3-8b", "H100", 64, fixed_batch=256)
    yield asked("scale", "llama-3-8b", "A100-80GB", 32, batch_per_gpu=4, level="0.5")


def queues():
    for gpus, distribution, scv in itertools.product(
            (48, 64, 96), ("exponential", "lognormal", "weibull"), ("1", "4")):
        if distribution == "exponential" and scv != "1":
            continue
        options = {"arrivals": "4/h", "service": "10h", "gpus": gpus, "distribution": distribution,
                   "service_scv": scv}
        yield ("queue", *words(options), "--json"), {"question": "queue", "options": options}
    for options in ({"arrivals": "4/h", "service": "10h", "target_mean_wait": "10min"},
                    {"arrivals": "4/h", "service": "10h", "what_if": "48,64"},
                    {"arrivals": "4/h", "service": "10h", "gpus": 30},  # unstable
                    {"arrivals": "4/h", "service": "10h", "gpus": 192, "gpus_per_job": "1:60%,8:40%"},
                    {"arrivals": "2/h", "service": "3h", "gpus": 16, "policy": ["fcfs", "las"]},
                    {"trace": "trace.csv", "gpus": 64},
                    {"trace": "trace.csv", "gpus": 64, "policy": "fcfs,sjf"}):
        flat = {key: ",".join(value) if isinstance(value, list) else value
                for key, value in options.items()}
        yield ("queue", *words(flat), "--json"), {"question": "queue", "options": options}


def places():
    for options in ({}, {"policy": "all"}, {"policy": "best-fit", "list": True},
                    {"policy": "fgd", "matrix": True}, {"policy": "random", "seed": 7},
                    {"leave": True, "policy": "best-fit"}, {"wait": "in-turn", "policy": "all"},
                    {"order": "largest-first"}):
        all_options = {"nodes": "nodes.csv", "jobs": "jobs.csv"} | options
        yield ("place", *words(all_options), "--json"), {"question": "place", "options": all_options}


def formulas():
    for given in ("erlang_c servers=5 offered=4", "erlang_b servers=3 offered=2", "erlang_c", "amdahl",
                  "waiting time", "checkpoint", "ring_all_reduce"):
        yield (("formula", *given.split(), "--json"),
               {"question": "formula", "options": {"words": given.split()}})
    for search in ("bubble", "all-reduce ring", "nothing of the kind"):
        yield (("formula", "--search", search, "--json"),
               {"question": "formula", "options": {"search": search}})
    yield ("formula", "--json"), {"question": "formula"}


def catalogs():
    yield ("catalog", "--json"), {"question": "catalog"}
    for kind in ("accelerators", "fabrics", "models", "families", "multiprocessors"):
        yield ("catalog", kind, "--json"), {"question": "catalog", "options": {"kind": kind}}
    for name in ("H100", "A100-40GB", "H200", "B200", "MI300X", "TPU-v5p", "V100-32GB"):
        yield (("catalog", "accelerators", name, "--json"),
               {"question": "catalog", "options": {"kind": "accelerators", "name": name}})


def calibrations():
    yield (("calibrate", "train.log", "--json"),
           {"question": "calibrate", "options": {"log": "train.log"}})
    yield (("calibrate", "train.log", "--gpu", "H100", "--model", "llama-3-8b", "--layout",
            "data=8,sequence_length=2048", "--force", "--json"),
           {"question": "calibrate", "model": "llama-3-8b",
            "options": {"log": ["train.log"], "gpu": "H100", "force": True,
                        "layout": "data=8,sequence_length=2048"}})


def explanations():
    for stage in ({}, {"stage": 1}):
        yield (("explain", "before.json", "after.json", *words(stage), "--json"),
               {"question": "explain", "options": {"a": "before.json", "b": "after.json"} | stage})


def evaluations():
    """Requests for standard input."""
    for model, tensor, precision in itertools.product(
            ("gpt2", "llama-3-8b", "mixtral-8x7b-v0.1", "deepseek-v3"), (1, 8), ("bf16", "fp8", "fp32")):
        yield {"model": model, "cluster": {"gpu": "H100"}, "parallelism": {"tensor": tensor},
               "recipe": {"precision": precision}}
    yield {"model": json.loads(FILES["config.json"]), "recipe": {"zero": 3, "overlap": {"data": True}},
           "parallelism": {"data": 8}}
    yield {"model": "llama-3-8b", "cluster": [{"gpu": "H100", "gpus": 4}, {"gpu": "A100-80GB", "gpus": 4}],
           "parallelism": {"data": 8}}


def refusals():
    """Words, the request, and the place in it that is to blame."""
    on = ("--gpu", "H100", "--gpus", "8")
    pool = {"gpu": "H100", "gpus": 8}
    yield (("plan", "gpt2", "--gpu", "H1000", "--gpus", "8"),
           {"question": "plan", "model": "gpt2", "cluster": {"gpu": "H1000", "gpus": 8}}, "cluster.gpu")
    yield (("plan", "llama-3-8c", *on),
           {"question": "plan", "model": "llama-3-8c", "cluster": pool}, "model")
    yield (("fit", "gpt2", *on, "--zero", "zero3"),
           {"question": "fit", "model": "gpt2", "cluster": pool, "recipe": {"zero": "zero3"}},
           "recipe.zero")
    yield (("plan", "gpt2", *on, "--tokens", "15Q"),
           {"question": "plan", "model": "gpt2", "cluster": pool, "options": {"tokens": "15Q"}},
           "options.tokens")
    yield (("model", "broken.json"), {"question": "model", "model": "broken.json"}, "files.broken.json")
    yield (("model", "missing.json"), {"question": "model", "model": "missing.json"}, "model")
    yield (("fit", "gpt2", "--gpu", "H100", "--tensor", "0"),
           {"question": "fit", "model": "gpt2", "cluster": {"gpu": "H100"}, "parallelism": {"tensor": 0}},
           "parallelism.tensor")
    yield (("queue", "--arrivals", "4", "--service", "10h", "--gpus", "64"),
           {"question": "queue", "options": {"arrivals": "4", "service": "10h", "gpus": 64}},
           "options.arrivals")
    yield (("catalog", "accelerators", "H1000"),
           {"question": "catalog", "options": {"kind": "accelerators", "name": "H1000"}}, "options.name")
    yield (("place", "--nodes", "nodes.csv", "--jobs", "jobs.csv", "--policy", "best-fi"),
           {"question": "place", "options": {"nodes": "nodes.csv", "jobs": "jobs.csv",
                                             "policy": "best-fi"}}, "options.policy")


def collectives():
    for kind, size, gpu, gpus, options in (
            ("all-reduce", "1GB", "H100", 64, {}), ("all-gather", "64MiB", "A100-80GB", 8, {}),
            ("all-to-all", "1MB", "H200", 8, {"level": "0.5"}), ("reduce", "8B", "T4", 16, {}),
            ("broadcast", "256MB", "GB200", 144, {}), ("reduce-scatter", "1GB", "B200", 32, {})):
        yield (("collective", kind, "--bytes", size, "--gpu", gpu, "--gpus", str(gpus),
                *words(options), "--json"),
               {"question": "collective", "cluster": {"gpu": gpu, "gpus": gpus},
                "options": {"kind": kind, "bytes": size} | options})


OPTION = re.compile(r"--[a-z][a-z0-9-]*|\b(?:cluster|recipe|parallelism|workspace|options)"
                    r"\.[a-z0-9_]+(?:\.[a-z]+)?")


def without_options(line):
    """A line that refuses, as the command line and as an answer in JSON have it: options have names
    of each, numbers and flags are no strings, and an answer does not point to the help of the program."""
    line = re.sub(r"; see gpuplan .*--help$", "", line)
    line = re.sub("^catalog: NAME must", "OPTION must", line)
    line = re.sub(r'not the string "(-?[0-9][0-9.e+-]*|true|false|on|off)"', r"not \1", line)
    line = re.sub("not true$", "not on", re.sub("not false$", "not off", line))
    return OPTION.sub("OPTION", re.sub("^MODEL ", "model ", line))


def with_files(members, files):
    """The request with the texts of the files that it names."""
    named = json.dumps(members)
    held = {name: text for name, text in files.items() if f'"{name}"' in named}
    return {**members, "files": held} if held else members


def common():
    """Questions that every door answers: words and request."""
    for kind in (plans, fits, models, scales, catalogs):
        yield from kind()


def everywhere():
    """1 000 questions that every door answers: words, or None for a line of evaluate, and request."""
    questions = [(words, with_files(members, FILES)) for words, members in common()]
    questions += [(words, with_files(members, FILES)) for words, members, _ in refusals()
                  if members["question"] in ("plan", "fit", "model", "catalog")]
    for kind, count in ((drawn.fits, 300), (drawn.plans, 60), (drawn.scales, 10), (drawn.models, 60)):
        questions += kind(count, seed=19)
    lines = [*evaluations(), *drawn.evaluations(1000, seed=19)]
    lines = lines[:1000 - len(questions)]
    return questions + [(None, {"question": "evaluate", **one}) for one in lines]


def apart():
    """Questions that the module of the browser leaves out: words and request."""
    for kind in (queues, places, formulas, calibrations, explanations, collectives):
        yield from kind()
