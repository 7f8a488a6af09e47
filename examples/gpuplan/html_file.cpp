/// \file
/// A page of figures as a file.

#include "html_file.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "output_file.hpp"

namespace gpuplan::cli {
namespace {

/// "gpuplan 0.9.0, 2026-11-24": the version, and the day, of SOURCE_DATE_EPOCH where that is set,
/// as builds that can be repeated ask for.
std::string made_by() {
  long long since_1970 = std::chrono::duration_cast<std::chrono::seconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text{fixed};
    long long given = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), given);
    constexpr long long most = 253'402'300'799;  // the end of the year 9999
    if (failed == std::errc{} && end == text.data() + text.size() && given >= 0 && given <= most)
      since_1970 = given;
  }
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds{std::chrono::seconds{since_1970}});
  const std::chrono::year_month_day date{day};
  return fmt::format("gpuplan {}, {:04}-{:02}-{:02}", GPUPLAN_VERSION, int{date.year()},
                     unsigned{date.month()}, unsigned{date.day()});
}

}  // namespace

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
  html_page dated = page;
  dated.facts.push_back({"Made by", made_by()});
  write_file(path, html(dated));
}

}  // namespace gpuplan::cli
