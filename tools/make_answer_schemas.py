#!/usr/bin/env python3
"""Make docs/schema/answer_*.json, the JSON Schemas (draft 2020-12) of answers, or check them.

    make_answer_schemas.py LIBRARY FOLDER [--write]

A schema for each question, and those of an error, alone and of a line.  Shapes are those of the library's own answers to the
requests of tests/bindings/corpus.py and to those below: which members an object has, which of them
always, and what a member holds.  Requests are a sample, so a shape refuses only what no answer may
be: a number may be null, as what is unknown is; a member that was null alone may hold anything; and
an object may have members that no request showed, but for the echoed inputs, whose fields the
library's tables list.  Names of fields come from these tables, words from docs/json.md.
"""
import argparse
import json
import pathlib
import re
import sys

from make_schema import Library

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "bindings"))
import corpus  # noqa: E402

# Objects whose keys are names: of reasons, of memory terms, of layers, of a formula's inputs.
MAPS = [r"search\.rejected", r".*\.at_peak", r"components", r"layer", r"(.*\.)?examples\[\]\.inputs",
        r"inputs", r".*\.searched"]
MAPS_OF = {"formula": MAPS, "model": [r"components"]}
# What holds the fields of the tables and nothing else, at any depth.
CLOSED = re.compile(r"(.*\.)?inputs\.(recipe|parallelism|workspace)(\..*)?")
# Values of whatever field it is, and what the user wrote.
ANY = re.compile(r"changed_inputs\[\]\.[ab]|(.*\.)?inputs\.(model|cluster)")
WORDS = re.compile(r"^\| (.*?) \| (.*) \|$", re.MULTILINE)
HEADS = re.compile(r"^\| key(?: of `(\w+) --json`)? \| what it holds.*\|$", re.MULTILINE)
TEXT = {"type": "string"}


class Shape:
    """What answers have in one place."""

    def __init__(self):
        self.kinds, self.count, self.objects = set(), 0, 0
        self.members, self.item = {}, None

    def add(self, value):
        self.count += 1
        self.kinds.add(kind_of(value))
        if isinstance(value, dict):
            self.objects += 1
            for key, held in value.items():
                self.members.setdefault(key, Shape()).add(held)
        if isinstance(value, list):
            self.item = self.item or Shape()
            for held in value:
                self.item.add(held)

    def nulls(self, key=""):
        """Keys that are null somewhere."""
        if "null" in self.kinds:
            yield key
        for name, member in self.members.items():
            yield from member.nulls(name)
        if self.item:
            yield from self.item.nulls()


def kind_of(value):
    if value is None:
        return "null"
    names = ((bool, "boolean"), ((int, float), "number"), (str, "string"), (list, "array"))
    return next((name for types, name in names if isinstance(value, types)), "object")


def names_of(fields, path):
    """What answers print of a field of the tables that holds a name; None of any other place."""
    steps = path.split(".")
    for part, rows in fields.items():
        if part in steps:
            key = ".".join(steps[steps.index(part) + 1:])
            row = next((row for row in rows if row["key"] == key), None)
            if row and row["kind"] == "name":
                return sorted(set(row["names"].values()))
    return None


def schema_of(shape, path, context):
    """The schema of a place in answers."""
    if shape.kinds == {"null"} or ANY.fullmatch(path):
        return {}
    echoed = CLOSED.fullmatch(path)
    known = echoed or context["closed"] or path == "schema_version"
    unknown = path.rpartition(".")[2] in context["nulls"] or (not known and "number" in shape.kinds)
    kinds = sorted(shape.kinds | ({"null"} if unknown else set()))
    schema = {"type": kinds[0] if len(kinds) == 1 else kinds}
    names = names_of(context["fields"], path)
    if names and kinds == ["string"]:
        schema = {"enum": names}
    if shape.item is not None:
        schema["items"] = schema_of(shape.item, path + "[]", context) if shape.item.count else {}
    if "object" not in shape.kinds:
        return schema
    inner = {key: schema_of(member, f"{path}.{key}" if path else key, context)
             for key, member in shape.members.items()}
    if any(re.fullmatch(one, path) for one in context["maps"]):
        different = {json.dumps(one, sort_keys=True): one for one in inner.values()}
        values = list(different.values())
        schema["additionalProperties"] = values[0] if len(values) == 1 else {"anyOf": values}
        return schema
    schema["properties"] = inner
    schema["required"] = [key for key, member in shape.members.items() if member.count == shape.objects]
    schema["additionalProperties"] = not (echoed or context["closed"])
    return schema


def words_of_page():
    """What docs/json.md says of the members of answers, by question."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    words = {}
    heads = list(HEADS.finditer(page))
    for head, following in zip(heads, [*heads[1:], None]):
        if "## An answer of evaluate" not in page[:head.start()]:
            continue
        table = page[head.end():following.start() if following else None].split("\n\n")[0]
        for keys, text in WORDS.findall(table):
            for key in re.findall(r"`(\w+)`", keys):
                words.setdefault(head[1] or "evaluate", {})[key] = text.replace("`", "").replace("\\|", "|")
    return words


def requests(library):
    """The corpus, and what it lacks: answers of each kind of each question."""
    yield from (members for _, members in corpus.everywhere())
    files = dict(corpus.FILES)
    for name, model in (("before.json", "llama-3-8b"), ("after.json", "mistral-7b-v0.1")):
        files[name] = json.dumps(library.answer(
            {"question": "fit", "model": model, "cluster": {"gpu": "H100"}, "recipe": {"zero": 3},
             "parallelism": {"data": 8}}))
    yield from (corpus.with_files(members, files) for _, members in corpus.apart())
    yield from explained(library, files)
    yield from further()


def explained(library, files):
    """Measurements beside an answer, and answers with a profile of the cluster and without."""
    profile = json.dumps({"schema": "gpuplan-profile", "version": 4,
                          "memory_bandwidth_bytes_per_s": 2e12})
    files["own.json"] = json.dumps(library.answer(
        {"question": "fit", "model": "llama-3-8b", "cluster": {"gpu": "H100"}, "recipe": {"zero": 3},
         "parallelism": {"data": 8}, "options": {"profile": "cluster.json"},
         "files": {"cluster.json": profile}}))
    files["measured.json"] = json.dumps({"step_time_s": 1.0, "allocated_bytes": 3e10,
                                         "reserved_bytes": 3.1e10, "device_bytes": 3.2e10})
    for name in ("profile.json", "memory.json"):
        files[name] = (ROOT / "tests" / "data" / "explain" / name).read_text()
    for a, b in (("own.json", "after.json"), ("after.json", "own.json"), ("own.json", "measured.json"),
                 ("before.json", "profile.json"), ("before.json", "memory.json")):
        yield corpus.with_files({"question": "explain", "options": {"a": a, "b": b}}, files)


def further():
    on = {"model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 16}}
    yield {"question": "plan", **on, "options": {"tokens": "1T", "arrivals": "4/h", "service": "10h",
                                                 "pool_gpus": 64}}
    for task in ("pretrain", "sft", "lora", "qlora", "dpo"):
        yield {"question": "plan", **on, "options": {"task": task}}
        yield {"question": "scale", **on, "options": {"task": task}}
    yield {"question": "plan", **on, "options": {"tokens": "1T", "front": True, "what_if": True}}
    yield {"question": "plan", **on, "options": {"quick": True}}
    yield {"question": "plan", "model": "llama-3-70b", "cluster": on["cluster"], "options": {"quick": True}}
    yield {"question": "plan", **on, "options": {"samples": "1M", "epochs": 3}}
    yield {"question": "scale", "model": "llama-3-70b", "cluster": {"gpu": "H100", "gpus": 1}}
    yield {"question": "fit", **on, "parallelism": {"data": 16}, "options": {"emit": "megatron"}}
    yield {"question": "plan", **on, "options": {"emit": "torchtitan"}}
    yield {"question": "fit", "model": "llama-3-70b", "options": {"emit": "megatron"},
           "cluster": {"gpu": "H100", "gpus": 1}}
    yield {"question": "scale", **on, "options": {"html": True}}
    yield {"question": "evaluate", "requests": [
        {"model": "gpt"}, {"model": "gpt2", "recipe": {"zeroo": 1}}, {},
        {"model": "gpt2", "recipe": {"recompute": "some"}}]}
    yield from of_queues()
    yield {"question": "scale", "model": "llama-3-70b", "cluster": {"gpu": "A10", "gpus": 8}}
    yield {"question": "catalog"}
    for row in ("MI300X", "GB300", "T4", "TPU-v6e", "Trainium2", "Gaudi2"):
        yield {"question": "catalog", "options": {"kind": "accelerators", "name": row}}


def of_queues():
    """Targets, policies that look at more than the order, pools of a trace."""
    trace = {"trace.csv": corpus.FILES["trace.csv"]}
    poisson = {"arrivals": "4/h", "service": "10h", "gpus": 48}
    for target in ("target_p95", "target_mean_wait"):
        yield {"question": "queue", "options": poisson | {target: "1h"}}
        yield {"question": "queue", "options": {"trace": "trace.csv", "gpus": 56, target: "30min"},
               "files": trace}
    for policy in ("all", "antman", "optimus", "themis"):
        yield {"question": "queue", "options": {"trace": "trace.csv", "gpus": 56, "policy": policy},
               "files": trace}
        yield {"question": "queue", "options": poisson | {"policy": policy}}
    yield {"question": "plan", "model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 16},
           "options": {"tokens": "1B", "pool": "trace.csv", "pool_gpus": 64}, "files": trace}


def answers_of(library):
    """Shapes by question, "error" among them."""
    shapes = {}
    for request in requests(library):
        answer = library.answer(request)
        for one in answer if isinstance(answer, list) else [answer]:
            shapes.setdefault(name_of(one, request), Shape()).add(one)
    return shapes


def name_of(answer, request):
    """That of the schema which an answer has."""
    if "error" in answer:
        return "line_error" if "line" in answer else "error"
    alone = answer.keys() - {"schema_version"}
    return alone.pop() if alone in ({"launch"}, {"page"}) else request["question"]


def schemas_of(library):
    fields = library.answer({"question": "evaluate", "options": {"fields": True}})
    shapes = answers_of(library)
    nulls = {key for shape in shapes.values() for key in shape.nulls()} - {""}
    page = words_of_page()
    for name, shape in shapes.items():
        is_error = name in ("error", "line_error")
        context = {"fields": fields, "nulls": set() if is_error else nulls, "closed": is_error,
                   "maps": MAPS_OF.get(name, [one for one in MAPS if one not in ("inputs", "layer")])}
        if is_error:
            context["nulls"] = {"where", "allowed", "did_you_mean"}
        schema = schema_of(shape, "", context)
        words = {} if is_error else page.get("evaluate", {}) | page.get(name, {})
        for key, member in schema["properties"].items():
            if key in words:
                member["description"] = words[key]
        title = {"error": "An error", "line_error": "An error of one request of several"}.get(
            name, f"An answer of {name}")
        yield name, {"$schema": "https://json-schema.org/draft/2020-12/schema",
                     "title": f"{title}, by gpuplan", **schema}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    stale = []
    for name, schema in schemas_of(Library(given.library)):
        path = given.folder / f"answer_{name}.json"
        text = json.dumps(schema, indent=1) + "\n"
        if given.write:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(str(path))
    if stale:
        sys.exit(f"{', '.join(stale)}: stale; {sys.argv[0]} {given.library} {given.folder} --write")


if __name__ == "__main__":
    main()
