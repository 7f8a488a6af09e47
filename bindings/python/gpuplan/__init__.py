"""Plans the training of neural networks on GPUs: memory, time, cost and queues.

    import gpuplan
    best = gpuplan.plan("llama-3-8b", gpu="H100", gpus=64, tokens="1T")
    print(best.plans[0].step_time_s, best.run.cost_dollars)

Each function asks one question of the command line, and its result is what the command line prints
with --json: docs/json.md describes the members. A model is a name of the catalogue, a config.json as
a dictionary, or a pathlib.Path of one. `cluster`, `recipe`, `parallelism` and `workspace` are
dictionaries of the fields of docs/json.md, or those of another result; every other keyword is an
option by its long name, with underscores, and one after a name that Python keeps: `assert_`. Numbers
may be those of numpy. "Does not fit" is an ordinary result; a request that makes no sense raises
RequestError.
"""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeVar, Union, overload

from ._json import json_text, plain
from ._library import answer_text, version
from ._results import AssertionFailed, GpuplanError, RequestError, Result, error_of
from ._types import (CalibrateOptions, CalibrateResult, CatalogResult, CollectiveOptions,
                     CollectiveResult, EvaluateOptions, EvaluateResult, ExplainOptions,
                     ExplainResult, FitOptions, FitResult, FormulaResult, ModelOptions, ModelResult,
                     PlaceOptions, PlaceResult, PlanOptions, PlanResult, QueueOptions, QueueResult,
                     ScaleOptions, ScaleResult)

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["answer", "plan", "fit", "model", "evaluate", "evaluate_many", "scale", "queue", "place",
           "calibrate", "formula", "catalog", "explain", "collective", "Result", "PlanResult",
           "FitResult", "ModelResult", "EvaluateResult", "ScaleResult", "QueueResult", "PlaceResult",
           "CalibrateResult", "FormulaResult", "CatalogResult", "ExplainResult", "CollectiveResult",
           "GpuplanError", "RequestError", "AssertionFailed", "version"]
__version__ = version()

Fields = Mapping[str, Any]
Model = Union[str, Fields, "os.PathLike[str]"]
Text = Union[str, Fields, "os.PathLike[str]"]
Files = Union[Mapping[str, Text], None]

Gpu = Union[str, Sequence[str], None]  # several are compared
Gpus = Union[SupportsIndex, Sequence[SupportsIndex], None]
Kind = TypeVar("Kind", bound=Result)

# Requests of one call: many, and far below what a request may hold.
MANY = 4096


def answer(request: str | Fields) -> Any:
    """The answer to a whole request, a dictionary or JSON text, as dictionaries and lists.

    Raises RequestError where it cannot be answered.
    """
    text = request if isinstance(request, str) else json_text(request)
    answered = json.loads(answer_text(text))
    if isinstance(answered, dict) and isinstance(answered.get("error"), dict):
        raise error_of(answered["error"])
    return answered


class _Request:
    """A request as it is put together; paths become files of it."""

    def __init__(self, question: str, files: Files = None, options: Fields | None = None) -> None:
        self.members: dict[str, Any] = {"question": question}
        self.files: dict[str, str] = {}
        for name, text in (files or {}).items():
            self.files[name] = _text_of(text)
        self.options: dict[str, Any] = {}
        for key, value in (options or {}).items():
            if value is not None:
                key = key[:-1] if key.endswith("_") else key
                self.options[key] = self.option(key, value)

    def option(self, key: str, value: Any) -> Any:
        if isinstance(value, os.PathLike):
            return self.file(value, key)
        if isinstance(value, (list, tuple)):
            return [self.option(key, one) for one in value]
        return value

    def file(self, given: Text, usual_name: str) -> str:
        """The name of what is given: a path, a text of several lines, an answer, or a name."""
        if isinstance(given, os.PathLike):
            name = os.fspath(given)
        elif isinstance(given, Mapping) or "\n" in given:
            name = usual_name
        else:
            return given
        self.files[name] = _text_of(given)
        return name

    def job(self, model: Model | None = None, gpu: Gpu = None, gpus: Gpus = None,
            cluster: Any = None, **parts: Any) -> _Request:
        if isinstance(model, os.PathLike):
            model = self.file(model, "config.json")
        beside = {key: value for key, value in (("gpu", gpu), ("gpus", gpus)) if value is not None}
        if beside:
            cluster = {**_fields_beside(cluster, next(iter(beside))), **beside}
        for key, value in {"model": model, "cluster": cluster, **parts}.items():
            if value is not None:
                self.members[key] = value
        return self

    def text(self) -> str:
        for key, value in (("options", self.options), ("files", self.files)):
            if value:
                self.members[key] = value
        return json_text(self.members)

    def answer(self, text: str) -> Any:
        try:
            return answer(text)
        except RequestError as error:
            if "no such file" not in error.what:
                raise
            raise RequestError(f"{error.what}; a pathlib.Path is read", error.where, error.allowed,
                               error.did_you_mean, error.exit_code) from None

    def asked(self, kind: type[Kind]) -> Kind:
        text = self.text()
        return kind(self.answer(text), text)


def _text_of(given: Text) -> str:
    if isinstance(given, os.PathLike):
        return pathlib.Path(given).read_text(encoding="utf-8")
    return given if isinstance(given, str) else json_text(given)


def _fields_beside(cluster: Any, keyword: str) -> Fields:
    """The fields of a cluster that takes one more of a keyword: none of a pool does."""
    fields = plain(cluster)
    if fields is None:
        return {}
    if isinstance(fields, Mapping):
        return fields
    if isinstance(fields, (list, tuple)):
        what = f"give {keyword} or a pool: each cluster of a list has its own {keyword}"
    else:
        what = (f"cluster must be a dictionary beside {keyword}, "
                f"not {cluster!r:.80} of type {type(cluster).__name__}")
    raise RequestError(what, where="cluster")


def _config_of(path: os.PathLike[str]) -> Any:
    """A model's config.json."""
    try:
        return json.loads(_text_of(path))
    except ValueError as why:
        raise RequestError(f"{os.fspath(path)}: is not JSON: {why}", where="model") from None


def plan(model: Model, *, gpu: Gpu = None, gpus: Gpus = None,
         cluster: Any = None, recipe: Fields | None = None, parallelism: Fields | None = None,
         workspace: Fields | None = None, files: Files = None,
         **options: Unpack[PlanOptions]) -> PlanResult:
    """The best ways to train a model on a cluster.

    >>> gpuplan.plan("llama-3-8b", gpu="H100", gpus=64, tokens="1T").plans[0].parallelism
    """
    return _Request("plan", files, options).job(
        model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
        workspace=workspace).asked(PlanResult)


def fit(model: Model | None = None, *, gpu: Gpu = None, gpus: Gpus = None,
        cluster: Any = None, recipe: Fields | None = None, parallelism: Fields | None = None,
        workspace: Fields | None = None, files: Files = None,
        **options: Unpack[FitOptions]) -> FitResult:
    """Whether a layout fits, and what to change where it does not.

    >>> gpuplan.fit("llama-3-8b", gpu="H100", recipe={"zero": 3}, parallelism={"data": 8}).fits
    """
    return _Request("fit", files, options).job(
        model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
        workspace=workspace).asked(FitResult)


def model(model: Model, *, recipe: Fields | None = None, files: Files = None,
          **options: Unpack[ModelOptions]) -> ModelResult:
    """Parameters by component, FLOPs and KV cache of each token.

    >>> gpuplan.model("deepseek-v3").parameters
    """
    return _Request("model", files, options).job(model, recipe=recipe).asked(ModelResult)


def evaluate(model: Model, *, gpu: Gpu = None, gpus: Gpus = None,
             cluster: Any = None, recipe: Fields | None = None, parallelism: Fields | None = None,
             workspace: Fields | None = None, files: Files = None,
             **options: Unpack[EvaluateOptions]) -> EvaluateResult:
    """Memory, time and MFU of one layout.

    >>> gpuplan.evaluate("llama-3-8b", parallelism={"tensor": 8}).step_time_s
    """
    request = _Request("evaluate", files, options)
    if isinstance(model, os.PathLike):
        model = _config_of(model)
    return request.job(model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
                       workspace=workspace).asked(EvaluateResult)


@overload
def evaluate_many(requests: Iterable[Fields], *, files: Files = None,
                  on_error: Literal["raise"] = "raise",
                  **options: Unpack[EvaluateOptions]) -> list[EvaluateResult]: ...


@overload
def evaluate_many(requests: Iterable[Fields], *, files: Files = None, on_error: Literal["keep"],
                  **options: Unpack[EvaluateOptions]) -> list[EvaluateResult | RequestError]: ...


def evaluate_many(requests: Iterable[Fields], *, files: Files = None, on_error: str = "raise",
                  **options: Unpack[EvaluateOptions]) -> list[Any]:
    """Answers of many requests, each a dictionary with model, cluster, recipe and parallelism.

    One that is refused raises RequestError, whose `where` begins with its place: of the second
    request "requests[1].cluster.gpu". With on_error="keep", the exception stands in the list in the
    place of its answer, also where a request holds what JSON has not.

    >>> gpuplan.evaluate_many({"model": "gpt2", "parallelism": {"data": n}} for n in (1, 2))[1].mfu
    """
    if on_error not in ("raise", "keep"):
        raise ValueError(f'on_error must be "raise" or "keep", not {on_error!r}')
    if "fields" in options:
        raise RequestError("options.fields has no effect: it answers no request", "options.fields")
    if isinstance(requests, (str, Mapping)):
        raise TypeError("requests must be several dictionaries, such as a list of them")
    asked = _Request("evaluate", files, options)
    answers: list[Any] = []
    left = iter(requests)
    while True:
        first = len(answers)
        lines = [_line_of(one, f"requests[{first + i}]", keep=on_error == "keep")
                 for i, one in enumerate(itertools.islice(left, MANY))]
        if first and not lines:
            return answers
        asked.members["requests"] = "\n".join(one for one in lines if isinstance(one, str))
        answered = iter(asked.answer(asked.text()))
        for index, line in enumerate(lines, first):
            if isinstance(line, RequestError):
                answers.append(line)
                continue
            one = next(answered)
            if "error" in one:
                kept = _error_within(f"requests[{index}]", one["error"])
                if on_error == "raise":
                    raise kept
                answers.append(kept)
            else:
                one["line"] = index + 1
                answers.append(EvaluateResult(one))
        if len(lines) < MANY:
            return answers


def _line_of(request: Any, place: str, keep: bool) -> str | RequestError:
    """A request as a line; of one that is no JSON the error, where errors are kept."""
    try:
        return json_text(request, place)
    except Exception as why:  # whatever a foreign object raises is of this request alone
        if not keep:
            raise
        if isinstance(why, RequestError):
            return why
        kept = RequestError(f"{place}: {why or type(why).__name__}", where=place)
        kept.__cause__ = why
        return kept


def _error_within(place: str, fields: dict[str, Any]) -> GpuplanError:
    """The error of one request of several, whose place it names."""
    where = fields["where"]
    if where is None or where == "request":  # the whole of it
        where = place
    elif not where.startswith(("options.", "files.")):  # what holds for all requests
        where = f"{place}.{where}"
    return error_of({**fields, "what": f"{place}: {fields['what']}", "where": where})


def scale(model: Model, *, gpu: Gpu = None, gpus: Gpus = None,
          cluster: Any = None, recipe: Fields | None = None, parallelism: Fields | None = None,
          workspace: Fields | None = None, files: Files = None,
          **options: Unpack[ScaleOptions]) -> ScaleResult:
    """What more GPUs buy: efficiency by size, up to `gpus`.

    >>> [point.efficiency for point in gpuplan.scale("gpt2", gpu="H100", gpus=64).points]
    """
    return _Request("scale", files, options).job(
        model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
        workspace=workspace).asked(ScaleResult)


def queue(trace: Text | None = None, *, files: Files = None,
          **options: Unpack[QueueOptions]) -> QueueResult:
    """How long jobs wait, from numbers, or from a trace: a path, or its text.

    >>> gpuplan.queue(arrivals="4/h", service="10h", gpus=64)
    """
    request = _Request("queue", files, options)
    if trace is not None:
        request.options["trace"] = request.file(trace, "trace.csv")
    return request.asked(QueueResult)


def place(nodes: Text, jobs: Text, *, files: Files = None,
          **options: Unpack[PlaceOptions]) -> PlaceResult:
    """Which node each job gets; both tables are paths, or texts of CSV.

    >>> gpuplan.place(Path("nodes.csv"), Path("jobs.csv"), policy="all").best
    """
    request = _Request("place", files, options)
    request.options["nodes"] = request.file(nodes, "nodes.csv")
    request.options["jobs"] = request.file(jobs, "jobs.csv")
    return request.asked(PlaceResult)


def calibrate(*logs: Text, model: Model | None = None, files: Files = None,
              **options: Unpack[CalibrateOptions]) -> CalibrateResult:
    """A profile of measured rates and links, from files of measurements: paths, or texts."""
    request = _Request("calibrate", files, options)
    request.options["log"] = [request.file(one, f"log{number}")
                              for number, one in enumerate(logs, 1)]
    return request.job(model).asked(CalibrateResult)


def formula(*words: str, search: str | None = None, **inputs: Any) -> FormulaResult:
    """A formula computed, looked up by its name, or searched for by words.

    >>> gpuplan.formula("erlang_c", servers=5, offered=4).value
    """
    given = [*words, *(f"{name}={value}" for name, value in inputs.items() if value is not None)]
    asked = {"words": given or None, "search": search}
    return _Request("formula", None, asked).asked(FormulaResult)


def catalog(kind: str | None = None, name: str | None = None) -> CatalogResult:
    """Known GPUs, fabrics and models, and the source of each number.

    >>> gpuplan.catalog("accelerators", "H200")
    """
    if kind is None and name is not None:
        raise ValueError("name needs a kind: accelerators, fabrics or models")
    return _Request("catalog", None, {"kind": kind, "name": name}).asked(CatalogResult)


def explain(before: Text, after: Text, *, files: Files = None,
            **options: Unpack[ExplainOptions]) -> ExplainResult:
    """Why two answers, or an answer and a measurement, differ: term by term.

    Each is an answer of this package, a pathlib.Path of a file, or its text.
    """
    request = _Request("explain", files, options)
    request.options["a"] = request.file(before, "before.json")
    request.options["b"] = request.file(after, "after.json")
    return request.asked(ExplainResult)


def collective(kind: str, *, gpu: Gpu = None, gpus: Gpus = None,
               cluster: Fields | None = None,
               **options: Unpack[CollectiveOptions]) -> CollectiveResult:
    """How long one collective takes on its own.

    >>> gpuplan.collective("all-reduce", bytes="1GB", gpu="H100", gpus=64).time_s
    """
    request = _Request("collective", None, options)
    request.options["kind"] = kind
    return request.job(None, gpu, gpus, cluster).asked(CollectiveResult)
