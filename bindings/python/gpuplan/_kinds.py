"""How the answer to each question is laid out in rows, and what of it is shown."""
from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any, ClassVar

from ._library import answer_text
from ._results import GpuplanError, Result, at_path, error_of


class Paged(Result):
    """An answer that the program draws as a page, too."""

    __slots__ = ()

    def to_html(self) -> str:
        """The page that `gpuplan` writes with --html: pictures and their numbers, one file.

        It is asked for anew, and kept: that of a plan takes some seconds.
        """
        if self._html is None:
            if self._request is None:
                raise ValueError("this result knows no request, of which a page could be made")
            asked = json.loads(self._request)
            asked["options"] = {**(asked.get("options") or {}), "html": True}
            answered = json.loads(answer_text(json.dumps(asked)))
            if "error" in answered:
                raise error_of(answered["error"])
            object.__setattr__(self, "_html", answered["page"])
        assert self._html is not None
        return self._html

    def _repr_html_(self) -> str:
        """The page; a table where there is none, as of a launch."""
        if self._request is None or "inputs" not in self._members:
            return super()._repr_html_()
        try:
            page = self.to_html()
        except GpuplanError:
            return super()._repr_html_()
        return (f'<iframe srcdoc="{html.escape(page)}" title="gpuplan" '
                'style="width:100%;height:640px;border:0"></iframe>')


def _listed(members: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """A list of objects within members; none where it is absent or null."""
    found: list[dict[str, Any]] | None = at_path(members, path)
    return found or []


class OfPlan(Paged):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "fits", "reason", "plans", "step_time_s", "mfu", "fits_probability", "gpus_used",
        "run.with_failures.time_s", "run.with_failures.cost_dollars")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        return _listed(self._members, "plans")


class Layout(Result):
    """One layout."""

    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "fits", "reason", "step_time_s", "mfu", "fits_probability", "memory.worst_stage_bytes",
        "memory.capacity_bytes", "binding", "largest_micro_batch", "repairs")


class OfFit(Layout):
    __slots__ = ()


class OfEvaluate(Layout):
    __slots__ = ()


class OfModel(Result):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "parameters", "active_parameters", "trained_parameters", "kv_cache_bytes_per_token",
        "training_flop_of_image")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        components = self._members.get("components")
        if components:
            return [{"component": name, "parameters": count} for name, count in components.items()]
        return _listed(self._members, "layers")


class OfScale(Paged):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "fits", "reason", "scaling", "points", "smallest_gpus_that_fit", "most_efficient_gpus")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        return _listed(self._members, "points")


class OfQueue(Paged):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "stable", "reason", "gpus", "utilization", "wait.mean_s", "wait.p95_s", "needed_gpus",
        "least_stable_gpus", "policies")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        return _listed(self._members, "policies")


class OfPlace(Paged):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "best", "policies", "faulty_rows.nodes", "faulty_rows.jobs")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        return _listed(self._members, "policies")


class OfCalibrate(Result):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = ("logs", "runs", "left_out", "forced", "profile")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        return _listed(self._members, "logs")


class OfFormula(Result):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "formula", "value", "reason", "unit", "name", "meaning", "symbols", "formulas")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        for name in ("formulas", "symbols"):
            if name in self._members:
                return _listed(self._members, name)
        return [self._members]


class OfCatalog(Result):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "kind", "name", "facts", "parameters", "accelerators", "fabrics", "models",
        "families", "multiprocessors")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        if "name" in self._members:
            return _listed(self._members, "facts") or [self._members]
        kinds = [name for name, held in self._members.items() if isinstance(held, list)]
        return [{"kind": kind, **row} if len(kinds) > 1 else row
                for kind in kinds for row in self._members[kind]]


class OfExplain(Paged):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "step_time.a_s", "step_time.b_s", "step_time.difference_s", "memory.difference_bytes",
        "changed_inputs")

    def _row_members(self) -> Iterable[dict[str, Any]]:
        return [{"of": of, **term} for of in ("step_time", "memory")
                for term in _listed(self._members, f"{of}.terms")]


class OfCollective(Result):
    __slots__ = ()
    _shown: ClassVar[tuple[str, ...]] = (
        "collective", "message_bytes", "gpus", "time_s", "bus_bandwidth_bytes_per_s", "algorithm",
        "protocol")
