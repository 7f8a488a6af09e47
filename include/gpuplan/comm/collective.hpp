#pragma once
/// \file
/// The collectives by name.

#include <array>
#include <cstddef>
#include <string_view>

namespace gpuplan {

/// What a group of ranks does together.  In each, `message` counts bytes as NCCL's tests do.
enum class collective {
  all_reduce,      ///< the whole vector, on each rank
  reduce_scatter,  ///< the vector on each rank before it
  all_gather,      ///< what each rank has after it
  all_to_all,      ///< what each rank sends, its own piece included
  broadcast,       ///< the whole vector
  reduce,          ///< the whole vector
  send_receive     ///< the message
};

inline constexpr std::array collectives{collective::all_reduce,  collective::reduce_scatter,
                                        collective::all_gather,  collective::all_to_all,
                                        collective::broadcast,   collective::reduce,
                                        collective::send_receive};

/// "all-reduce", "reduce-scatter", ...
constexpr std::string_view name_of(collective what) {
  constexpr std::array<std::string_view, collectives.size()> names{
      "all-reduce", "reduce-scatter", "all-gather",   "all-to-all",
      "broadcast",  "reduce",         "send, receive"};
  return names[static_cast<std::size_t>(what)];
}

}  // namespace gpuplan
