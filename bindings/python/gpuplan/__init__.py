"""Plans the training of neural networks on GPUs: memory, time, cost and queues.

    import gpuplan
    best = gpuplan.plan("llama-3-8b", gpu="H100", gpus=64, tokens="1T")
    print(best.plans[0].step_time_s, best.run.cost_dollars)

Each function asks one question of the command line, and its result is what the command line prints
with --json: docs/json.md describes the members. A model is a name of the catalogue, a config.json as
a dictionary, or a pathlib.Path of one. `cluster`, `recipe`, `parallelism` and `workspace` are
dictionaries of the fields of docs/json.md; every other keyword is an option by its long name, with
underscores. "Does not fit" is an ordinary result; a request that makes no sense raises RequestError.
"""
import json
import pathlib

from ._library import answer_text, version
from ._results import AssertionFailed, GpuplanError, RequestError, Result, error_of, wrapped

__all__ = ["answer", "plan", "fit", "model", "evaluate", "evaluate_many", "scale", "queue", "place",
           "calibrate", "formula", "catalog", "explain", "collective", "Result", "GpuplanError",
           "RequestError", "AssertionFailed", "version"]
__version__ = version()


def answer(request):
    """The answer to a whole request, a dictionary or JSON text, as dictionaries and lists.

    Raises RequestError where it cannot be answered.
    """
    text = request if isinstance(request, str) else json.dumps(request, allow_nan=False)
    answered = json.loads(answer_text(text))
    if isinstance(answered, dict) and isinstance(answered.get("error"), dict):
        raise error_of(answered["error"])
    return answered


class _Request:
    """A request as it is put together; paths become files of it."""

    def __init__(self, question, files=None, options=None):
        self.members = {"question": question}
        self.files = {}
        for name, text in (files or {}).items():
            self.files[name] = _text_of(text)
        self.options = {key: self.option(key, value) for key, value in (options or {}).items()
                        if value is not None}

    def option(self, key, value):
        if isinstance(value, pathlib.Path):
            return self.file(value, key)
        if isinstance(value, (list, tuple)):
            return [self.option(key, one) for one in value]
        return value

    def file(self, given, usual_name):
        """The name of what is given: a path, a text of several lines, an answer, or a name."""
        if isinstance(given, pathlib.Path):
            name = str(given)
        elif isinstance(given, (Result, dict)) or "\n" in given:
            name = usual_name
        else:
            return given
        self.files[name] = _text_of(given)
        return name

    def job(self, model=None, gpu=None, gpus=None, cluster=None, **parts):
        if isinstance(model, pathlib.Path):
            model = self.file(model, "config.json")
        elif isinstance(model, Result):
            model = model.to_dict()
        if gpu is not None or gpus is not None:
            cluster = {**(cluster or {}), **{key: value for key, value in
                                             (("gpu", gpu), ("gpus", gpus)) if value is not None}}
        for key, value in {"model": model, "cluster": cluster, **parts}.items():
            if value is not None:
                self.members[key] = value
        return self

    def asked(self):
        for key, value in (("options", self.options), ("files", self.files)):
            if value:
                self.members[key] = value
        return wrapped(answer(self.members))


def _text_of(given):
    if isinstance(given, pathlib.Path):
        return given.read_text(encoding="utf-8")
    if isinstance(given, Result):
        given = given.to_dict()
    return given if isinstance(given, str) else json.dumps(given, allow_nan=False)


def plan(model, *, gpu=None, gpus=None, cluster=None, recipe=None, parallelism=None, workspace=None,
         files=None, **options) -> Result:
    """The best ways to train a model on a cluster.

    >>> gpuplan.plan("llama-3-8b", gpu="H100", gpus=64, tokens="1T").plans[0].parallelism
    """
    return _Request("plan", files, options).job(
        model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
        workspace=workspace).asked()


def fit(model=None, *, gpu=None, gpus=None, cluster=None, recipe=None, parallelism=None,
        workspace=None, files=None, **options) -> Result:
    """Whether a layout fits, and what to change where it does not.

    >>> gpuplan.fit("llama-3-8b", gpu="H100", recipe={"zero": 3}, parallelism={"data": 8}).fits
    """
    return _Request("fit", files, options).job(
        model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
        workspace=workspace).asked()


def model(model, *, recipe=None, files=None, **options) -> Result:
    """Parameters by component, FLOPs and KV cache of each token.

    >>> gpuplan.model("deepseek-v3").parameters
    """
    return _Request("model", files, options).job(model, recipe=recipe).asked()


def evaluate(model, *, gpu=None, gpus=None, cluster=None, recipe=None, parallelism=None,
             workspace=None, files=None, **options) -> Result:
    """Memory, time and MFU of one layout.

    >>> gpuplan.evaluate("llama-3-8b", parallelism={"tensor": 8}).step_time_s
    """
    request = _Request("evaluate", files, options)
    if isinstance(model, pathlib.Path):
        model = json.loads(_text_of(model))
    return request.job(model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
                       workspace=workspace).asked()


def evaluate_many(requests, *, files=None, on_error="raise", **options) -> list:
    """Answers of many requests, each a dictionary with model, cluster, recipe and parallelism.

    One that is refused raises RequestError, whose `where` begins with its place: of the second
    request "requests[1].cluster.gpu". With on_error="keep", the exception stands in the list in the
    place of its answer.
    """
    if on_error not in ("raise", "keep"):
        raise ValueError(f'on_error must be "raise" or "keep", not {on_error!r}')
    request = _Request("evaluate", files, options)
    request.members["requests"] = "".join(json.dumps(one, allow_nan=False) + "\n"
                                          for one in requests)
    answers = []
    for one in request.asked():
        if "error" in one:
            one = _error_within(f"requests[{one.line - 1}]", one.error)
            if on_error == "raise":
                raise one
        answers.append(one)
    return answers


def _error_within(place, fields):
    """The error of one request of several, whose place it names."""
    where = fields["where"]
    if where is None or where == "request":  # the whole of it
        where = place
    elif not where.startswith(("options.", "files.")):  # what holds for all requests
        where = f"{place}.{where}"
    return error_of({**fields, "what": f"{place}: {fields['what']}", "where": where})


def scale(model, *, gpu=None, gpus=None, cluster=None, recipe=None, parallelism=None, workspace=None,
          files=None, **options) -> Result:
    """What more GPUs buy: efficiency by size, up to `gpus`.

    >>> [point.efficiency for point in gpuplan.scale("gpt2", gpu="H100", gpus=64).points]
    """
    return _Request("scale", files, options).job(
        model, gpu, gpus, cluster, recipe=recipe, parallelism=parallelism,
        workspace=workspace).asked()


def queue(trace=None, *, files=None, **options) -> Result:
    """How long jobs wait, from numbers, or from a trace: a path, or its text.

    >>> gpuplan.queue(arrivals="4/h", service="10h", gpus=64)
    """
    request = _Request("queue", files, options)
    if trace is not None:
        request.options["trace"] = request.file(trace, "trace.csv")
    return request.asked()


def place(nodes, jobs, *, files=None, **options) -> Result:
    """Which node each job gets; both tables are paths, or texts of CSV.

    >>> gpuplan.place(Path("nodes.csv"), Path("jobs.csv"), policy="all").best
    """
    request = _Request("place", files, options)
    request.options["nodes"] = request.file(nodes, "nodes.csv")
    request.options["jobs"] = request.file(jobs, "jobs.csv")
    return request.asked()


def calibrate(*logs, model=None, files=None, **options) -> Result:
    """A profile of measured rates and links, from files of measurements: paths, or texts."""
    request = _Request("calibrate", files, options)
    request.options["log"] = [request.file(one, f"log{number}")
                              for number, one in enumerate(logs, 1)]
    return request.job(model).asked()


def formula(*words, search=None, **inputs) -> Result:
    """A formula computed, looked up by its name, or searched for by words.

    >>> gpuplan.formula("erlang_c", servers=5, offered=4).value
    """
    given = [*words, *(f"{name}={value}" for name, value in inputs.items())]
    return _Request("formula", None, {"words": given or None, "search": search}).asked()


def catalog(kind=None, name=None) -> Result:
    """Known GPUs, fabrics and models, and the source of each number.

    >>> gpuplan.catalog("accelerators", "H200")
    """
    if kind is None and name is not None:
        raise ValueError("name needs a kind: accelerators, fabrics, models or multiprocessors")
    return _Request("catalog", None, {"kind": kind, "name": name}).asked()


def explain(before, after, *, files=None, **options) -> Result:
    """Why two answers, or an answer and a measurement, differ: term by term.

    Each is an answer of this package, a pathlib.Path of a file, or its text.
    """
    request = _Request("explain", files, options)
    request.options["a"] = request.file(before, "before.json")
    request.options["b"] = request.file(after, "after.json")
    return request.asked()


def collective(kind, *, gpu=None, gpus=None, cluster=None, **options) -> Result:
    """How long one collective takes on its own.

    >>> gpuplan.collective("all-reduce", bytes="1GB", gpu="H100", gpus=64).time_s
    """
    request = _Request("collective", None, options)
    request.options["kind"] = kind
    return request.job(None, gpu, gpus, cluster).asked()
