#include <gpuplan/registry/symbol_name.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "registry/post.hpp"
#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

std::vector<std::size_t> meant(std::string_view name) {
  const meant_symbols found = symbols_called(sending, name);
  return {found.begin(), found.end()};
}

TEST_CASE("inputs are named by letter, by word, or by what tells them apart", "[registry]") {
  using several = std::vector<std::size_t>;
  CHECK(meant("m") == several{0});
  CHECK(meant("M") == several{1});
  CHECK(meant("message") == several{0});
  CHECK(meant("mess") == several{0});
  CHECK(meant("Mail Bags") == several{1});
  CHECK(meant("mail_bags") == several{1});
  CHECK(meant("told") == several{1});
  CHECK(meant("c_a^2") == several{2});
  CHECK(meant("ca2") == several{2});
  CHECK(meant("way") == several{2});
  CHECK(meant("w") == several{3});
  CHECK(meant("direction") == several{3});
  CHECK(meant("me") == several{0});
  CHECK(meant("time") == several{4, 5});
  CHECK(meant("second") == several{5});
  CHECK(meant("essage").empty());
  CHECK(meant("").empty());
  CHECK(meant("^_^").empty());
  CHECK(meant(std::string(200, 'm')).empty());
  CHECK(name_of(sending.symbols[1]) == "mail_bags");
  CHECK(name_of(sending.symbols[3]) == "bandwidth");
  CHECK(title_of(sending.symbols[3]) == "bandwidth (W)");
}

}  // namespace
}  // namespace gpuplan::registry
