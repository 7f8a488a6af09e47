#pragma once
/// \file
/// JSON as strangers write it: read strictly, or refused in one line that names the file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// The longest text that parse_json reads, in bytes; a config.json has a few thousand.  Compare a
/// file's size with it before reading the file.
inline constexpr std::size_t largest_json_text = std::size_t{16} << 20;

/// How deep objects and arrays may lie in one another.
inline constexpr std::size_t deepest_json = 64;

/// A value as an error line shows it: JSON in ASCII, shortened; objects and arrays in words.
inline std::string shown(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  constexpr std::size_t longest = 48;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return value.is_string() ? "the string " + text : text;
}

/// A field's name as an error line shows it: as it is where it is plain and short, else quoted.
inline std::string shown_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  constexpr std::size_t longest = 48;
  const std::string_view start = name.substr(0, longest);
  if (!name.empty() && start == name && std::all_of(name.begin(), name.end(), is_plain))
    return std::string(name);
  return nlohmann::json(start).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

namespace detail {

/// Builds a value, and refuses what nlohmann::json::parse lets pass: a key given twice, and depth.
class strict_json_builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using json = nlohmann::json;

  strict_json_builder(std::string_view text, std::string_view name) : text_{text}, name_{name} {}

  [[nodiscard]] json take() { return std::move(root_); }

  bool null() override { return place(nullptr), true; }
  bool boolean(bool value) override { return place(value), true; }
  bool number_integer(std::int64_t value) override { return place(value), true; }
  bool number_unsigned(std::uint64_t value) override { return place(value), true; }
  bool number_float(double value, const std::string& /*text*/) override {
    return place(value), true;
  }
  bool string(std::string& value) override { return place(std::move(value)), true; }
  bool binary(json::binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(json::object()), true; }
  bool end_object() override { return open_.pop_back(), true; }
  bool start_array(std::size_t /*size*/) override { return open(json::array()), true; }
  bool end_array() override { return open_.pop_back(), true; }

  bool key(std::string& name) override {
    if (open_.back()->contains(name)) refuse("field " + shown_name(name) + " is given twice");
    key_ = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    constexpr int number_out_of_range = 406;
    if (text_.empty()) refuse("is empty");
    const std::size_t end = std::min(position, text_.size());
    const std::string_view before = text_.substr(0, end > 0 ? end - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    refuse((error.id == number_out_of_range ? "holds a number beyond all range" : "is not JSON") +
           (" at line " + std::to_string(line)) + ", column " + std::to_string(column));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw invalid_input{std::string(name_) + ": " + why};
  }

  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  void open(json value) {
    if (open_.size() == deepest_json)
      refuse("is nested more than " + std::to_string(deepest_json) + " deep");
    open_.push_back(place(std::move(value)));
  }

  std::string_view text_;
  std::string_view name_;
  json root_;
  std::vector<json*> open_;
  std::string key_;
};

}  // namespace detail

/// What a JSON text says.
///
///     text  at most largest_json_text; a byte order mark may stand before it
///     name  of the file or stream, for the error line
///
/// \throws invalid_input of one line, "<name>: ...", if the text is too long, is not JSON, nests
///         deeper than deepest_json, or gives a field of an object twice
inline nlohmann::json parse_json(std::string_view text, std::string_view name) {
  if (text.size() > largest_json_text)
    throw invalid_input{std::string(name) + ": is longer than " +
                        std::to_string(largest_json_text >> 20) + " MiB"};
  detail::strict_json_builder builder{text, name};
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace gpuplan
