/// \file
/// A page of figures as a file.

#include "html_file.hpp"

#include <CLI/CLI.hpp>

#include "output_file.hpp"

namespace gpuplan::cli {

void add_html_option(CLI::App& command, std::string& path) {
  command
      .add_option("--html", path,
                  "Write pictures and their numbers as a page of one file, too: report.html")
      ->group("Answer");
}

void require_page(const std::string& path, std::span<const std::string> inputs) {
  if (!path.empty()) require_writable("--html", path, inputs);
}

void write_page(const std::string& path, const html_page& page) {
  write_file(path, html(page));
}

}  // namespace gpuplan::cli
