#pragma once
/// \file
/// Reads plain data that Python pickled, as JSON.  No object is made, so no code can run.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Whether bytes begin as a pickle of protocol 2 or later does.
constexpr bool is_pickle(std::string_view text) {
  return text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
}

/// The key of a dict's number, where dicts are numbered.
inline constexpr std::string_view dict_number_key = "#";

/// How a pickle is written as JSON.
struct pickle_writing {
  std::size_t longest = std::size_t{1} << 30;  ///< bytes of the JSON

  /// The key of lists whose dicts several of them hold, as those of PyTorch's snapshots hold
  /// frames: each dict is written once, with its number, and then as that number.
  std::string_view numbered{};
};

namespace detail {

enum class pickled_kind : std::uint8_t { none, boolean, whole, real, text, list, dict };

/// One value.  Lists and dicts are named by number, as several values may hold the same one.
struct pickled_value {
  pickled_kind kind = pickled_kind::none;
  std::uint32_t length = 0;  ///< of a text
  std::int64_t whole = 0;    ///< a number or its bits, a flag, or the place of a text or a list
};

/// The stack machine of a pickle, for the instructions that make plain data.
class pickle_reader {
 public:
  pickle_reader(std::string_view pickle, std::string_view name, const pickle_writing& how)
      : bytes_{pickle}, name_{name}, how_{how} {}

  std::string whole() {
    if (!is_pickle(bytes_)) refuse("is no pickle of protocol 2 to 5");
    at_ = 2;
    for (;;) {
      const char instruction = take(1).front();
      if (instruction == '.') break;
      run(instruction);
    }
    const pickled_value last = pop();
    write(last, 0);
    return std::move(written_);
  }

 private:
  /// Data nested deeper than this is refused, as JSON would be; so is a list that holds itself.
  static constexpr int deepest = 100;
  static constexpr std::size_t most_values = std::size_t{1} << 26;

  [[noreturn]] void refuse(const std::string& why) const {
    gpuplan::refuse((std::string(name_) + ": " + why).c_str());
  }
  [[noreturn]] void refuse_here(const std::string& why) const {
    refuse("byte " + std::to_string(at_) + " of the pickle " + why);
  }

  std::string_view take(std::size_t count) {
    if (bytes_.size() - at_ < count) refuse("is a pickle that is cut short");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  /// An integer of so many bytes, the lowest first.
  std::uint64_t number(std::size_t size) {
    const std::string_view digits = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    return value;
  }

  /// A number whose highest bit is its sign.
  std::int64_t whole_number(std::size_t size) {
    if (size > 8) refuse_here("is a number of more than 64 bits");
    const std::uint64_t value = number(size);
    if (size == 0 || size == 8) return static_cast<std::int64_t>(value);
    const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
    return static_cast<std::int64_t>(value ^ sign) - static_cast<std::int64_t>(sign);
  }

  /// The bits of a double, the highest first.
  std::int64_t real_bits() {
    std::uint64_t bits = 0;
    for (const char digit : take(8)) bits = bits << 8 | static_cast<unsigned char>(digit);
    return static_cast<std::int64_t>(bits);
  }

  /// A value takes 16 B and a list some 40 B: 1 to 4 GiB in all.
  void count_value() {
    if (++values_ > most_values)
      refuse("is a pickle of more than " + std::to_string(most_values) + " values");
  }

  void push_mark() {
    count_value();
    marks_.push_back(stack_.size());
  }

  void push(pickled_kind kind, std::int64_t value = 0) {
    count_value();
    stack_.push_back({.kind = kind, .length = 0, .whole = value});
  }

  void push_text(std::uint64_t length) {
    if (length > 0xFFFFFFFF) refuse_here("is a text of more than 4 GiB");
    const std::size_t place = at_;
    static_cast<void>(take(static_cast<std::size_t>(length)));
    push(pickled_kind::text, static_cast<std::int64_t>(place));
    stack_.back().length = static_cast<std::uint32_t>(length);
  }

  pickled_value pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
      refuse_here("takes a value, and there is none");
    const pickled_value value = stack_.back();
    stack_.pop_back();
    return value;
  }

  /// A list or dict of the last `count` values.
  void push_holder(pickled_kind kind, std::size_t count) {
    std::vector<pickled_value> items;
    if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < count)
      refuse_here("takes values, and there are fewer");
    items.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    holders_.push_back(std::move(items));
    push(kind, static_cast<std::int64_t>(holders_.size()) - 1);
  }

  /// Values since the last mark, which is taken away.
  std::size_t since_mark() {
    if (marks_.empty()) refuse_here("goes back to a mark, and there is none");
    const std::size_t count = stack_.size() - marks_.back();
    marks_.pop_back();
    return count;
  }

  /// Puts the last `count` values into the list or dict below them.
  void add_to_holder(pickled_kind kind, std::size_t count) {
    if (stack_.size() < count + 1 + (marks_.empty() ? 0 : marks_.back()))
      refuse_here("takes values, and there are fewer");
    const pickled_value& below = stack_[stack_.size() - count - 1];
    if (below.kind != kind || (kind == pickled_kind::dict && count % 2 != 0))
      refuse_here("adds to what is no list or dict");
    std::vector<pickled_value>& items = holders_[static_cast<std::size_t>(below.whole)];
    items.insert(items.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
  }

  void keep(std::size_t place) {
    if (stack_.empty() || place > kept_.size()) refuse_here("keeps what there is not");
    if (kept_.size() == place) {
      count_value();
      kept_.emplace_back();
    }
    kept_[place] = stack_.back();
  }

  void push_kept(std::size_t place) {
    if (place >= kept_.size()) refuse_here("takes what was not kept");
    count_value();
    stack_.push_back(kept_[place]);
  }

  void run(char instruction) {
    switch (static_cast<unsigned char>(instruction)) {
      case 0x95: static_cast<void>(take(8)); return;  // the length of a frame
      case 'N': return push(pickled_kind::none);
      case 0x88: return push(pickled_kind::boolean, 1);
      case 0x89: return push(pickled_kind::boolean, 0);
      case 'K': return push(pickled_kind::whole, static_cast<std::int64_t>(number(1)));
      case 'M': return push(pickled_kind::whole, static_cast<std::int64_t>(number(2)));
      case 'J': return push(pickled_kind::whole, whole_number(4));
      case 0x8A: return push(pickled_kind::whole, whole_number(number(1)));
      case 0x8B: refuse_here("is a number of more than 64 bits");
      case 'G': return push(pickled_kind::real, real_bits());
      case 0x8C: return push_text(number(1));
      case 'X': return push_text(number(4));
      case 0x8D: return push_text(number(8));
      case '(': return push_mark();
      case ']':
      case ')': return push_holder(pickled_kind::list, 0);
      case '}': return push_holder(pickled_kind::dict, 0);
      case 0x85: return push_holder(pickled_kind::list, 1);
      case 0x86: return push_holder(pickled_kind::list, 2);
      case 0x87: return push_holder(pickled_kind::list, 3);
      case 't': return push_holder(pickled_kind::list, since_mark());
      case 'a': return add_to_holder(pickled_kind::list, 1);
      case 'e': return add_to_holder(pickled_kind::list, since_mark());
      case 's': return add_to_holder(pickled_kind::dict, 2);
      case 'u': return add_to_holder(pickled_kind::dict, since_mark());
      case 0x94: return keep(kept_.size());
      case 'q': return keep(number(1));
      case 'r': return keep(number(4));
      case 'h': return push_kept(number(1));
      case 'j': return push_kept(number(4));
      default:
        refuse_here(
            "makes an object of Python; of a pickle only numbers, texts, lists, tuples and "
            "dicts are read");
    }
  }

  void add(std::string_view text) {
    if (written_.size() + text.size() > how_.longest)
      refuse("is a pickle of more than " + std::to_string(how_.longest >> 20) +
             " MiB as JSON; write less into it");
    written_ += text;
  }

  void write_text(const pickled_value& value) {
    const std::string_view text = text_of(value);
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (plain) {
      add("\"");
      add(text);
      return add("\"");
    }
    add(nlohmann::json(std::string(text))
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void write_real(const pickled_value& value) {
    double number = 0;
    std::memcpy(&number, &value.whole, sizeof number);
    add(std::isfinite(number) ? nlohmann::json(number).dump() : "null");
  }

  void write_key(const pickled_value& key) {
    if (key.kind == pickled_kind::text) return write_text(key);
    if (key.kind != pickled_kind::whole) refuse("is a pickle whose dicts have keys of other kinds");
    add('"' + std::to_string(key.whole) + '"');
  }

  void write(const pickled_value& value, int depth) {
    switch (value.kind) {
      case pickled_kind::none: return add("null");
      case pickled_kind::boolean: return add(value.whole != 0 ? "true" : "false");
      case pickled_kind::whole: return add(std::to_string(value.whole));
      case pickled_kind::real: return write_real(value);
      case pickled_kind::text: return write_text(value);
      case pickled_kind::list:
      case pickled_kind::dict: break;
    }
    if (depth == deepest)
      refuse("is a pickle of lists nested more than " + std::to_string(deepest) + " deep");
    if (value.kind == pickled_kind::dict) {
      add("{");
      return write_dict(value, depth);
    }
    const std::vector<pickled_value>& items = items_of(value);
    add("[");
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) add(",");
      write(items[i], depth + 1);
    }
    add("]");
  }

  /// The rest of a dict after its bracket and what stands there already.
  void write_dict(const pickled_value& value, int depth) {
    const std::vector<pickled_value>& items = items_of(value);
    bool is_first = written_.back() == '{';
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (!std::exchange(is_first, false)) add(",");
      write_key(items[i]);
      add(":");
      const bool once = items[i + 1].kind == pickled_kind::list && !how_.numbered.empty() &&
                        items[i].kind == pickled_kind::text && text_of(items[i]) == how_.numbered;
      once ? write_numbered(items[i + 1], depth + 1) : write(items[i + 1], depth + 1);
    }
    add("}");
  }

  /// A list of dicts, each of which is written once.
  void write_numbered(const pickled_value& list, int depth) {
    if (depth >= deepest) return write(list, depth);
    add("[");
    bool is_first = true;
    for (const pickled_value& one : items_of(list)) {
      if (!std::exchange(is_first, false)) add(",");
      if (one.kind != pickled_kind::dict) {
        write(one, depth + 1);
        continue;
      }
      const auto [known, is_new] = numbers_.try_emplace(one.whole, numbers_.size());
      const std::string number = std::to_string(known->second);
      add(is_new ? "{\"" + std::string(dict_number_key) + "\":" + number : number);
      if (is_new) write_dict(one, depth + 1);
    }
    add("]");
  }

  [[nodiscard]] const std::vector<pickled_value>& items_of(const pickled_value& holder) const {
    return holders_[static_cast<std::size_t>(holder.whole)];
  }
  [[nodiscard]] std::string_view text_of(const pickled_value& value) const {
    return bytes_.substr(static_cast<std::size_t>(value.whole), value.length);
  }

  std::string_view bytes_;
  std::string_view name_;
  pickle_writing how_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::vector<pickled_value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<std::vector<pickled_value>> holders_;
  std::vector<pickled_value> kept_;
  std::unordered_map<std::int64_t, std::size_t> numbers_;  // of dicts that are written once
  std::string written_;
};

}  // namespace detail

/// A pickle of numbers, texts, lists, tuples and dicts as the text of JSON that json.dump writes of
/// them; numbers that are none are null.  A value that several others hold is written for each,
/// but where `how` says otherwise.
///
///     name  what the bytes are called in messages
///
/// Source: Python Software Foundation, "pickletools: Tools for pickle developers", Python 3.11
/// (2022): the instructions of protocols 2 to 5.
///
/// \throws invalid_input "<name>: ..." if the bytes are no such pickle, hold an object, or are cut
///         short; if they are nested more than 100 deep, hold more than 2^26 values, or are longer
///         than how.longest as JSON
inline std::string json_of_pickle(std::string_view pickle, std::string_view name,
                                  const pickle_writing& how = {}) {
  return detail::pickle_reader{pickle, name, how}.whole();
}

}  // namespace gpuplan
