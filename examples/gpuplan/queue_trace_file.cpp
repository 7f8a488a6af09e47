/// \file
/// Reading of traces.

#include "queue_trace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t longest_trace = std::size_t{4} << 30;
constexpr std::size_t faults_said = 10;

struct closer {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

std::string name_of_file(const trace_source& source) {
  return source.path == "-" ? "standard input" : source.path;
}

/// The whole text.
std::string text_of(const trace_source& source) {
  namespace fs = std::filesystem;
  const std::string name = name_of_file(source);
  std::size_t expected = 0;
  if (source.path != "-") {
    std::error_code failed;
    const fs::file_status status = fs::status(source.path, failed);
    if (status.type() == fs::file_type::not_found)
      throw bad_usage{name + ": there is no such file"};
    if (failed) throw bad_usage{name + ": " + failed.message()};
    if (fs::is_directory(status)) throw bad_usage{name + ": is a directory; name a file in it"};
    if (fs::is_regular_file(status)) expected = fs::file_size(source.path, failed);
  }
  if (expected > longest_trace) throw bad_usage{name + ": longer than 4 GiB"};
  const std::unique_ptr<std::FILE, closer> file{
      source.path == "-" ? stdin : std::fopen(source.path.c_str(), "rb")};
  if (!file) throw bad_usage{name + ": " + std::strerror(errno)};

  std::string text;
  std::size_t size = 0;
  for (;;) {
    text.resize((std::max)(expected + 1, 2 * size + (std::size_t{1} << 16)));
    expected = 0;
    const std::size_t got = std::fread(text.data() + size, 1, text.size() - size, file.get());
    size += got;
    if (size < text.size()) break;
    if (size > longest_trace) throw bad_usage{name + ": longer than 4 GiB"};
  }
  if (std::ferror(file.get()) != 0) throw bad_usage{name + ": " + std::strerror(errno)};
  text.resize(size);
  return text;
}

/// One line on standard error, whatever is in the text.
void say(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  std::fprintf(stderr, "gpuplan: %s\n", text.c_str());
}

/// Is it what sacct prints?  Its header has |.
bool has_bars(std::string_view text) {
  return text.substr(0, text.find('\n')).find('|') != std::string_view::npos;
}

}  // namespace

job_trace read_trace_file(const trace_source& source) {
  trace_options options;
  if (!source.columns.empty()) {
    const parsed_trace_columns read = parse_trace_columns(source.columns);
    if (!read)
      throw bad_usage{fmt::format(
          "--columns: '{}' is not understood; write submit=NAME,gpus=NAME,duration=NAME; there are "
          "start, end, state, job and priority, too",
          read.wrong)};
    options.columns = read.value;
  }
  if (!source.filter.empty()) {
    options.only = parse_trace_filter(source.filter);
    if (options.only.column.empty())
      throw bad_usage{fmt::format("--where: '{}' must be COLUMN=VALUE, as vc=5", source.filter)};
  }
  const std::string name = name_of_file(source);
  const std::string text = text_of(source);
  if (source.of_sacct && !has_bars(text))
    throw bad_usage{name + ": has no | in its first line; sacct --parsable2 prints such tables"};

  job_trace read = read_trace(text, options);
  const std::string first =
      read.faults.empty() ? std::string() : description_of(read.faults.front());
  if (read.jobs.empty()) {
    const std::int64_t rows = read.counts.total();
    if (!first.empty()) throw bad_usage{fmt::format("{}: no job: {}", name, first)};
    throw bad_usage{fmt::format("{}: no job in {} rows{}", name, rows,
                                read.counts.filtered > 0 ? " that --where keeps" : "")};
  }
  for (std::size_t i = 0; i < read.faults.size() && i < faults_said; ++i)
    say(name + ": " + description_of(read.faults[i]));
  if (const auto said = static_cast<std::int64_t>(faults_said); read.counts.faulty > said)
    say(fmt::format("{}: and {} more rows that are not understood", name,
                    read.counts.faulty - said));
  return read;
}

}  // namespace gpuplan::cli
