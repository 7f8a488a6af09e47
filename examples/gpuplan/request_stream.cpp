/// \file
/// Requests of standard input, one a line, and their answers.

#include "request_stream.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <gpuplan/text/json_text.hpp>

#include "program.hpp"
#include "redirection.hpp"

namespace gpuplan::cli {
namespace {

/// Cuts standard input into lines.  A line longer than any request is not kept.
class line_reader {
 public:
  /// `line` gets each line, and `too_long` is called in the place of one that is too long.
  line_reader(std::function<void(std::string_view)> line, std::function<void()> too_long)
      : line_{std::move(line)}, refuse_{std::move(too_long)} {}

  void read_all() {
    while (fill()) {
      std::string_view rest{part_, size_};
      for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
        end_line(rest.substr(0, end));
        rest.remove_prefix(end + 1);
      }
      keep(rest);
      finish_output();
    }
    if (too_long_ || !begun_.empty()) end_line({});
  }

 private:
  bool fill() {
    if (const redirection* const from = redirected()) return fill_from(*from);
    ssize_t got = 0;
    do got = ::read(STDIN_FILENO, part_, sizeof part_);
    while (got < 0 && errno == EINTR);
    if (got < 0) throw bad_usage{std::string("standard input: ") + std::strerror(errno)};
    size_ = static_cast<std::size_t>(got);
    return size_ > 0;
  }

  bool fill_from(const redirection& from) {
    const std::string* const text = from.file("-");
    if (text == nullptr) return false;
    size_ = text->copy(part_, sizeof part_, taken_);
    taken_ += size_;
    return size_ > 0;
  }

  void keep(std::string_view piece) {
    if (too_long_) return;
    if (begun_.size() + piece.size() > largest_json_text) {
      too_long_ = true;
      begun_.clear();
      begun_.shrink_to_fit();
      return;
    }
    begun_.append(piece);
  }

  void end_line(std::string_view piece) {
    if (begun_.empty() && !too_long_) {
      line_(piece);
      return;
    }
    keep(piece);
    if (too_long_)
      refuse_();
    else
      line_(begun_);
    too_long_ = false;
    begun_.clear();
  }

  std::function<void(std::string_view)> line_;
  std::function<void()> refuse_;
  char part_[1 << 16];
  std::size_t size_ = 0;
  std::size_t taken_ = 0;  // of a text in memory
  std::string begun_;
  bool too_long_ = false;
};

/// Answers that are appended to the requests would be read as requests, without end.
void require_other_output() {
  if (redirected() != nullptr) return;
  struct stat in {};
  struct stat out {};
  if (::fstat(STDIN_FILENO, &in) != 0 || ::fstat(STDOUT_FILENO, &out) != 0) return;
  if (S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
    throw bad_usage{"standard input is the file that standard output is written to"};
}

/// Answers line after line.
class answering {
 public:
  explicit answering(const line_maker& answer) : answer_{answer} {}

  void line(std::string_view text) {
    ++line_;
    if (text.find_first_not_of(" \t\r") == text.npos) return;
    write(answer_to(text));
  }
  /// A line of which only the length is known.
  void long_line() {
    ++line_;
    write(api::refused_line("longer than " + std::to_string(largest_json_text >> 20) + " MiB",
                            line_));
  }
  [[nodiscard]] bool all_answered() const { return all_answered_; }

 private:
  api::line_answer answer_to(std::string_view request) {
    try {
      return answer_(request, line_);
    } catch (const bad_usage& error) {
      return api::refused_line(error.what(), line_);
    }
  }

  void write(const api::line_answer& answer) {
    all_answered_ = all_answered_ && answer.answered;
    print(text_of(answer));
    print("\n");
  }

  const line_maker& answer_;
  std::int64_t line_ = 0;
  bool all_answered_ = true;
};

}  // namespace

bool answer_lines(const line_maker& answer) {
  require_other_output();
  answering out{answer};
  line_reader{[&](std::string_view text) { out.line(text); }, [&] { out.long_line(); }}.read_all();
  return out.all_answered();
}

}  // namespace gpuplan::cli
