#include <gpuplan/api/catalog_name.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using testing::refusal_by;

TEST_CASE("every device, fabric and alias of the catalogue is found", "[api]") {
  for (const auto& entry : catalog::accelerators)
    CHECK(find_gpu(entry.name, "cluster: gpu").gpu == entry.gpu);
  for (const auto& other : catalog::accelerator_aliases)
    CHECK(find_gpu(other.name, "cluster: gpu").gpu == catalog::find_accelerator(other.name)->gpu);
  for (const auto& entry : catalog::fabrics)
    CHECK(find_fabric(entry.name, "cluster: fabric").net == entry.net);
  CHECK(find_gpu("h100", "cluster: gpu").name == "H100-SXM5-80GB");
}

TEST_CASE("an unknown device is refused with the closest, or with where to look", "[api]") {
  const auto line = [](const char* name) {
    return refusal_by([&] { return find_gpu(name, "cluster: gpu"); });
  };
  CHECK(line("H1000").starts_with(
      "cluster: gpu must be a name of the catalogue, not the string \"H1000\"; did you mean H100"));
  CHECK(line("abacus") ==
        "cluster: gpu must be a name of the catalogue, not the string \"abacus\"; gpuplan catalog "
        "accelerators lists them");
  CHECK(refusal_by([] { return find_fabric("pigeon", "--fabric"); }) ==
        "--fabric must be a name of the catalogue, not the string \"pigeon\"; gpuplan catalog "
        "fabrics lists them");
  CHECK(refusal_by([] {
          return find_fabric("InfiniBand NDR 4", "--fabric");
        }).find("; did you mean InfiniBand NDR 4x") != std::string::npos);
}

TEST_CASE("a device without an operator law is refused with the reason", "[api]") {
  REQUIRE_FALSE(catalog::others.empty());
  for (const auto& other : catalog::others) {
    const std::string line = refusal_by([&] { return find_gpu(other.name, "cluster: gpu"); });
    CHECK(line.starts_with("cluster: gpu: " + std::string(other.name) +
                           " cannot be planned with: " + std::string(other.why)));
  }
}

TEST_CASE("hints know aliases, and the last part of a path", "[api]") {
  CHECK(hint_of_gpu("A100-40G").find("A100-40GB") != std::string::npos);
  CHECK(hint_of_fabric("NDRR").find("ndr") != std::string::npos);
  CHECK(hint_of_model("meta-llama/llama-3-8c") == hint_of_model("llama-3-8c"));
  CHECK(hint_of_model("llama-3-8c").find("llama-3-8b") != std::string::npos);
  CHECK(hint_of_gpu("").empty());
}

}  // namespace
}  // namespace gpuplan::api
