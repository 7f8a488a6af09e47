"""What answers are: results with attributes, and errors that say what is allowed."""
from __future__ import annotations

import copy
import difflib
import html
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar


class GpuplanError(Exception):
    """A request that was not answered.

    what          one line: what, where, what is allowed
    where         the place in the request, as "cluster.gpu"; None where it is not known
    allowed       names that are allowed, or words for them; None where they are not known
    did_you_mean  names that may have been meant; None where there are none
    exit_code     of the command line: 1 internal error, 2 bad input, 3 an assertion failed
    """

    def __init__(self, what: str, where: str | None = None,
                 allowed: list[str] | str | None = None,
                 did_you_mean: list[str] | None = None, exit_code: int = 2) -> None:
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


def error_of(fields: Mapping[str, Any]) -> GpuplanError:
    """The exception for the member "error" of an answer."""
    kinds: dict[Any, type[GpuplanError]] = {2: RequestError, 3: AssertionFailed}
    return kinds.get(fields.get("exit_code"), GpuplanError)(**fields)


class Result(Mapping[str, Any]):
    """An object of an answer: its members as items and as attributes.

    >>> found = gpuplan.fit("gpt2", gpu="H100", gpus=8)
    >>> found.fits, found["step_time_s"]
    """

    __slots__ = ("_members", "_request", "_html")
    _members: dict[str, Any]
    _request: str | None  # as it was asked
    _html: str | None

    # Members that are shown, by their paths; none: all.
    _shown: ClassVar[tuple[str, ...]] = ()

    def __init__(self, members: dict[str, Any], request: str | None = None) -> None:
        object.__setattr__(self, "_members", members)
        object.__setattr__(self, "_request", request)
        object.__setattr__(self, "_html", None)

    def __getitem__(self, key: str) -> Any:
        return wrapped(self._members[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Result):
            return self._members == other._members
        return isinstance(other, Mapping) and self._members == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what copy, pickle and notebooks try
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name} here" + hint(name, self._members)) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an answer does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("an answer does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._members, self._request)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *filter(str.isidentifier, self._members)]

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries and lists, as json.loads makes them: a copy."""
        return copy.deepcopy(self._members)

    def rows(self, *keys: str) -> list[dict[str, Any]]:
        """Rows for a table, pandas.DataFrame(found.rows()): members by their paths.

        A member within a member is "parallelism.data"; lists of objects are left out. With keys,
        only these members, in this order.

        >>> gpuplan.fit("gpt2", gpu="H100", gpus=8).rows("fits", "memory.device_bytes")
        """
        rows = [flat(one) for one in self._row_members()]
        if not keys:
            return rows
        known = {key: None for row in rows for key in row}
        for key in keys:
            if rows and key not in known:
                raise KeyError(f"no {key} in a row" + hint(key, known))
        return [{key: row.get(key) for key in keys} for row in rows]

    def _row_members(self) -> Iterable[dict[str, Any]]:
        """The objects that rows are made of."""
        return [self._members]

    def __repr__(self) -> str:
        words: list[str] = []
        length = 0
        for key, value in self._items_shown():
            words.append(f"{key}={_brief(value)}{_range_of(self._members, key)}")
            length += len(words[-1]) + 2
            if length > 150:
                words[-1:] = ["..."]
                break
        return f"{type(self).__name__}({', '.join(words)})"

    def _items_shown(self) -> Iterator[tuple[str, Any]]:
        """Paths and values of what is worth a glance, where it is known."""
        if not any(path.partition(".")[0] in self._members for path in self._shown):
            yield from self._members.items()
        for path in self._shown:
            value = at_path(self._members, path)
            if value is not None:
                yield path, value

    def _repr_html_(self) -> str:
        """A table: what is worth a glance, with its range; of a part, all members by their path."""
        if self._shown:
            leaves: Iterable[tuple[str, Any]] = self._items_shown()
        else:
            leaves = _leaves(self._members, "")
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(path)}</th>"
            f"<td style='text-align:right'>{html.escape(_brief(value))}</td>"
            f"<td>{html.escape(_range_of(self._members, path).strip(' ()'))}</td></tr>"
            for path, value in leaves)
        return f"<table>{rows}</table>"


def wrapped(value: Any) -> Any:
    """An object as a Result, a list of objects as a list of them, all else as it is."""
    if isinstance(value, dict):
        return Result(value)
    if isinstance(value, list):
        return [wrapped(one) for one in value]
    return value


def hint(name: str, known: Iterable[str]) -> str:
    """Which of the known names may be meant, and which there are."""
    names = [str(one) for one in known]
    close = difflib.get_close_matches(name, names, 2)
    meant = f"; did you mean {' or '.join(close)}?" if close else ";"
    return f"{meant} There are {', '.join(names)}" if names else "; there is nothing"


def at_path(members: Any, path: str) -> Any:
    """What stands at "memory.device_bytes"; None where nothing does."""
    for name in path.split("."):
        if not isinstance(members, dict):
            return None
        members = members.get(name)
    return members


def flat(members: Mapping[str, Any]) -> dict[str, Any]:
    """Members by their paths; lists of objects are left out."""
    return {path: value for path, value in _leaves(members, "")
            if not (isinstance(value, list) and any(isinstance(one, dict) for one in value))}


def _range_of(members: Mapping[str, Any], path: str) -> str:
    """" (1.2 to 1.5)" of a member with a low and a high one beside it."""
    stem, _, unit = path.rpartition("_")
    low, high = (at_path(members, f"{stem}_{end}_{unit}") for end in ("low", "high"))
    return "" if low is None or high is None else f" ({_brief(low)} to {_brief(high)})"


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return "{...}" if value else "{}"
    if isinstance(value, list):
        return f"[{len(value)}]" if value else "[]"
    if isinstance(value, str) and len(value) > 60:
        return value[:57] + "..."
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _leaves(members: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for key, value in members.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value
