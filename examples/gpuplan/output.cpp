/// \file
/// Standard output, colour and progress.

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <gpuplan/text/visible.hpp>

#include "program.hpp"
#include "redirection.hpp"
#include "ticker.hpp"

namespace gpuplan::cli {
namespace {

bool colour_forbidden = false;

[[noreturn]] void give_up() {
  if (errno == EPIPE) throw reader_gone{};
  throw output_lost{std::string("cannot write the output: ") + std::strerror(errno)};
}

/// Printable ASCII in lines: what is most of what is printed.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= ' ' && c <= '~') || line_characters.find(c) != std::string_view::npos;
  });
}

/// The text with all that a terminal would obey as escapes, but for lines and what makes text bold.
std::string shown_on_terminals(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    std::size_t end = text.size();
    std::string_view mark;
    for (const std::string_view one : bold_marks)
      if (const auto found = text.find(one); found < end) {
        end = found;
        mark = one;
      }
    shown += visible(text.substr(0, end), line_characters);
    shown += mark;
    text.remove_prefix(end + mark.size());
  }
  return shown;
}

void write_out(std::string_view text) {
  if (redirection* const to = redirected()) {
    to->output += text;
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) give_up();
}

bool says(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

/// The whole number that a variable of the environment is; nothing where it is none.
std::optional<std::uint32_t> number_of_environment(const char* variable) {
  const char* set = std::getenv(variable);
  if (set == nullptr) return std::nullopt;
  const std::string_view text{set};
  std::uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional{value} : std::nullopt;
}

/// Until the first line of progress where standard error is no terminal.
[[maybe_unused]] std::chrono::seconds until_first_line() {
  constexpr std::uint32_t usual = 60;
  constexpr std::uint32_t least = 1;
  return std::chrono::seconds{
      std::max(number_of_environment("GPUPLAN_PROGRESS").value_or(usual), least)};
}

}  // namespace

void print(std::string_view text) {
  if (is_plain(text)) return write_out(text);
  write_out(shown_on_terminals(text));
}

void print_json(const report_json& answer) {
  print(answer.dump(2, ' ', false, report_json::error_handler_t::replace) + '\n');
}

void say(std::string_view text) {
  if (redirection* const to = redirected()) {
    to->said.push_back(visible(text));
    return;
  }
  std::fprintf(stderr, "gpuplan: %s\n", visible(text).c_str());
}

void finish_output() {
  if (redirected() != nullptr) return;
  if (std::fflush(stdout) != 0) give_up();
}

std::size_t width_of_output() {
  constexpr std::size_t usual = 80;
  constexpr std::size_t least = 40;
  constexpr std::size_t most = 10'000;
  const auto columns = number_of_environment("COLUMNS");
  return columns ? std::clamp(std::size_t{*columns}, least, most) : usual;
}

void print_lines(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    all += std::string(indent, ' ') + wrapped(line.substr(indent), width_of_output() - indent,
                                              std::string(indent > 0 ? indent + 2 : 0, ' '));
    if (end < text.size()) all += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  print(all);
}

text_style style_of_output() {
  if (redirected() != nullptr) return text_style::plain;
  const bool allowed = !colour_forbidden && !says("NO_COLOR") && !is_dumb();
  return allowed && isatty(STDOUT_FILENO) == 1 ? text_style::terminal : text_style::plain;
}

void forbid_colour() {
  colour_forbidden = true;
}

progress::progress(std::string_view work) {
  if (redirected() != nullptr) return;
#ifndef __EMSCRIPTEN__  // which has neither terminals nor, by default, threads
  using clock = std::chrono::steady_clock;
  const bool in_place = isatty(STDERR_FILENO) == 1 && !is_dumb();
  const auto show = [in_place, text = std::string(work), began = clock::now()](int count) {
    if (!in_place && !std::has_single_bit(static_cast<unsigned>(count))) return;
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(clock::now() - began);
    std::fprintf(stderr, in_place ? "\r%s, %lld s " : "%s, %lld s so far\n", text.c_str(),
                 static_cast<long long>(passed.count()));
  };
  const auto erase = [in_place, width = static_cast<int>(work.size()) + 12](int) {
    if (in_place) std::fprintf(stderr, "\r%*s\r", width, "");
  };
  // Signals are for the thread that works: it knows when they must wait.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  ticker_ = std::make_unique<ticker>(in_place ? std::chrono::seconds{1} : until_first_line(), show,
                                     erase);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
}

progress::~progress() = default;

}  // namespace gpuplan::cli
