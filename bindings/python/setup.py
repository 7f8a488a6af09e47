"""The wheel: pure Python beside libgpuplan.so, one for every Python 3 of a platform."""
import ctypes
import pathlib

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

LIBRARY = pathlib.Path(__file__).resolve().parent / "gpuplan" / "libgpuplan.so"


def version_of_library():
    library = ctypes.CDLL(str(LIBRARY))
    library.gpuplan_version.restype = ctypes.c_char_p
    return library.gpuplan_version().decode()


class PlatformDistribution(Distribution):
    """Tells setuptools that the package holds machine code."""

    def has_ext_modules(self):
        return True


class PlatformWheel(bdist_wheel):
    """Tags the wheel for the platform, and for no version of Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=version_of_library(), distclass=PlatformDistribution,
      cmdclass={"bdist_wheel": PlatformWheel})
