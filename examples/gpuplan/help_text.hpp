#pragma once
/// \file
/// Lines of text in the columns there are.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuplan::cli {

/// A text with no line wider than that, but for words and commands, which are pasted.  What follows a
/// line's indentation, or the gap after its first words, goes on under itself, with the lines that
/// stood there.
std::string within_width(std::string_view text, std::size_t width);

}  // namespace gpuplan::cli
