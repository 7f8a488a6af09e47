"""JSON of what Python programs hold: results, numbers of numpy, and nothing that is no number."""
from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from typing import Any

from ._results import RequestError, Result


def json_text(value: Any, place: str = "") -> str:
    """A request as text. What is infinite or no number raises RequestError, by its place."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except ValueError:
        where = _place_of_nonfinite(value, place)
        if where is None:
            raise
        raise RequestError(f"{where} must be a finite number", where=where) from None


def plain(value: Any) -> Any:
    """A dataclass as a dictionary of its fields, all else as it is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return value


def _plain(value: Any) -> Any:
    """What JSON holds in the place of what it cannot."""
    if isinstance(value, Result):
        return value.to_dict()
    fields = plain(value)
    if fields is not value:
        return fields
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        raise TypeError(f"{value!r}: only a model, an option or a file may be a path")
    if hasattr(value, "tolist"):  # numpy: a number is its own list
        return value.tolist()
    if hasattr(value, "__index__"):
        return int(value)
    raise TypeError(f"{value!r} of type {type(value).__name__} is nothing that a request may hold")


def _place_of_nonfinite(value: Any, place: str) -> str | None:
    value = value.tolist() if hasattr(value, "tolist") else plain(value)
    if isinstance(value, float):
        return None if math.isfinite(value) else place or "request"
    if isinstance(value, Mapping):
        inner = [(f"{place}.{key}" if place else str(key), one) for key, one in value.items()]
    elif isinstance(value, (list, tuple)):
        inner = [(f"{place}[{index}]", one) for index, one in enumerate(value)]
    else:
        return None
    for at, one in inner:
        found = _place_of_nonfinite(one, at)
        if found is not None:
            return found
    return None
