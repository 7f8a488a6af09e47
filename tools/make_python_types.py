#!/usr/bin/env python3
"""Make bindings/python/gpuplan/_types.py, what the Python package says of types, or check it.

    make_python_types.py ROOT [--write]

A class for the answer to each question, with its members as docs/schema/answer_QUESTION.json has
them, and the options of each question as docs/schema/request.json has them, but for those that the
function of the question takes by parameters of its own.
"""
import argparse
import ast
import json
import keyword
import pathlib
import sys
import textwrap

# What an answer holds, and what its rows are.
QUESTIONS = {
    "plan": ("The best ways to train a model on a cluster.", "a row for each plan, the best first"),
    "fit": ("Whether a layout fits, and what to change where it does not.", "one row"),
    "model": ("Parameters, FLOPs and KV cache of a model.",
              "a row for each component: its parameters"),
    "evaluate": ("Memory, time and MFU of one layout.", "one row"),
    "scale": ("What more GPUs buy.", "a row for each size"),
    "queue": ("How long jobs wait.", "a row for each policy"),
    "place": ("Which node each job gets.", "a row for each policy"),
    "calibrate": ("A profile of measured rates and links.", "a row for each log"),
    "formula": ("A formula with its value, looked up, or several that were found.",
                "one row; of one looked up a row for each symbol, of several a row for each"),
    "catalog": ("Known GPUs, fabrics and models.",
                "a row for each entry; of one entry a row for each fact"),
    "explain": ("Why two answers differ.", "a row for each term of the step, then of the memory"),
    "collective": ("How long one collective takes on its own.", "one row")}
# Options that a function takes under another name, or has no use for.
TAKEN = {"calibrate": {"log"}, "catalog": {"kind", "name"}, "explain": {"a", "b"},
         "formula": {"words"}, "evaluate": {"fields"}}
PLAIN = {"string": "str", "boolean": "bool", "number": "float", "integer": "int"}
HEAD = '''"""Types of answers and of options. Made by tools/make_python_types.py: do not edit."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypedDict, Union

from . import _kinds
from ._results import Result

Word = Union[str, float, SupportsIndex, "os.PathLike[str]"]
Option = Union[Word, Sequence[Word], None]
Flag = Union[bool, None]
'''


def type_of(schema):
    """The annotation of a place in an answer."""
    if "enum" in schema:
        return "str"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        return "Any"
    names = [list_of(schema) if kind == "array" else PLAIN.get(kind, "Result")
             for kind in kinds if kind != "null"]
    return " | ".join([*names, *(["None"] if "null" in kinds else [])])


def list_of(schema):
    return f"list[{type_of(schema.get('items') or {})}]"


def class_name(question):
    return question.capitalize() + "Result"


def answer_class(question, schema, taken):
    what, rows = QUESTIONS[question]
    lines, explained = [], {}
    for name, member in schema["properties"].items():
        if name in ("schema_version", "launch"):
            continue
        if name in taken:
            sys.exit(f"make_python_types.py: {question} answers {name}, which results have already")
        lines.append(f"    {name}: {type_of(member)}")
        words = member.get("description", "").replace("`", "").replace("\\", "")
        explained.setdefault(words or name, []).append(name)
    doc = [f'    """{what}', "", f"    rows(): {rows}.", ""]
    for words, names in explained.items():
        text = ", ".join(names) + (f": {words}" if words != names[0] else "")
        doc += textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="        ")
    doc.append('    """')
    return "\n".join([f"class {class_name(question)}(_kinds.Of{question.capitalize()}):", *doc,
                      "    __slots__ = ()", *lines]) + "\n"


def option_class(question, options, taken):
    lines = []
    for name, schema in options.items():
        if name in taken or name == "html" or "-" in name:
            continue
        spelled = name + "_" if keyword.iskeyword(name) else name
        lines.append(f"    {spelled}: {'Flag' if schema.get('$ref', '').endswith('/flag') else 'Option'}")
    doc = f'    """Options of {question}, by their long names."""'
    return "\n".join([f"class {question.capitalize()}Options(TypedDict, total=False):", doc,
                      *lines]) + "\n"


def functions_of(path):
    """Parameters of each function of a module, by name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {one.name: {arg.arg for arg in [*one.args.args, *one.args.kwonlyargs]}
            for one in tree.body if isinstance(one, ast.FunctionDef)}


def members_of(path, name):
    """Names that a class of a module defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    [found] = [one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name]
    return {one.name for one in found.body if isinstance(one, ast.FunctionDef)}


def text_of(root):
    package = root / "bindings" / "python" / "gpuplan"
    schemas = root / "docs" / "schema"
    parameters = functions_of(package / "__init__.py")
    taken = {"keys", "items", "values", "get"}
    for module, name in (("_results.py", "Result"), ("_kinds.py", "Paged")):
        taken |= members_of(package / module, name)
    parts = [HEAD]
    for question in QUESTIONS:
        schema = json.loads((schemas / f"answer_{question}.json").read_text(encoding="utf-8"))
        parts.append(answer_class(question, schema, taken))
    request = json.loads((schemas / "request.json").read_text(encoding="utf-8"))
    for one in request["oneOf"]:
        question = one["title"]
        options = one["properties"]["options"]["properties"]
        own = parameters[question] | TAKEN.get(question, set())
        if question not in ("catalog", "formula"):
            parts.append(option_class(question, options, own))
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    path = given.root / "bindings" / "python" / "gpuplan" / "_types.py"
    text = text_of(given.root)
    if given.write:
        path.write_text(text, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path} is stale: {sys.argv[0]} {given.root} --write")


if __name__ == "__main__":
    main()
