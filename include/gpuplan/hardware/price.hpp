#pragma once
/// \file
/// Hourly prices of an accelerator, with their source.

#include <cstddef>
#include <optional>
#include <string_view>

#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// On what terms an accelerator is rented.
enum class price_kind {
  on_demand,  ///< by the hour, kept as long as it is paid
  reserved,   ///< for a term agreed before
  spot        ///< taken back when somebody else pays more
};

/// One price, with the day it was asked.
struct price {
  std::string_view accelerator;  ///< name of a catalog entry, or of a device that has none
  std::string_view provider;
  price_kind kind;
  dollars_per_second rate;  ///< of one accelerator, with its share of the host; > 0
  std::string_view date;    ///< as far as the source tells
  std::string_view source;  ///< author, title, place; enough to look it up
  fact_status status;
  std::string_view note{};
};

/// The least price of a table for an accelerator on these terms, or nullptr if it has none.
template <class Prices>
constexpr const price* lowest_price(const Prices& prices, std::string_view device,
                                    price_kind kind) {
  const price* lowest = nullptr;
  for (const price& one : prices)
    if (one.kind == kind && same_name(one.accelerator, device) &&
        (lowest == nullptr || one.rate < lowest->rate))
      lowest = &one;
  return lowest;
}

namespace detail {

/// The number of so many digits that a text begins with.
constexpr std::optional<int> leading_number(std::string_view text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number;
}

}  // namespace detail

/// The last month that a date of a price can mean, in months from the year 0: December of "2024",
/// March of "2026 Q1", June of "2026-06", whatever words stand before and behind; none where no
/// year is in it.
constexpr std::optional<int> last_month_of(std::string_view date) {
  constexpr int months = 12;
  for (std::size_t at = 0; at < date.size(); ++at) {
    const std::optional<int> year = detail::leading_number(date.substr(at), 4);
    if (!year) continue;
    const std::string_view after = date.substr(at + 4);
    int month = months;
    if (after.starts_with('-'))
      month = detail::leading_number(after.substr(1), 2).value_or(months);
    else if (after.starts_with(" Q"))
      month = 3 * detail::leading_number(after.substr(2), 1).value_or(4);
    return *year * months + month - 1;
  }
  return std::nullopt;
}

/// Months after which a price is stale beside a newer one of the same device: AWS cut its H100 by
/// 44 % in June 2025, a year after it was listed.
inline constexpr int stale_after_months = 12;

/// Whether a table has a price of the same device that is newer by more than stale_after_months.
/// What has no date is never stale.
template <class Prices>
constexpr bool is_stale(const Prices& prices, const price& one) {
  const std::optional<int> own = last_month_of(one.date);
  if (!own) return false;
  for (const price& other : prices)
    if (same_name(other.accelerator, one.accelerator) &&
        last_month_of(other.date).value_or(*own) > *own + stale_after_months)
      return true;
  return false;
}

/// Whether a price is of a provider whose name begins so, in either case: AWS for AWS p5.48xlarge.
/// A name without letters or digits is nobody's, but for the empty one, which is everybody's.
constexpr bool is_of_provider(const price& one, std::string_view provider) {
  const folded_name asked{provider};
  if (asked.text().empty()) return provider.empty();
  return folded_name{one.provider}.text().starts_with(asked.text());
}

/// The least price of a table for a device on these terms that is not stale, or nullptr; of one
/// provider where that is given.
template <class Prices>
constexpr const price* lowest_current_price(const Prices& prices, std::string_view device,
                                            price_kind kind, std::string_view provider = {}) {
  const price* lowest = nullptr;
  for (const price& one : prices)
    if (one.kind == kind && same_name(one.accelerator, device) && is_of_provider(one, provider) &&
        !is_stale(prices, one) && (lowest == nullptr || one.rate < lowest->rate))
      lowest = &one;
  return lowest;
}

/// Whether two prices are of one list: of one provider, date and source.
constexpr bool of_one_list(const price& a, const price& b) {
  return a.provider == b.provider && a.date == b.date && a.source == b.source;
}

/// What the list of a price asks for the same device on other terms, or nullptr.
template <class Prices>
constexpr const price* price_beside(const Prices& prices, const price& one, price_kind kind) {
  for (const price& other : prices)
    if (other.kind == kind && same_name(other.accelerator, one.accelerator) &&
        of_one_list(other, one))
      return &other;
  return nullptr;
}

}  // namespace gpuplan
