#pragma once
/// \file
/// A page of figures as a file that the user names.

#include <span>
#include <string>

#include <gpuplan/report/html.hpp>

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// --html FILE.
void add_html_option(CLI::App& command, std::string& path);

/// Refuses a page that could not be written, before the work begins; `inputs` are paths that are
/// read.
/// \throws bad_usage or output_lost
void require_page(const std::string& path, std::span<const std::string> inputs);

/// Writes the page, with the version and the day at the end of its summary; one that was there is
/// replaced.  SOURCE_DATE_EPOCH sets the day.
/// \throws output_lost
void write_page(const std::string& path, const html_page& page);

}  // namespace gpuplan::cli
