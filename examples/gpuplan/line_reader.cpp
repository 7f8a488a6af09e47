/// \file
/// Standard input, line by line.

#include "line_reader.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <gpuplan/text/json_text.hpp>

#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// Cuts standard input into lines.  A line longer than any request is not kept.
class line_reader {
 public:
  line_reader(const std::function<void(std::string_view)>& line,
              const std::function<void()>& too_long)
      : line_{line}, refuse_{too_long} {}

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
    ssize_t got = 0;
    do got = ::read(STDIN_FILENO, part_, sizeof part_);
    while (got < 0 && errno == EINTR);
    if (got < 0) throw bad_usage{std::string("standard input: ") + std::strerror(errno)};
    size_ = static_cast<std::size_t>(got);
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

  const std::function<void(std::string_view)>& line_;
  const std::function<void()>& refuse_;
  char part_[1 << 16];
  std::size_t size_ = 0;
  std::string begun_;
  bool too_long_ = false;
};

}  // namespace

void read_lines(const std::function<void(std::string_view)>& line,
                const std::function<void()>& too_long) {
  line_reader{line, too_long}.read_all();
}

std::string line_is_too_long() {
  return "longer than " + std::to_string(largest_json_text >> 20) + " MiB";
}

std::string without_line(std::string why) {
  constexpr std::string_view place = "line 1, ";
  const auto found = why.rfind(place);
  return found == why.npos ? why : why.erase(found, place.size());
}

}  // namespace gpuplan::cli
