#pragma once
/// \file
/// Builds a JSON value while its text is parsed, and refuses what the parser would let pass.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// The longest text that parse_json reads, in bytes; a config.json has a few thousand.  Compare a
/// file's size with it before reading the file.
inline constexpr std::size_t largest_json_text = std::size_t{16} << 20;

/// How deep objects and arrays may lie in one another.
inline constexpr std::size_t deepest_json = 64;

/// The longest string of a JSON text, unless a reader allows more, in bytes: the parser keeps it
/// beside its value, and copies it some ten times into an error, where a line break takes eight.
inline constexpr std::size_t longest_json_string = std::size_t{8} << 10;

/// What is kept of a JSON text, and how long it may be.
struct json_reading {
  std::size_t longest = largest_json_text;           ///< in bytes
  std::size_t longest_string = longest_json_string;  ///< in bytes, a line break counted as 8
  /// Whether a field is kept, by its name; the others are read and dropped. Null: all are kept.
  bool (*keeps)(std::string_view field) = nullptr;
};

namespace detail {

/// No number or whitespace may be longer, in bytes.
constexpr std::size_t most_json_run = longest_json_string;

/// What of a text is too long for the parser; empty where nothing is.
constexpr std::string_view long_json_run(std::string_view text,
                                         std::size_t longest_string = longest_json_string) {
  std::size_t run = 0;  // from the beginning of a string or a number
  std::size_t depth = 0;
  bool quoted = false;
  bool escaped = false;
  bool in_number = false;
  char before = ' ';
  for (const char c : text) {
    const bool quote = c == '"' && !escaped;
    const bool in_word = (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') ||
                         before == '.' || before == '+' || before == '-' || before == 'E';
    const bool number = !quoted && !in_word && ((c >= '0' && c <= '9') || c == '-');
    if (number || (quote && !quoted)) run = 0;
    in_number = number || (in_number && in_word && !quoted);
    run += static_cast<unsigned char>(c) < ' ' ? 8 : 1;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}') && depth > 0) --depth;
    if (run > (quoted ? longest_string : most_json_run)) {
      if (quoted && longest_string > most_json_run) return "has a string that is too long";
      if (quoted) return "has a string longer than 8 KiB";
      if (in_number) return "has a number longer than 8 KiB";
      if (depth > deepest_json) return "is nested more than 64 deep";
      return "has more than 8 KiB, a line break counted as 8 bytes, in which no string or number "
             "begins";
    }
    if (quote) quoted = !quoted;
    if (quote && !quoted && longest_string > most_json_run) run = 0;
    escaped = quoted && c == '\\' && !escaped;
    before = c;
  }
  return {};
}

/// "is not JSON at line 2, column 8": what is wrong where the parser stopped.
inline std::string json_fault(std::string_view text, std::size_t position,
                              const nlohmann::json::exception& error) {
  constexpr int number_out_of_range = 406;
  if (text.empty()) return "is empty";
  const std::size_t end = std::min(position, text.size());
  const std::string_view before = text.substr(0, end > 0 ? end - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return (error.id == number_out_of_range ? "holds a number out of range" : "is not JSON") +
         (" at line " + std::to_string(line)) + ", column " + std::to_string(column);
}

/// What a built value may take of memory, as it grows and when it is let go: the rest up to 10
/// times the text and 256 KiB is for the parser's own copies and for what a reader makes of the
/// value.
constexpr std::size_t most_json_memory(std::string_view text) {
  return 8 * text.size() + (std::size_t{64} << 10);
}

/// Builds a value, and refuses what nlohmann::json::parse lets pass: a key given twice, depth, and
/// values so dense that they take far more memory than their text.
class strict_json_builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using json = nlohmann::json;

  strict_json_builder(std::string_view text, std::string_view name, const json_reading& how)
      : text_{text}, name_{name}, keeps_{how.keeps} {}

  [[nodiscard]] json take() { return std::move(root_); }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(std::int64_t value) override { return scalar(value); }
  bool number_unsigned(std::uint64_t value) override { return scalar(value); }
  bool number_float(double value, const std::string& /*text*/) override { return scalar(value); }
  bool string(std::string& value) override {
    if (dropped()) return true;
    take_memory(sizeof value + value.size());
    place(std::move(value));
    return true;
  }
  bool binary(json::binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(json::value_t::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(json::value_t::array); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    if (dropping_ > 0) return true;
    if (keeps_ != nullptr && !keeps_(name)) {
      drop_next_ = true;
      return true;
    }
    if (open_.back()->contains(name)) refuse("field " + shown_name(name) + " is given twice");
    take_memory(4 * sizeof(void*) + sizeof(std::pair<const std::string, json>) + name.size());
    key_ = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    refuse(json_fault(text_, position, error));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw invalid_input{std::string(name_) + ": " + why};
  }

  /// Whether the value that begins here is one of those that are not kept.
  bool dropped() {
    if (dropping_ > 0) return true;
    return std::exchange(drop_next_, false);
  }

  template <class Value>
  bool scalar(Value value) {
    if (!dropped()) place(value);
    return true;
  }

  /// Memory that is kept, and how much besides for a while.
  void take_memory(std::size_t more, std::size_t for_a_while = 0) {
    held_ += more;
    // When it is let go, values of each level lie in a list that doubles as it grows.
    const std::size_t last = 3 * sizeof(json) * wide_;
    if (held_ + std::max(for_a_while, last) > most_json_memory(text_))
      refuse(shown_name(key_) + ": more values than a text of its length may hold");
  }

  /// The values of the widest object or array of each level, together.
  void widen(std::size_t values) {
    std::size_t& widest = widest_[open_.size() - 1];
    if (values > widest) wide_ += values - std::exchange(widest, values);
  }

  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    widen(parent.size() + 1);
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    auto& values = parent.get_ref<json::array_t&>();
    if (values.size() == values.capacity()) {
      const std::size_t old = values.capacity() * sizeof(json);
      const std::size_t room = std::max<std::size_t>(1, 2 * values.size());
      take_memory(room * sizeof(json) - old, old);
      values.reserve(room);
    }
    values.push_back(std::move(value));
    return &values.back();
  }

  bool open(json::value_t kind) {
    if (depth_ == deepest_json)
      refuse("is nested more than " + std::to_string(deepest_json) + " deep");
    ++depth_;
    if (dropped()) {
      ++dropping_;
      return true;
    }
    take_memory(kind == json::value_t::object ? sizeof(json::object_t) : sizeof(json::array_t));
    open_.push_back(place(json(kind)));
    return true;
  }

  bool close() {
    --depth_;
    if (dropping_ > 0)
      --dropping_;
    else
      open_.pop_back();
    return true;
  }

  std::string_view text_;
  std::string_view name_;
  bool (*keeps_)(std::string_view);
  json root_;
  std::vector<json*> open_;
  std::string key_;
  std::size_t depth_ = 0;
  std::size_t dropping_ = 0;  ///< objects and arrays that are open and not kept
  bool drop_next_ = false;    ///< the value of a field that is not kept
  std::size_t held_ = 0;      ///< bytes that the value takes so far
  std::array<std::size_t, deepest_json> widest_{};
  std::size_t wide_ = 0;
};

}  // namespace detail

}  // namespace gpuplan
