#include <gpuplan/api/job.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

std::string refusal_of_layout(const parallelism& cut, const transformer& m = catalog::llama_3_8b) {
  return testing::refusal_by([&] {
    require_countable(cut, m);
    return 0;
  });
}

TEST_CASE("a layout has as many ranks, stages and chunks as are answered", "[api]") {
  CHECK(refusal_of_layout({.data = 1024, .tensor = 8, .pipeline = 16}) == "nothing");
  CHECK(refusal_of_layout({.data = most_ranks}) == "nothing");
  CHECK(refusal_of_layout({.data = most_ranks, .tensor = 2}) ==
        "parallelism: data x tensor x pipeline x context must be <= 1000000000");
  CHECK(refusal_of_layout({.pipeline = 100'000, .interleave = 100'000}) ==
        "parallelism: pipeline x interleave must be <= 1000000000");
  CHECK(refusal_of_layout({.tensor = 2, .expert = most_ranks}) ==
        "parallelism: expert x expert_tensor must be <= 1000000000");
}

TEST_CASE("a long pipeline is refused where the model is as deep", "[api]") {
  transformer deep = catalog::llama_3_8b;
  deep.layers = 1'000'000;
  const parallelism longest{.pipeline = most_stages};
  const parallelism longer{.pipeline = most_stages + 1};
  CHECK(refusal_of_layout(longest, deep) == "nothing");
  CHECK(refusal_of_layout(longer, deep) ==
        "parallelism: pipeline must be <= " + std::to_string(most_stages));
  CHECK(refusal_of_layout(longer) == "nothing");  // more stages than layers: an answer says so
  const parallelism many{.pipeline = 2, .interleave = most_pieces / 2 + 1};
  CHECK(refusal_of_layout(many, deep) ==
        "parallelism: pipeline x interleave must be <= " + std::to_string(most_pieces));
  CHECK(refusal_of_layout({.pipeline = 2, .interleave = most_pieces / 2}, deep) == "nothing");
  CHECK(refusal_of_layout(many) == "nothing");
}

TEST_CASE("the usual batch fills the pipeline once", "[api]") {
  CHECK(filling_batch({}) == 1);
  CHECK(filling_batch({.data = 16, .tensor = 8, .pipeline = 4, .micro_batch_size = 2}) == 128);
  CHECK(testing::refusal_by([] {
          return filling_batch({.data = most_ranks, .micro_batch_size = 2});
        }).starts_with("parallelism: data x micro_batch_size x pipeline, the batch where none is"));
}

TEST_CASE("the usual precision is one that every GPU multiplies", "[api]") {
  const auto pool_of = [](const char* gpu) {
    cluster_request asked{.gpu = gpu, .gpus = 8};
    return pool_part{.asked = asked, .pool = cluster_of(asked)};
  };
  job asked;
  asked.pool = pool_of("H100").pool;
  const precision newest = default_precision_of(asked);
  CHECK(newest == default_precision(asked.pool.gpu()));
  asked.others = {pool_of("V100-32GB")};
  CHECK(default_precision_of(asked) == default_precision(asked.others[0].pool.gpu()));
  CHECK(default_precision_of(asked) != newest);
}

}  // namespace
}  // namespace gpuplan::api
