#pragma once
/// \file
/// Works that more than one row of the registry cites.

#include <string_view>

namespace gpuplan::registry {

inline constexpr std::string_view definition = "by definition";

inline constexpr std::string_view by_hand = "worked by hand from the source's formula";

}  // namespace gpuplan::registry
