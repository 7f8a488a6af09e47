"""Recipe of the headers for Conan 2:  conan create packaging/conan

Options math, io, eigen and report add what those targets need; without them the standard library
is enough.
"""
import os
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy
from conan.tools.layout import basic_layout

NEEDS = {"math": ("boost/1.83.0", "boost::headers"),
         "io": ("nlohmann_json/3.11.3", "nlohmann_json::nlohmann_json"),
         "eigen": ("eigen/3.4.0", "eigen::eigen"),
         "report": ("fmt/10.2.1", "fmt::fmt")}


class Gpuplan(ConanFile):
    name = "gpuplan"
    license = "Apache-2.0"
    description = "Analytical models for planning GPU training, header-only"
    topics = ("deep-learning", "gpu", "performance-model", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {component: [True, False] for component in NEEDS}
    default_options = {component: False for component in NEEDS}
    no_copy_source = True

    def set_version(self):
        text = (pathlib.Path(self.recipe_folder) / ".." / ".." / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(gpuplan VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("include/*.hpp", "LICENSE"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def requirements(self):
        for component, (reference, _) in NEEDS.items():
            if getattr(self.options, component):
                self.requires(reference, transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"),
             os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "gpuplan")
        core = self.cpp_info.components["gpuplan"]
        core.set_property("cmake_target_name", "gpuplan::gpuplan")
        core.bindirs = core.libdirs = []
        for component, (_, target) in NEEDS.items():
            if getattr(self.options, component):
                part = self.cpp_info.components[component]
                part.set_property("cmake_target_name", f"gpuplan::{component}")
                part.requires = ["gpuplan", target]
                part.bindirs = part.libdirs = []
