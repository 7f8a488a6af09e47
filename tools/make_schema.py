#!/usr/bin/env python3
"""Make docs/schema/request.json, the JSON Schema (draft 2020-12) of a request, or check that it is
what the library knows.

    make_schema.py LIBRARY PAGE [--write]

The fields of cluster, recipe, parallelism and workspace come from the library's tables
({"question": "evaluate", "options": {"fields": true}}); options, and which fields a question knows,
from its refusals, and so the names that an option is limited to.  Names of the catalogue are any
text.
"""
import argparse
import ctypes
import json
import pathlib
import re
import sys

PARTS = ["cluster", "recipe", "parallelism", "workspace"]
TEXT = {"type": "string", "minLength": 1}
QUANTITY = {"type": "string", "pattern": "[A-Za-z]"}  # with its unit
ANY = {"type": "string", "pattern": "^[Aa][Nn][Yy]$"}
JOB = {"model": "gpt2", "cluster": {"gpu": "H100", "gpus": 8}}
NO_NAME = "no-such-name"


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(str(pathlib.Path(path).resolve()))
        library.gpuplan_answer.restype = ctypes.c_void_p
        library.gpuplan_answer.argtypes = [ctypes.c_char_p]
        library.gpuplan_free.argtypes = [ctypes.c_void_p]
        self.library = library

    def answer(self, request):
        text = self.library.gpuplan_answer(json.dumps(request).encode())
        answer = json.loads(ctypes.string_at(text))
        self.library.gpuplan_free(text)
        return answer

    def refusal(self, request):
        return self.answer(request)["error"]


def one_of(names):
    """Names as the tables spell them, or by their letters and digits alone, in either case."""
    gap = "[^0-9A-Za-z]*"
    spelled = sorted({re.sub(gap, "", name).lower() for name in names})
    letters = [gap.join(f"[{one.upper()}{one}]" if one.isalpha() else one for one in name)
               for name in spelled]
    return {"anyOf": [{"type": "string", "enum": list(names)},
                      {"type": "string", "pattern": f"^{gap}({'|'.join(letters)}){gap}$"}]}


def exact(row):
    """What a field may hold in a request of evaluate."""
    kind = row["kind"]
    bounds = {"minimum": row["least"], "maximum": row["most"]}
    names = one_of(row["names"])
    if kind == "number" and row["unit"]:  # a text says the unit, as 80GiB
        return {"anyOf": [{"type": kind, **bounds}, QUANTITY]}
    if kind in ("integer", "number"):
        return {"type": kind, **bounds}
    if kind == "flag":
        return {"type": "boolean"}
    if kind == "flag or probability":
        return {"anyOf": [{"type": "boolean"}, {"type": "number", **bounds}]}
    if kind == "name":
        switch = [{"type": "boolean"}] if {"true", "false"} <= set(row["names"]) else []
        return {"anyOf": names["anyOf"] + switch}
    if kind == "number or name":
        return {"anyOf": [{"type": "integer", **bounds}, *names["anyOf"]]}
    if kind == "array of integers":
        return {"type": "array", "items": {"type": "integer", **bounds}}
    if kind == "array of names":
        return {"type": "array", "items": names}
    if row["key"] == "fabric":
        link = {key: {"type": "number"} for key in ("latency_s", "bandwidth_bytes_per_s")}
        return {"anyOf": [TEXT, {"type": "object", "properties": link, "required": list(link),
                                 "additionalProperties": False}]}
    if kind == "name of the catalogue":
        return TEXT
    raise SystemExit(f"make_schema.py: {row['key']} has the kind {kind}, which is not known here")


def evaluated(part, row):
    return {"description": row["help"], "anyOf": [exact(row), {"type": "null"}]}


def reference(part, row):
    inner = row["key"].replace(".", "/properties/")
    return {"$ref": f"#/$defs/evaluated_{part}/properties/{inner}"}


def refused_for(library, question, place, members, value):
    """The error of a request that is refused for the value that it has at a place, which the error
    shows; None where it is not, or is refused for something else."""
    error = library.answer({"question": question, **members}).get("error")
    shows = error and json.dumps(value).replace(" ", "").strip('"') in error["what"]
    return error if shows and error["where"] == place else None


def asked_by(library, question):
    """How a question reads a field: as evaluate does; also "any", where it searches it, and a list
    of values, where it compares them."""
    def shape(part, row):
        outer, dot, inner = row["key"].partition(".")

        def takes(value):
            fields = {**JOB.get(part, {}), outer: {inner: value} if dot else value}
            return not refused_for(library, question, f"{part}.{row['key']}",
                                   {**JOB, part: fields}, value)

        def takes_list():  # a type is refused without a look at the values
            fields = {**JOB.get(part, {}), outer: {inner: [{}]} if dot else [{}]}
            return "not an array" not in library.refusal(
                {"question": question, **JOB, part: fields})["what"]
        more = []
        if row["kind"] != "name of the catalogue" and takes("any"):
            more.append(ANY)
        if not row["kind"].startswith("array") and takes_list():
            more.append({"type": "array", "minItems": 1, "items": reference(part, row)})
        return {"anyOf": [reference(part, row), *more]} if more else reference(part, row)
    return shape


def object_of(part, rows, shape):
    """An object of fields; a key with a dot is a field of an object within."""
    properties = {}
    for row in rows:
        field = shape(part, row)
        outer, dot, inner = row["key"].partition(".")
        if not dot:
            properties[outer] = field
            continue
        within = properties.setdefault(outer, {"type": ["object", "null"], "properties": {},
                                               "additionalProperties": False})
        within["properties"][inner] = field
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def option_shape(library, question, name, definitions):
    """What an option may hold, by what the question refuses in a request of which all else is good.
    Lists of names are added to the definitions."""
    place = f"options.{name}"
    error = library.refusal({"question": question, "options": {name: {}}})
    if error["allowed"] == ["true", "false"]:
        return {"$ref": "#/$defs/flag"}

    def refused(value):
        members = JOB if question in ("plan", "fit", "scale") else {}
        return refused_for(library, question, place, {**members, "options": {name: value}},
                           value)

    names = (refused(NO_NAME) or {}).get("allowed")
    if isinstance(names, list) and not isinstance((refused(f"{names[0]},{names[-1]}") or {}).get("allowed"),
                                                  list):
        names = None  # several with commas
    if isinstance(names, list):
        numbers = any(not refused(value) for value in (0, 1, 2))
        switch = {"on", "off"} <= set(names)
        kinds = [{"type": kind} for kind, holds in (("number", numbers), ("boolean", switch)) if holds]
        shape = {"anyOf": [*one_of(names)["anyOf"], *kinds, {"type": "null"}]}
        known = [one for one, other in definitions.items() if other == shape]
        key = known[0] if known else f"option_{name}"
        definitions[key] = shape
        return {"$ref": f"#/$defs/{key}"}
    without = [kind for kind, values in (("number", (0.5, 1, 2, 8, 100)), ("boolean", (True, False)))
               if all(refused(value) for value in values)]
    return {"$ref": "#/$defs/" + "_".join(["typed", *(f"no_{kind}" for kind in without)])}


def options_of(library, question, aliases, definitions):
    """The options that a question knows, by all their names, with hyphens or underscores."""
    unknown = library.refusal({"question": question, "options": {"?": 1}})
    properties = {}
    for name in unknown["allowed"]:
        shape = option_shape(library, question, name, definitions)
        for one in aliases.get(name.replace("_", "-"), [name]):
            properties[one.replace("-", "_")] = properties[one.replace("_", "-")] = shape
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def knows(library, question, part, key):
    outer, dot, inner = key.partition(".")
    value = {outer: {inner: [[]]}} if dot else {outer: [[]]}
    return "has no effect on" not in library.refusal({"question": question, part: value})["what"]


def members_of(library, question, fields, definitions):
    aliases = {names[0]: names for part in PARTS for row in fields[part]
               for names in [[one[2:] for one in row["option"].split(",")]]}
    members = {"question": {"const": question},
               "options": options_of(library, question, aliases, definitions),
               "files": {"$ref": "#/$defs/files"}}
    if question == "evaluate":
        parts = {part: {"$ref": f"#/$defs/evaluated_{part}"} for part in PARTS}
        parts["cluster"] = {"$ref": "#/$defs/evaluated_clusters"}
        return members | {"model": {"$ref": "#/$defs/model"}} | parts | {
            "requests": {"type": ["array", "string"]}}
    if "has no effect" not in library.refusal({"question": question, "model": ""})["what"]:
        members["model"] = {"$ref": "#/$defs/model"}
    for part in PARTS:
        known = [row for row in fields[part] if knows(library, question, part, row["key"])]
        shape = asked_by(library, question)
        if known == fields[part] and all(shape(part, row) == reference(part, row) for row in known):
            members[part] = {"$ref": f"#/$defs/evaluated_{part}"}
        elif known:
            members[part] = object_of(part, known, shape)
    return members


def typed():
    """A text, a number, a flag or several of them; without those that an option always refuses."""
    shapes = {}
    for without in ((), ("number",), ("boolean",), ("number", "boolean")):
        kinds = [kind for kind in ("number", "boolean") if kind not in without]
        word = {"anyOf": [TEXT, {"type": [*kinds, "null"]}]}
        several = {"type": "array", "items": {"anyOf": [TEXT, {"type": ["number", "boolean"]}]}}
        shapes["_".join(["typed", *(f"no_{kind}" for kind in without)])] = {
            "anyOf": [*word["anyOf"], several]}
    return shapes


def schema_of(library):
    fields = library.answer({"question": "evaluate", "options": {"fields": True}})
    questions = library.refusal({})["allowed"]
    definitions = {
        "flag": {"type": ["boolean", "null"]},
        **typed(),
        "model": {"description": "A name of the catalogue, a config.json, or one of files",
                  "anyOf": [TEXT, {"type": ["object", "null"]}]},
        "files": {"description": "Texts by name", "type": ["object", "null"],
                  "additionalProperties": {"type": "string"}}}
    for part in PARTS:
        definitions[f"evaluated_{part}"] = object_of(part, fields[part], evaluated)
    pool = {"$ref": "#/$defs/evaluated_cluster"}
    sized = {"allOf": [pool, {"type": "object", "required": ["gpus"],
                              "properties": {"gpus": {"type": "integer"}}}]}
    definitions["evaluated_clusters"] = {
        "anyOf": [pool, {"type": "array", "minItems": 1, "items": sized}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A request of gpuplan",
            "type": "object",
            "properties": {"question": {"enum": questions}},
            "required": ["question"],
            "oneOf": [{"title": question, "properties": members_of(library, question, fields, definitions),
                       "additionalProperties": False} for question in questions],
            "$defs": definitions}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = json.dumps(schema_of(Library(given.library)), indent=1) + "\n"
    if given.write:
        given.page.parent.mkdir(parents=True, exist_ok=True)
        given.page.write_text(text)
    elif not given.page.exists() or given.page.read_text() != text:
        sys.exit(f"{given.page} is stale: {sys.argv[0]} {given.library} {given.page} --write")


if __name__ == "__main__":
    main()
