#pragma once
/// \file
/// A page of figures as a file that the user names.

#include <string>

#include <gpuplan/report/html.hpp>

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// --html FILE.
void add_html_option(CLI::App& command, std::string& path);

/// Writes the page; one that was there is replaced.
/// \throws output_lost
void write_page(const std::string& path, const html_page& page);

}  // namespace gpuplan::cli
