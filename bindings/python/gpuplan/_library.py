"""libgpuplan: a request in JSON, an answer in JSON."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib


def _path() -> str:
    """The library of this package, unless GPUPLAN_LIBRARY names another one."""
    named = os.environ.get("GPUPLAN_LIBRARY")
    if named:
        return named
    beside = pathlib.Path(__file__).resolve().parent / "libgpuplan.so"
    if beside.exists():
        return str(beside)
    installed = ctypes.util.find_library("gpuplan")
    if installed:
        return installed
    raise ImportError("libgpuplan is neither in the package nor installed; "
                      "GPUPLAN_LIBRARY may name it")


_library = ctypes.CDLL(_path())
_library.gpuplan_answer.argtypes = [ctypes.c_char_p]
_library.gpuplan_answer.restype = ctypes.c_void_p
_library.gpuplan_free.argtypes = [ctypes.c_void_p]
_library.gpuplan_free.restype = None
_library.gpuplan_version.restype = ctypes.c_char_p


def version() -> str:
    """The version of the library, as "0.2.0"."""
    text: bytes = _library.gpuplan_version()
    return text.decode()


def answer_text(request: str) -> str:
    """The answer to a request, both text. Other threads of Python run meanwhile."""
    asked = request.encode()
    if b"\0" in asked:
        raise ValueError("a request must not hold a byte 0")
    text = _library.gpuplan_answer(asked)
    if text is None:
        raise MemoryError("no memory for the answer")
    try:
        return ctypes.string_at(text).decode()
    finally:
        _library.gpuplan_free(text)
