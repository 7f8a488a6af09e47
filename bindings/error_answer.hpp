#pragma once
/// \file
/// Why a request is not answered, as data.

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/report/json.hpp>

namespace gpuplan::bindings {

/// What a request cannot ask, before the program reads it.
class bad_request : public std::runtime_error {
 public:
  bad_request(const std::string& what, std::string where, std::vector<std::string> allowed = {},
              std::vector<std::string> meant = {});

  [[nodiscard]] report_json answer() const;

 private:
  std::string where_;
  std::vector<std::string> allowed_, meant_;
};

/// Refuses a name that is not among those allowed, with the closest of them: "WHAT; did you mean A?"
/// \throws bad_request
[[noreturn]] void refuse_name(const std::string& what, std::string_view typed, std::string where,
                              std::vector<std::string> allowed);

/// The place in a request that a name of the program stands for: "cluster.gpu" for "--gpu"; empty
/// where it stands for none.
using place_in_request = std::function<std::string(std::string_view name)>;

/// The answer in the place of one that the program refused with a line of text, whose parts are
/// told apart: "WHERE must be one of ALLOWED, not X; did you mean A or B?", "WHERE: why".
report_json error_answer(std::string_view line, int exit_code, const place_in_request& place);

}  // namespace gpuplan::bindings
