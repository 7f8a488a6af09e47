#pragma once
/// \file
/// A row of a table of fields: what a member of an aggregate is called in JSON and on the command
/// line, what it may hold, what it means, and when it has an effect.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include <gpuplan/infinite_math.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

class layer_split;
struct transformer;
struct recipe;
struct parallelism;

/// What a field holds, and so how it is written.
enum class field_kind {
  count,                ///< an integer
  number,               ///< a real number without unit
  quantity,             ///< a number of base units
  flag,                 ///< true or false
  flag_or_probability,  ///< likewise; or a number from 0 to 1, of which above 0 is true
  choice,               ///< one of a table of names
  level,                ///< likewise; in JSON by its number, too
  set_of_choices,       ///< some of a table of names, whose values are bits
  layers_of_stages,     ///< an array of integers
  catalog_name          ///< a name that a catalogue explains: read by the owner of the table
};

/// The base unit of a quantity.
enum class field_unit { none, byte, byte_per_second, second, watt };

/// The symbol of a unit; empty of none.
constexpr std::string_view name_of(field_unit unit) {
  switch (unit) {
    case field_unit::none: return "";
    case field_unit::byte: return "B";
    case field_unit::byte_per_second: return "B/s";
    case field_unit::second: return "s";
    case field_unit::watt: return "W";
  }
  return "unknown";
}

/// The largest integer that a field may hold; far above any size, and sums of two stay an int.
inline constexpr int largest_count = 1'000'000'000;

/// A member, whatever its type: an integer, a flag and the place of an enumerator are exact in
/// double.
template <class Owner>
struct member_value {
  field_kind kind = field_kind::catalog_name;
  double least = 0;
  double most = 0;
  field_unit unit = field_unit::none;
  std::span<const named<int>>
      names{};  ///< of a choice: the first of each value is the one to print
  double (*get)(const Owner&) = nullptr;
  void (*set)(Owner&, double) = nullptr;
  layer_split Owner::*stages = nullptr;  ///< of layers_of_stages
};

/// What decides whether a field has an effect.
struct training_setup {
  const gpuplan::transformer& transformer;
  const gpuplan::recipe& recipe;
  const gpuplan::parallelism& parallelism;
};

/// What happens to a value, other than the usual one, where it has no effect.
enum class idle_value {
  accepted,  ///< it stays, as a search may vary what decides
  refused    ///< it is an error of whoever asked for it
};

/// When a field has an effect, and what to say where it has none.
struct field_effect {
  bool (*where)(const training_setup&) = nullptr;  ///< null: always
  std::string_view idle_because{};                 ///< "the model has no experts"
  idle_value idle = idle_value::refused;
};

/// One row.
template <class Owner>
struct field {
  std::string_view key;     ///< in JSON
  std::string_view option;  ///< on the command line; aliases after commas
  member_value<Owner> value{};
  std::string_view help;     ///< what it is
  std::string_view usual{};  ///< what stands for it where it is absent, unless Owner{} says so
  bool seldom = false;       ///< few ask for it: listed apart
  field_effect effect{};
  double (*shown)(const Owner&) = nullptr;  ///< the value in answers, where not the member itself
  bool omitted_if_usual = false;            ///< in answers

  /// The option without its aliases.
  [[nodiscard]] constexpr std::string_view main_option() const {
    return option.substr(0, option.find(','));
  }
};

/// The place of the row with that key; rows.size() if there is none.
template <class Rows>
constexpr std::size_t place_of_field(const Rows& rows, std::string_view key) {
  std::size_t place = 0;
  while (place < rows.size() && rows[place].key != key) ++place;
  return place;
}

namespace detail {

template <class Member>
struct owner_of_member;
template <class Owner, class Value>
struct owner_of_member<Value Owner::*> {
  using type = Owner;
};
template <auto Member>
using owner_of = typename owner_of_member<decltype(Member)>::type;

/// A table of names of which the values are the numbers of enumerators.
template <const auto& Table>
inline constexpr auto names_by_number = [] {
  std::array<named<int>, Table.size()> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {Table[i].name, static_cast<int>(Table[i].value)};
  return rows;
}();

/// The accessors of a member, or of a member of a member.
template <auto First, auto... Inner>
constexpr member_value<owner_of<First>> value_of_member(field_kind kind, double least,
                                                        double most) {
  using owner = owner_of<First>;
  return {.kind = kind,
          .least = least,
          .most = most,
          .get = [](const owner& from) -> double {
            const auto& member = ((from.*First).*....*Inner);
            if constexpr (requires { member.in_base_units(); })
              return member.in_base_units();
            else
              return static_cast<double>(member);
          },
          .set =
              [](owner& to, double x) {
                auto& member = ((to.*First).*....*Inner);
                using type = std::remove_reference_t<decltype(member)>;
                if constexpr (requires { member.in_base_units(); })
                  member = type{x};
                else
                  member = static_cast<type>(x);
              }};
}

}  // namespace detail

/// An integer from `least` on.
template <auto... Path>
constexpr auto count_field(int least) {
  return detail::value_of_member<Path...>(field_kind::count, least, largest_count);
}

/// A number without a unit, from `least` to `most`.
template <auto... Path>
constexpr auto number_field(double least, double most) {
  return detail::value_of_member<Path...>(field_kind::number, least, most);
}

/// A quantity, from `least` to `most` in base units.
template <auto... Path>
constexpr auto quantity_field(field_unit unit, double least, double most) {
  auto value = detail::value_of_member<Path...>(field_kind::quantity, least, most);
  value.unit = unit;
  return value;
}

/// Yes or no.
template <auto... Path>
constexpr auto flag_field(field_kind kind = field_kind::flag) {
  return detail::value_of_member<Path...>(kind, 0, 1);
}

/// One of the names of a table, which has static storage.
template <const auto& Table, auto... Path>
constexpr auto choice_field(field_kind kind = field_kind::choice) {
  const std::span<const named<int>> names{detail::names_by_number<Table>};
  double most = 0;
  for (const named<int>& row : names) most = row.value > most ? row.value : most;
  auto value = detail::value_of_member<Path...>(kind, 0, most);
  value.names = names;
  return value;
}

/// Some of the names of a table, which has static storage and whose values are bits.
template <const auto& Table, auto... Path>
constexpr auto set_field() {
  auto value = choice_field<Table, Path...>(field_kind::set_of_choices);
  unsigned all = 0;
  for (const named<int>& row : value.names) all |= static_cast<unsigned>(row.value);
  value.most = all;
  return value;
}

/// Layers of each pipeline stage, from 0 to `most` each.
template <auto Member>
constexpr member_value<detail::owner_of<Member>> stages_field(int most) {
  return {
      .kind = field_kind::layers_of_stages, .most = static_cast<double>(most), .stages = Member};
}

}  // namespace gpuplan
