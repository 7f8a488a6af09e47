#pragma once
/// \file
/// A sentence written into the room that a caller in C has for it.

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <gpuplan/text/visible.hpp>

namespace gpuplan::scheduler {

/// Text that is cut where its room ends, and always ended by a zero; without room it is dropped.
class words {
 public:
  words(char* text, std::size_t room) : text_{text}, room_{text == nullptr ? 0 : room} { clear(); }

  /// Whether anybody reads it.
  [[nodiscard]] bool wanted() const { return room_ > 0; }
  [[nodiscard]] bool empty() const { return length_ == 0; }

  void clear() {
    length_ = 0;
    if (room_ > 0) text_[0] = '\0';
  }

  words& operator<<(std::string_view more) {
    if (room_ == 0) return *this;
    const std::size_t left = room_ - 1 - length_;
    const std::size_t taken = more.size() < left ? more.size() : left;
    std::memcpy(text_ + length_, more.data(), taken);
    length_ += taken;
    text_[length_] = '\0';
    return *this;
  }

  /// Whole numbers without a point, others by as many digits as tell them apart.
  words& operator<<(double x) {
    char digits[40];
    const bool whole = x > -1e15 && x < 1e15 && x == static_cast<double>(static_cast<long long>(x));
    std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.10g", x);
    return *this << std::string_view{digits};
  }

  /// What a stranger wrote: short, on one line, between quotes.
  words& quote(std::string_view typed) {
    constexpr std::size_t longest = 48;
    const bool is_cut = typed.size() > longest;
    return *this << "'" << visible(typed.substr(0, longest)) << (is_cut ? "...'" : "'");
  }

 private:
  char* text_;
  std::size_t room_;
  std::size_t length_ = 0;
};

}  // namespace gpuplan::scheduler
