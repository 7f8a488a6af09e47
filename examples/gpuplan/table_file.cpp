/// \file
/// Reading of tables.

#include "table_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <gpuplan/text/json_pickle.hpp>

#include "inputs.hpp"
#include "program.hpp"
#include "redirection.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t longest_table = std::size_t{4} << 30;
constexpr std::size_t faults_said = 10;
/// The share of rows that may be left out unasked: an assumption.  A table with more is more likely
/// to be read wrongly than to hold stray rows.
constexpr double usual_bad_rows = 0.1;

struct input_closer {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

bool is_device(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path == "-" ? "/dev/stdin" : path, failed);
  return is_character_file(status) || is_block_file(status);
}

/// How much of a stream is looked at before the rest is waited for.
constexpr std::size_t first_part = std::size_t{1} << 16;

/// A byte 0 in the first line, or near the beginning of a device: no end of /dev/zero or
/// /dev/urandom is worth waiting for.
void require_text(const std::string& name, std::string_view begin, bool of_device) {
  if (!of_device) begin = begin.substr(0, begin.find('\n'));
  if (begin.substr(0, first_part).find('\0') != std::string_view::npos)
    throw bad_usage{name + ": is not UTF-8 text: it contains a byte 0"};
}

enum class table_form { text, text_or_pickle };

/// Refuses what torch saves, and what gzip packs, by its first two bytes.
void refuse_packed(const std::string& name, std::string_view begin) {
  if (begin.starts_with("PK"))
    throw bad_usage{name +
                    ": is a zip, as torch.save writes; write it as JSON: python3 -c 'import json, "
                    "sys, torch; json.dump(torch.load(sys.argv[1]), sys.stdout)' FILE"};
  if (begin.starts_with("\x1F\x8B"))
    throw bad_usage{name + ": is packed by gzip; unpack it: gunzip -c FILE"};
}

/// Refuses by its beginning what is neither text nor, where that is allowed, a pickle.
void require_form(const std::string& name, std::string_view begin, table_form form,
                  bool of_device) {
  if (form == table_form::text_or_pickle) {
    refuse_packed(name, begin);
    if (!of_device && is_pickle(begin)) return;
  }
  require_text(name, begin, of_device);
}

/// What a file holds, which is text or, where that is allowed, a pickle.
/// \throws bad_usage
std::string content_of(const std::string& path, table_form form) {
  namespace fs = std::filesystem;
  const std::string name = name_of_table(path);
  if (const redirection* const from = redirected()) {
    const std::string* const text = from->file(path);
    if (text == nullptr) throw bad_usage{name + ": there is no such file"};
    require_form(name, *text, form, false);
    return *text;
  }
  std::size_t expected = 0;
  if (path != "-") {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (status.type() == fs::file_type::not_found)
      throw bad_usage{name + ": there is no such file"};
    if (failed) throw bad_usage{name + ": " + failed.message()};
    if (fs::is_directory(status)) throw bad_usage{name + ": is a directory; give a file"};
    if (fs::is_regular_file(status)) expected = fs::file_size(path, failed);
  }
  if (expected > longest_table) throw bad_usage{name + ": longer than 4 GiB"};
  const std::unique_ptr<std::FILE, input_closer> file{path == "-" ? stdin
                                                                  : std::fopen(path.c_str(), "rb")};
  if (!file) throw bad_usage{name + ": " + std::strerror(errno)};

  std::string text;
  std::size_t size = 0;
  for (;;) {
    const std::size_t wanted = (std::max)(expected + 1, 2 * size + (std::size_t{1} << 16));
    text.resize((std::min)(wanted, longest_table + 1));
    expected = 0;
    const std::size_t got = std::fread(text.data() + size, 1, text.size() - size, file.get());
    if (size == 0) require_form(name, std::string_view(text).substr(0, got), form, is_device(path));
    size += got;
    if (size < text.size()) break;
    if (size > longest_table) throw bad_usage{name + ": longer than 4 GiB"};
  }
  if (std::ferror(file.get()) != 0) throw bad_usage{name + ": " + std::strerror(errno)};
  text.resize(size);
  return text;
}

}  // namespace

std::string name_of_table(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::string table_text(const std::string& path) {
  return content_of(path, table_form::text);
}

std::string text_or_pickle(const std::string& path) {
  const std::string content = content_of(path, table_form::text_or_pickle);
  if (!is_pickle(content)) return content;
  return json_of_pickle(content, name_of_table(path), {.numbered = "frames"});
}

void say_faults(const std::string& name, std::span<const row_fault> first, std::int64_t count) {
  std::size_t said = 0;
  for (; said < first.size() && said < faults_said; ++said)
    say(name + ": " + description_of(first[said]));
  if (const auto more = count - static_cast<std::int64_t>(said); more > 0)
    say(fmt::format("{}: and {} that cannot be read", name, counted(more, "more row")));
}

void require_one_clock(const std::string& name, const std::optional<row_fault>& other) {
  if (other) throw bad_usage{name + ": " + description_of(*other)};
}

void check_rows_of(const std::string& name, const unreadable_rows& rows, const std::string& typed,
                   std::string_view option) {
  const double most = typed.empty() ? usual_bad_rows : share_of(typed, option);
  if (rows.count == 0) return;
  const std::string how_many =
      fmt::format("{}: {} of {} cannot be read", name, rows.count, counted(rows.of, "row"));
  if (static_cast<double>(rows.count) > most * static_cast<double>(rows.of)) {
    constexpr std::size_t listed = 3;
    std::string lines;
    for (std::size_t i = 1; i < rows.first.size() && i <= listed; ++i)
      lines += fmt::format("{}line {}", i == 1 ? "; then " : ", ", rows.first[i].line);
    throw bad_usage{fmt::format("{}, more than {:g} %: {}{}; {} 100% leaves such rows out",
                                how_many, 100 * most, description_of(rows.first.front()), lines,
                                option)};
  }
  say(fmt::format("{} and {} left out{}", how_many, rows.count == 1 ? "is" : "are",
                  rows.count > static_cast<std::int64_t>(faults_said)
                      ? fmt::format("; the first {}:", faults_said)
                      : std::string(":")));
  for (std::size_t i = 0; i < rows.first.size() && i < faults_said; ++i)
    say(name + ": " + description_of(rows.first[i]));
}

}  // namespace gpuplan::cli
