#include <gpuplan/model/field.hpp>

#include <gpuplan/model/recipe.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

enum class colour { red, blue };
struct inner {
  colour paint = colour::red;
};
struct outer {
  int count = 3;
  double part = 0.5;
  bool on = false;
  inner within{};
  layer_split split{};
};
constexpr auto colour_names =
    std::to_array<named<colour>>({{"red", colour::red}, {"blue", colour::blue}});

constexpr std::array rows{
    field<outer>{.key = "count",
                 .option = "--count,--number",
                 .value = count_field<&outer::count>(1),
                 .help = ""},
    field<outer>{
        .key = "part", .option = "--part", .value = number_field<&outer::part>(0, 1), .help = ""},
    field<outer>{.key = "on", .option = "--on", .value = flag_field<&outer::on>(), .help = ""},
    field<outer>{.key = "paint",
                 .option = "--paint",
                 .value = choice_field<colour_names, &outer::within, &inner::paint>(),
                 .help = ""},
    field<outer>{
        .key = "split", .option = "--split", .value = stages_field<&outer::split>(9), .help = ""}};

constexpr outer with(std::size_t row, double x) {
  outer o;
  rows[row].value.set(o, x);
  return o;
}

static_assert(rows[0].main_option() == "--count" && rows[1].main_option() == "--part");
static_assert(place_of_field(rows, "paint") == 3 && place_of_field(rows, "pain") == rows.size());
static_assert(with(0, 1e9).count == 1'000'000'000 && rows[0].value.get(outer{}) == 3);
static_assert(with(1, 0.1).part == 0.1 && rows[1].value.get(outer{}) == 0.5);
static_assert(with(2, 1).on && rows[2].value.get(outer{}) == 0);
static_assert(with(3, 1).within.paint == colour::blue, "a member of a member");
static_assert(rows[0].value.least == 1 && rows[0].value.most == largest_count);
static_assert(rows[3].value.names.size() == 2 && rows[3].value.most == 1);

TEST_CASE("a row of layers of stages has its member and no number", "[model]") {
  CHECK(rows[4].value.stages == &outer::split);
  CHECK(rows[4].value.get == nullptr);
  CHECK(rows[4].value.most == 9);
  for (const field<outer>& row : rows) CHECK(row.effect.where == nullptr);
}

}  // namespace
}  // namespace gpuplan
