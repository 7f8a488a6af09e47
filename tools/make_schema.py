#!/usr/bin/env python3
"""Make docs/schema/request.json, the JSON Schema (draft 2020-12) of a request, or check that it is
what the library knows.

    make_schema.py LIBRARY PAGE [--write]

The fields of cluster, recipe, parallelism and workspace come from the library's tables
({"question": "evaluate", "options": {"fields": true}}); options, and which fields a question knows,
from its refusals.  The schema is narrower than the library: it spells options with underscores, and
names as the tables do.
"""
import argparse
import ctypes
import json
import pathlib
import sys

PARTS = ["cluster", "recipe", "parallelism", "workspace"]
TEXT = {"type": "string", "minLength": 1}
WORD = {"type": ["string", "number", "boolean", "null"]}


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


def exact(row):
    """What a field may hold in a request of evaluate."""
    kind = row["kind"]
    bounds = {"minimum": row["least"], "maximum": row["most"]}
    names = {"type": "string", "enum": list(row["names"])}
    if kind == "number" and row["unit"]:  # a text says the unit, as 80GiB
        return {"anyOf": [{"type": kind, **bounds}, TEXT]}
    if kind in ("integer", "number"):
        return {"type": kind, **bounds}
    if kind == "flag":
        return {"type": "boolean"}
    if kind == "flag or probability":
        return {"anyOf": [{"type": "boolean"}, {"type": "number", **bounds}]}
    if kind == "name":
        switch = [{"type": "boolean"}] if {"true", "false"} <= set(row["names"]) else []
        return {"anyOf": [names, *switch]} if switch else names
    if kind == "number or name":
        return {"anyOf": [{"type": "integer", **bounds}, names]}
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


def as_option(part, row):
    """What it may hold where an option reads it: as it is typed, too, and several for a search."""
    inner = row["key"].replace(".", "/properties/")
    return {"anyOf": [{"$ref": f"#/$defs/evaluated_{part}/properties/{inner}"},
                      {"$ref": "#/$defs/text"}]}


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


def options_of(library, question):
    """The options that a question knows."""
    unknown = library.refusal({"question": question, "options": {"?": 1}})
    properties = {}
    for name in unknown["allowed"]:
        error = library.refusal({"question": question, "options": {name: {}}})
        is_flag = error["allowed"] == ["true", "false"]
        properties[name.replace("-", "_")] = {"$ref": "#/$defs/flag" if is_flag else "#/$defs/typed"}
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def knows(library, question, part, key):
    outer, dot, inner = key.partition(".")
    value = {outer: {inner: [[]]}} if dot else {outer: [[]]}
    return "has no effect on" not in library.refusal({"question": question, part: value})["what"]


def members_of(library, question, fields):
    members = {"question": {"const": question}, "options": options_of(library, question),
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
        if known and len(known) == len(fields[part]):
            members[part] = {"$ref": f"#/$defs/{part}"}
        elif known:
            members[part] = object_of(part, known, as_option)
    return members


def schema_of(library):
    fields = library.answer({"question": "evaluate", "options": {"fields": True}})
    questions = library.refusal({})["allowed"]
    definitions = {
        "flag": {"type": ["boolean", "null"]},
        "text": {"anyOf": [TEXT, {"type": "array", "items": WORD}]},
        "typed": {"anyOf": [WORD, {"type": "array", "items": WORD}]},
        "model": {"description": "A name of the catalogue, a config.json, or one of files",
                  "anyOf": [TEXT, {"type": ["object", "null"]}]},
        "files": {"description": "Texts by name", "type": ["object", "null"],
                  "additionalProperties": {"type": "string"}}}
    for part in PARTS:
        definitions[part] = object_of(part, fields[part], as_option)
        definitions[f"evaluated_{part}"] = object_of(part, fields[part], evaluated)
    pool = {"$ref": "#/$defs/evaluated_cluster"}
    definitions["evaluated_clusters"] = {"anyOf": [pool, {"type": "array", "items": pool}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A request of gpuplan",
            "type": "object",
            "properties": {"question": {"enum": questions}},
            "required": ["question"],
            "oneOf": [{"title": question, "properties": members_of(library, question, fields),
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
