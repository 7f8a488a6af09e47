/// \file
/// A page of figures as a file.

#include "html_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <CLI/CLI.hpp>

#include "program.hpp"

namespace gpuplan::cli {

void add_html_option(CLI::App& command, std::string& path) {
  command
      .add_option("--html", path,
                  "Write pictures and their numbers as a page of one file, too: report.html")
      ->group("Answer");
}

void write_page(const std::string& path, const html_page& page) {
  const std::string text = html(page);
  errno = 0;
  const auto fail = [&] {
    throw output_lost{"cannot write " + path + ": " + std::strerror(errno)};
  };
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file{std::fopen(path.c_str(), "wb"), close};
  if (!file) fail();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail();
  if (std::fclose(file.release()) != 0) fail();
}

}  // namespace gpuplan::cli
