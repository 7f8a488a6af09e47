#include <gpuplan/text/named_rows.hpp>

#include <array>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 2> usual{"name", "size"};

struct outcome {
  std::vector<double> sizes{};
  table_faults faults{};
};

/// Whole sizes up to 9 of the rows of a table.
outcome read(std::string_view text, const std::array<std::string_view, 2>& names = usual) {
  outcome all;
  named_rows<2> rows{text, names, usual, 1, all.faults};
  while (rows.next())
    if (const auto size = rows.whole(1, 9, "0 to 9")) all.sizes.push_back(*size);
  return all;
}

TEST_CASE("rows are read by the names of their columns", "[text]") {
  using sizes = std::vector<double>;
  CHECK(read("size,name\n1,a\n2,b\n").sizes == sizes{1, 2});
  CHECK(read("name\tother\tsize\na\t\"x\"\t3\n").sizes == sizes{3});
  CHECK(read("other\tname\tsize\n\t\"a\"\t3\n").sizes == sizes{3});
  CHECK(read("\xEF\xBB\xBFname,bytes\r\na,4\r\n", {"name", "bytes"}).sizes == sizes{4});
}

TEST_CASE("doubled quotes in a field stand for one", "[text]") {
  table_faults faults;
  named_rows<2> rows{"name,size\n\"a \"\"c\"\" d\",\"\"\"\"\n\"\"\"\"\"\",plain\nb,\n", usual,
                     usual, 1, faults};
  REQUIRE(rows.next());
  CHECK(rows.text(0) == "a \"c\" d");
  CHECK(rows.text(1) == "\"");
  REQUIRE(rows.next());
  CHECK(rows.text(0) == "\"\"");
  CHECK(rows.text(1) == "plain");
  REQUIRE(rows.next());
  CHECK(rows.text(0) == "b");
  CHECK(rows.text(1).empty());
  CHECK_FALSE(rows.next());
  CHECK(faults.count == 0);
}

TEST_CASE("a header that lacks a column, or has it twice, is refused", "[text][errors]") {
  for (const std::string_view text : {"", "size\n1\n", "name,name,size\n", "\"name,size\n"}) {
    const outcome bad = read(text);
    INFO(text);
    CHECK(bad.sizes.empty());
    CHECK(bad.faults.count == 1);
  }
  CHECK(read("name,size\na,1\n", {"name", "bytes"}).faults.count == 1);

  const outcome both = read("a,b\n1,2\n", {"title", "bytes"});
  REQUIRE(both.faults.count == 1);
  CHECK(description_of(both.faults.first[0]) ==
        "line 1: title and bytes are not columns of the header");
  const outcome shared = read("a,b\n1,2\n", {"title", "title"});
  CHECK(shared.faults.first.at(0).column == "title");
}

TEST_CASE("rows that cannot be read are counted, the first hundred kept", "[text][errors]") {
  const outcome mixed = read("name,size\na,1\nb\nc,1,2\nd,x\ne,10\nf,2\n");
  CHECK(mixed.sizes == std::vector<double>{1, 2});
  REQUIRE(mixed.faults.count == 4);
  CHECK(mixed.faults.first[0].problem == field_problem::too_few_fields);
  CHECK(mixed.faults.first[1].problem == field_problem::too_many_fields);
  CHECK(mixed.faults.first[2].problem == field_problem::not_understood);
  CHECK(mixed.faults.first[3].problem == field_problem::too_large);
  CHECK(mixed.faults.first[3].line == 6);

  std::string many = "name,size\n";
  for (int i = 0; i < 150; ++i) many += "a,x\n";
  CHECK(read(many).faults.count == 150);
  CHECK(read(many).faults.first.size() == 100);
}

TEST_CASE("names are numbered in the order in which they come", "[text]") {
  name_list names;
  CHECK(names.number_of("b", 2) == 0);
  CHECK(names.number_of("a", 2) == 1);
  CHECK(names.number_of("b", 2) == 0);
  CHECK(names.number_of("c", 2) == -1);
  CHECK(names.names().size() == 2);
}

}  // namespace
}  // namespace gpuplan
