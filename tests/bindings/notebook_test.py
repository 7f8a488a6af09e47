"""The tutorial of the Python package, executed: its outputs are those that it shows.

    notebook_test.py [--write]        with --write, the outputs are stored

The kernel finds the package as PYTHONPATH and GPUPLAN_LIBRARY say.
"""
import os
import pathlib
import sys
import unittest

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor

NOTEBOOK = (pathlib.Path(__file__).resolve().parents[2]
            / "bindings" / "python" / "examples" / "tutorial.ipynb")
SECONDS_A_CELL = 120
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a kernel's warning about its debugger


def joined(outputs):
    """What is printed arrives in pieces as it happens: one piece of each stream in turn."""
    whole = []
    for output in outputs:
        if (whole and output.output_type == "stream" == whole[-1].output_type
                and output.name == whole[-1].name):
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def executed(stored):
    """A copy with the outputs of today, and nothing of the machine."""
    notebook = nbformat.from_dict(stored)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    ExecutePreprocessor(timeout=SECONDS_A_CELL, kernel_name="python3").preprocess(
        notebook, {"metadata": {"path": str(NOTEBOOK.parent)}})
    notebook.metadata = stored.metadata
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return notebook


class Notebook(unittest.TestCase):
    def test_outputs(self):
        stored = nbformat.read(NOTEBOOK, nbformat.NO_CONVERT)
        cells = [cell for cell in stored.cells if cell.cell_type == "code"]
        self.assertGreater(len(cells), 5)
        for cell, today in zip(cells, (cell for cell in executed(stored).cells
                                       if cell.cell_type == "code")):
            with self.subTest(cell=cell.source):
                self.assertEqual(today.outputs, cell.outputs)
                self.assertEqual(today.execution_count, cell.execution_count)


def write():
    notebook = executed(nbformat.read(NOTEBOOK, nbformat.NO_CONVERT))
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main(argv=sys.argv[:1])
