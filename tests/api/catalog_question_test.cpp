#include <gpuplan/api/catalog_question.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

json asked(const json& options) {
  return json::parse(answer_catalog({{"question", "catalog"}, {"options", options}}));
}

static_assert(unit_of_fact("memory") == fact_unit::bytes);
static_assert(unit_of_fact("label_memory") == fact_unit::bytes);
static_assert(unit_of_fact("l2") == fact_unit::bytes);
static_assert(unit_of_fact("peak.bf16") == fact_unit::flop_per_s);
static_assert(unit_of_fact("operators.attention.backward_128") == fact_unit::flop_per_s);
static_assert(unit_of_fact("operators.attention.start") == fact_unit::s);
static_assert(unit_of_fact("operators.attention.half_length") == fact_unit::count);
static_assert(unit_of_fact("operators.collectives.exchange_base") == fact_unit::s);
static_assert(unit_of_fact("operators.collectives.all_reduce") == fact_unit::bytes_per_s);
static_assert(unit_of_fact("operators.collectives.small_share") == fact_unit::count);
static_assert(unit_of_fact("operators.dispatchers.deep_ep_token") == fact_unit::s);
static_assert(unit_of_fact("operators.dispatchers.hybrid_dispatch") == fact_unit::bytes_per_s);
static_assert(unit_of_fact("achieved.bf16") == fact_unit::flop_per_s);
static_assert(unit_of_fact("sustained.bf16") == fact_unit::flop_per_s);
static_assert(unit_of_fact("memory_bandwidth") == fact_unit::bytes_per_s);
static_assert(unit_of_fact("host.signalling") == fact_unit::bytes_per_s);
static_assert(unit_of_fact("host.advertised") == fact_unit::bytes_per_s);
static_assert(unit_of_fact("host.achievable") == fact_unit::bytes_per_s);
static_assert(unit_of_fact("host.latency") == fact_unit::s);
static_assert(unit_of_fact("collective_hop") == fact_unit::s);
static_assert(unit_of_fact("thermal_design_power") == fact_unit::watts);
static_assert(unit_of_fact("year") == fact_unit::count);

TEST_CASE("without a name there are lists", "[api]") {
  const json all = asked(nullptr);
  CHECK(all["schema_version"] == report_schema_version);
  for (const catalog_list& one : catalog_lists) CHECK(all.contains(one.name));
  CHECK(all["inputs"] == json{{"kind", ""}, {"name", ""}});
  const json fabrics = asked({{"kind", "fabric"}});
  CHECK(fabrics.size() == 3);
  CHECK(fabrics["fabrics"].size() == catalog::fabrics.size());
  CHECK(asked({{"kind", "GPU"}}) == asked({{"kind", "accelerators"}}));
  CHECK(asked({{"kind", "gpus"}}) == asked({{"kind", "accelerators"}}));
}

TEST_CASE("an entry has its facts, measurements and prices", "[api]") {
  const json gpu = asked({{"kind", "accelerators"}, {"name", "H100"}});
  CHECK(gpu["kind"] == "accelerators");
  CHECK(gpu["name"] == "H100-SXM5-80GB");
  CHECK(gpu["facts"].size() > 5);
  CHECK_FALSE(gpu["prices"].empty());
  CHECK_FALSE(gpu["measurements"].empty());
  for (const json& one : gpu["facts"])
    CHECK(one["unit"] == spelled(fact_unit_names, unit_of_fact(one["field"].get<std::string>())));
  json alone = asked({{"kind", "H100"}});
  CHECK(alone["facts"] == gpu["facts"]);
  CHECK(alone["inputs"] == json{{"kind", ""}, {"name", "H100"}});
  CHECK(asked({{"kind", {"accelerators", "H100"}}}) == gpu);
  CHECK(asked({{"kind", catalog::others[0].name}})["kind"] == "others");
  CHECK(asked({{"kind", "fabrics"}, {"name", catalog::fabrics[0].name}})["kind"] == "fabrics");
}

TEST_CASE("a model has its fields", "[api]") {
  const json model = asked({{"kind", "models"}, {"name", "gpt2"}});
  CHECK(model["name"] == "gpt2");
  CHECK(model["parameters"] > 1e8);
  CHECK(model["transformer"]["layers"] == 12);
}

TEST_CASE("what no catalogue has is refused with the closest", "[api]") {
  const json error = asked({{"kind", "accelerators"}, {"name", "H1000"}})["error"];
  CHECK(error["where"] == "options.name");
  CHECK(error["what"].get<std::string>().starts_with(
      "options.name must be one of the accelerators, not the string \"H1000\"; did you mean "));
  CHECK(asked({{"kind", "model"}, {"name", "H100"}})["error"]["what"] ==
        "options.name must be one of the models, not the string \"H100\"; gpuplan catalog lists "
        "them");
  CHECK(asked({{"kind", "foo"}})["error"]["what"] ==
        "options.kind must be accelerators, fabrics, models, families or multiprocessors, or one "
        "of their "
        "names, not the string \"foo\"; gpuplan catalog lists them");
  CHECK(asked({{"kind", "modelss"}})["error"]["did_you_mean"] == json{"models"});
  CHECK(asked({{"kind", "modelss"}, {"name", "gpt2"}})["error"]["what"] ==
        "options.kind must be accelerators, fabrics, models, families or multiprocessors, not the "
        "string "
        "\"modelss\"; did you mean models?");
  CHECK(asked({{"kind", "families"}, {"name", "llama"}})["error"]["what"] ==
        "options.name must be left out: all that is known of families stands in their list");
  CHECK(asked({{"kind", "multiprocessors"}, {"name", "9.0"}})["error"]["what"] ==
        "options.name must be left out: all that is known of multiprocessors stands in their "
        "list");
  CHECK(asked({{"kind", {"a", "b", "c"}}})["error"]["what"] ==
        "The following argument was not expected: c");
}

}  // namespace
}  // namespace gpuplan::api
