#include <gpuplan/model/recipe_names.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;

static_assert(spelled(precision_names, precision::mixed_bf16) == "mixed_bf16");
static_assert(find_spelling("BF16", precision_names)->value == precision::mixed_bf16,
              "what people call BF16 keeps a master copy");
static_assert(find_spelling("pure-bf16", precision_names)->value == precision::bf16);
static_assert(find_spelling("1F1B", schedule_names)->value ==
              pipeline_schedule::one_forward_one_backward);
static_assert(find_spelling("ZB-H1", schedule_names)->value == pipeline_schedule::zero_bubble_h1);
static_assert(find_spelling("fsdp", zero_names)->value == zero_stage::parameters);
static_assert(find_spelling("DeepEP", dispatcher_names)->value == expert_dispatcher::deep_ep);
static_assert(find_spelling("nvfp4", precision_names)->value == precision::mixed_nvfp4);
static_assert(find_spelling("true", graph_names)->value == cuda_graphs::fixed_shapes);
static_assert(find_spelling("bf61", precision_names) == nullptr);
static_assert(find_spelling("", precision_names) == nullptr);
static_assert(spelled(recompute_names, static_cast<recompute>(99)) == "unknown");

template <class Table>
void check_table(const Table& table) {
  std::set<std::string> seen;
  for (const auto& row : table) {
    CAPTURE(std::string(row.name));
    CHECK(seen.insert(std::string(folded_name{row.name}.text())).second);
    // The name that is printed is read back as the same value.
    CHECK(find_spelling(spelled(table, row.value), table)->value == row.value);
    CHECK(find_spelling(row.name, table)->value == row.value);
  }
}

template <class Table, class Values>
void check_complete(const Table& table, const Values& values) {
  for (const auto value : values) CHECK(spelled(table, value) != "unknown");
}

TEST_CASE("names of a recipe's choices are unique and read back", "[model]") {
  check_table(precision_names);
  check_table(optimizer_names);
  check_table(gradient_names);
  check_table(zero_names);
  check_table(recompute_names);
  check_table(attention_names);
  check_table(loss_names);
  check_table(weight_storage_names);
  check_table(gradient_lifetime_names);
  check_table(framework_names);
  check_table(schedule_names);
  check_table(number_format_names);
  check_table(offload_names);
  check_table(dispatcher_names);
  check_table(software_choice_names);
  check_table(graph_names);
  check_table(module_names);
  check_table(fp8_recipe_names);
  check_table(adapter_place_names);
  check_table(exchange_names);
  check_table(order_names);
}

TEST_CASE("every value has a name", "[model]") {
  check_complete(precision_names, precisions);
  check_complete(optimizer_names, optimizers);
  check_complete(number_format_names, number_formats);
  check_complete(framework_names, frameworks);
  for (int i = 0; i <= static_cast<int>(pipeline_schedule::dualpipe); ++i)
    CHECK(spelled(schedule_names, static_cast<pipeline_schedule>(i)) != "unknown");
  for (int i = 0; i <= static_cast<int>(recompute::full); ++i)
    CHECK(spelled(recompute_names, static_cast<recompute>(i)) != "unknown");
  for (int i = 0; i <= static_cast<int>(loss_kernel::none); ++i)
    CHECK(spelled(loss_names, static_cast<loss_kernel>(i)) != "unknown");
}

}  // namespace
