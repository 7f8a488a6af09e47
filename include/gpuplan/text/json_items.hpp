#pragma once
/// \file
/// Reads the objects in the lists of a JSON text one by one, so that a long text takes little
/// memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/detail/json_builder.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// An object of a list, and where it lies.
struct json_item {
  std::string_view list;  ///< field of the outermost object; empty where a list is outermost
  std::size_t place = 0;  ///< in the outermost list, from 0
  nlohmann::json value{};
};

/// The text of a field; empty where the value is no object, or has no text of that name.
inline std::string_view text_in(const nlohmann::json& object, const char* field) {
  if (!object.is_object()) return {};
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

/// How long a text of items may be, in bytes, and how many values one of them may keep.
struct json_items_limit {
  std::size_t longest = std::size_t{4} << 30;
  std::size_t values = std::size_t{1} << 20;
};

namespace detail {

/// Keeps one item at a time, and drops all else.
template <class Keeps, class Visit>
class json_item_reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  using json = nlohmann::json;

  json_item_reader(std::string_view text, std::string_view name, std::size_t most_values,
                   const Keeps& keeps, Visit& visit)
      : text_{text}, name_{name}, most_values_{most_values}, keeps_{keeps}, visit_{visit} {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(std::int64_t value) override { return scalar(value); }
  bool number_unsigned(std::uint64_t value) override { return scalar(value); }
  bool number_float(double value, const std::string& /*text*/) override { return scalar(value); }
  bool string(std::string& value) override { return scalar(std::move(value)); }
  bool binary(json::binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(json::value_t::object); }
  bool start_array(std::size_t /*size*/) override { return open(json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& field) override {
    if (dropping_ > 0) return true;
    if (in_item()) {
      drop_next_ = !keeps_(std::string_view(field));
      if (!drop_next_ && item_.back()->contains(field))
        refuse("field " + shown_name(field) + " is given twice");
    }
    key_ = field;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    refuse(json_fault(text_, position, error));
    return false;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw invalid_input{std::string(name_) + ": " + why};
  }
  [[nodiscard]] bool in_item() const { return !item_.empty(); }

  template <class Value>
  bool scalar(Value value) {
    if (dropping_ > 0 || std::exchange(drop_next_, false)) return true;
    if (in_item()) place(json(std::move(value)));
    if (lists_ == 1 && !in_item()) ++place_;
    return true;
  }

  json* place(json value) {
    if (++values_ > most_values_)
      refuse("an object of " + (list_.empty() ? "the list" : shown_name(list_)) +
             " has more than " + std::to_string(most_values_) + " values");
    json& parent = *item_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool open(json::value_t kind) {
    if (depth_ == deepest_json)
      refuse("is nested more than " + std::to_string(deepest_json) + " deep");
    ++depth_;
    if (dropping_ > 0 || std::exchange(drop_next_, false)) return ++dropping_, true;
    if (in_item()) return item_.push_back(place(json(kind))), true;
    if (kind == json::value_t::array) {
      if (lists_ == 0) list_ = depth_ == 1 ? std::string{} : key_;
      if (lists_++ == 0) place_ = 0;
      return true;
    }
    if (depth_ == 1) return true;
    if (lists_ == 0) return ++dropping_, true;  // an object beside the lists
    root_ = json::object();
    values_ = 0;
    item_.push_back(&root_);
    return true;
  }

  bool close() {
    --depth_;
    if (dropping_ > 0) {
      --dropping_;
    } else if (in_item()) {
      item_.pop_back();
      if (in_item()) return true;
      visit_(json_item{list_, place_, std::move(root_)});
      if (lists_ == 1) ++place_;
    } else if (lists_ > 0 && --lists_ == 1) {
      ++place_;
    }
    return true;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t most_values_;
  const Keeps& keeps_;
  Visit& visit_;
  json root_;
  std::vector<json*> item_;  ///< what is open of the item, from the outside
  std::string key_;
  std::string list_;
  std::size_t place_ = 0;
  std::size_t depth_ = 0;
  std::size_t lists_ = 0;     ///< lists that are open around the items
  std::size_t dropping_ = 0;  ///< objects and arrays that are open and not kept
  bool drop_next_ = false;    ///< the value of a field that is not kept
  std::size_t values_ = 0;    ///< of the item
};

}  // namespace detail

/// Calls visit(json_item) for each object that lies in a list, or in lists of lists, of the
/// outermost object, or that lies so where the outermost value is a list:
///
///     {"traceEvents": [{...}, {...}], "deviceProperties": [{...}]}
///     {"device_traces": [[{...}, {...}], [{...}]]}
///     [{...}, {...}]
///
///     text   a byte order mark may stand before it
///     name   of the file or stream, for the error line
///     keeps  keeps(field) says whether a field of an item is kept, at any depth
///     visit  may refuse by an exception, which ends the reading
///
/// Takes the memory of one item at a time beside the text, and time in proportion to its length.
///
/// \throws invalid_input of one line, "<name>: ...", if the text is too long, is not JSON, nests
///         deeper than deepest_json, or has a string or a number of more than 8 KiB; if an item
///         gives a kept field twice or keeps more values than `most` allows
template <class Keeps, class Visit>
void for_each_json_item(std::string_view text, std::string_view name, const Keeps& keeps,
                        Visit&& visit, const json_items_limit& most = {}) {
  const std::string where{name};
  if (text.size() > most.longest)
    throw invalid_input{where + ": is longer than " + std::to_string(most.longest >> 20) + " MiB"};
  if (const std::string_view why = detail::long_json_run(text); !why.empty())
    throw invalid_input{where + ": " + std::string(why)};
  detail::json_item_reader<Keeps, std::remove_reference_t<Visit>> reader{text, name, most.values,
                                                                         keeps, visit};
  nlohmann::json::sax_parse(text, &reader);
}

/// The fields of the outermost object, in their order, until `ends(field)` says that enough was
/// seen; none where the outermost value is no object.  Looks at quotes and brackets alone: what is
/// no JSON is refused by who reads the text.
template <class Ends>
std::vector<std::string> outer_json_fields(std::string_view text, const Ends& ends) {
  std::vector<std::string> fields;
  std::size_t depth = 0;
  std::size_t quote = text.npos;  // where a string began
  std::string_view last;          // the string before
  bool outermost_is_object = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != text.npos) {
      if (c == '\\') ++i;
      if (c != '"') continue;
      last = text.substr(quote + 1, i - quote - 1);
      quote = text.npos;
    } else if (c == '"') {
      quote = i;
    } else if (c == '{' || c == '[') {
      if (depth++ == 0) outermost_is_object = c == '{';
      if (!outermost_is_object) return {};
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    } else if (c == ':' && depth == 1) {
      constexpr std::size_t longest = 256;
      fields.emplace_back(last.substr(0, longest));
      if (ends(last) || fields.size() > longest) return fields;
    }
  }
  return fields;
}

}  // namespace gpuplan
