"""What answers are: results with attributes, and errors that say what is allowed."""
import html
from collections.abc import Mapping


class GpuplanError(Exception):
    """A request that was not answered.

    what          one line: what, where, what is allowed
    where         the place in the request, as "cluster.gpu"; None where it is not known
    allowed       names that are allowed, or words for them; None where they are not known
    did_you_mean  names that may have been meant; None where there are none
    exit_code     of the command line: 1 internal error, 2 bad input, 3 an assertion failed
    """

    def __init__(self, what, where=None, allowed=None, did_you_mean=None, exit_code=2):
        super().__init__(what)
        self.what = what
        self.where = where
        self.allowed = allowed
        self.did_you_mean = did_you_mean
        self.exit_code = exit_code


class RequestError(GpuplanError, ValueError):
    """A request that makes no sense, or names what is not known."""


class AssertionFailed(GpuplanError, AssertionError):
    """What a request asserted of its answer does not hold."""


def error_of(fields):
    """The exception for the member "error" of an answer."""
    kinds = {2: RequestError, 3: AssertionFailed}
    return kinds.get(fields.get("exit_code"), GpuplanError)(**fields)


class Result(Mapping):
    """An object of an answer: its members as items and as attributes.

    >>> found = gpuplan.fit("gpt2", gpu="H100", gpus=8)
    >>> found.fits, found["step_time_s"]
    """

    __slots__ = ("_members",)

    def __init__(self, members):
        object.__setattr__(self, "_members", members)

    def __getitem__(self, key):
        return wrapped(self._members[key])

    def __iter__(self):
        return iter(self._members)

    def __len__(self):
        return len(self._members)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"no {name} here; there are {', '.join(map(str, self._members))}") from None

    def __setattr__(self, name, value):
        raise AttributeError("an answer does not change")

    def __reduce__(self):
        return Result, (self._members,)

    def __dir__(self):
        return [*super().__dir__(), *filter(str.isidentifier, self._members)]

    def to_dict(self):
        """The same as dictionaries and lists, as json.loads makes them."""
        return self._members

    def __repr__(self):
        shown = ", ".join(f"{key}={_brief(value)}" for key, value in self._members.items())
        return f"Result({shown})"

    def _repr_html_(self):
        """A table of the members, those within members by their path."""
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(path)}</th>"
                       f"<td style='text-align:right'>{html.escape(_brief(value))}</td></tr>"
                       for path, value in _leaves(self._members, ""))
        return f"<table>{rows}</table>"


def wrapped(value):
    """An object as a Result, a list of objects as a list of them, all else as it is."""
    if isinstance(value, dict):
        return Result(value)
    if isinstance(value, list):
        return [wrapped(one) for one in value]
    return value


def _brief(value):
    if isinstance(value, dict):
        return "{...}" if value else "{}"
    if isinstance(value, list):
        return f"[{len(value)}]" if value else "[]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _leaves(members, before):
    for key, value in members.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value
