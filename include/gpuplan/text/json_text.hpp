#pragma once
/// \file
/// Reads untrusted JSON strictly, or refuses it with one line that names the file.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/detail/json_builder.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// What a JSON text says.
///
///     text  a byte order mark may stand before it
///     name  of the file or stream, for the error line
///     how   the longest text and string, and which fields are kept
///
/// Takes no more memory than 10 times the text and 256 KiB, but for the copies of a string that is
/// longer than longest_json_string.
///
/// \throws invalid_input of one line, "<name>: ...", if the text is too long, is not JSON, nests
///         deeper than deepest_json, gives a field of an object twice, has a string of more than
///         how.longest_string, a number of more than 8 KiB or as much in which neither begins, or
///         values so dense that they take six times the memory of their text
inline nlohmann::json parse_json(std::string_view text, std::string_view name,
                                 const json_reading& how = {}) {
  if (text.size() > how.longest)
    throw invalid_input{std::string(name) + ": is longer than " +
                        std::to_string(how.longest >> 20) + " MiB"};
  if (const std::size_t zero = text.find('\0'); zero != text.npos)  // the parser would end there
    throw invalid_input{std::string(name) + ": is not JSON: byte " + std::to_string(zero + 1) +
                        " is zero"};
  if (const std::string_view why = detail::long_json_run(text, how.longest_string); !why.empty())
    throw invalid_input{std::string(name) + ": " + std::string(why)};
  detail::strict_json_builder builder{text, name, how};
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace gpuplan
