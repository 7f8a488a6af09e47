#pragma once
/// \file
/// Prices of accelerators in clouds.  Prices age: each row has its date.
/// Written by tools/make_hardware_catalog.py from tests/data/hardware.json.

#include <array>

#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/price.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

/// What was asked for an hour of one accelerator, with its share of the host.
inline constexpr std::array prices{
    price{"V100-SXM2-16GB", "Lambda", price_kind::on_demand, 0.79 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/lambda/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0f40703",
          fact_status::verified, "from the price of 8"},
    price{"RTX A6000", "Lambda", price_kind::on_demand, 1.09 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/lambda/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0f40703",
          fact_status::verified, ""},
    price{"GH200-96GB", "Lambda", price_kind::on_demand, 2.29 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/lambda/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0f40703",
          fact_status::verified, ""},
    price{"H100-SXM5-80GB", "Nebius", price_kind::on_demand, 2.95 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/nebius/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0082b04",
          fact_status::verified, ""},
    price{"H100-SXM5-80GB", "Nebius", price_kind::spot, 1.25 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/nebius/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0082b04",
          fact_status::verified, "preemptible"},
    price{"H200-SXM-141GB", "Nebius", price_kind::on_demand, 3.5 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/nebius/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0082b04",
          fact_status::verified, ""},
    price{"H200-SXM-141GB", "Nebius", price_kind::spot, 1.45 * units::dollar / units::hour,
          "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/nebius/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0082b04",
          fact_status::verified, "preemptible"},
    price{"B200-SXM", "Nebius", price_kind::on_demand, 5.5 * units::dollar / units::hour, "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/nebius/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0082b04",
          fact_status::verified, "from the price of 8"},
    price{"L40S", "Nebius", price_kind::on_demand, 1.5484 * units::dollar / units::hour, "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/nebius/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 0082b04",
          fact_status::verified, "with 8 virtual CPUs"},
    price{"A100-PCIe-80GB", "RunPod secure", price_kind::on_demand,
          1.39 * units::dollar / units::hour, "undated",
          "SkyPilot, \"skypilot-catalog, catalogs/v8/runpod/vms.csv\", "
          "github.com/skypilot-org/skypilot-catalog, commit 01acdfd",
          fact_status::verified, ""},
    price{"H100-SXM5-80GB", "AWS Capacity Blocks (p5, us-east)", price_kind::reserved,
          4.916 * units::dollar / units::hour, "2024, valid to 2025-01-01",
          "AWS, \"EC2 Capacity Blocks pricing\", a copy at "
          "sibshop.uat.jiralog.com/ec2/capacityblocks/pricing",
          fact_status::verified, ""},
    price{"H200-SXM-141GB", "AWS Capacity Blocks (us-east-2)", price_kind::reserved,
          5.408 * units::dollar / units::hour, "2024, valid to 2025-01-01",
          "AWS, \"EC2 Capacity Blocks pricing\", a copy at "
          "sibshop.uat.jiralog.com/ec2/capacityblocks/pricing",
          fact_status::verified, ""},
    price{"A100-SXM4-40GB", "AWS Capacity Blocks (p4d)", price_kind::reserved,
          1.844 * units::dollar / units::hour, "2024, valid to 2025-01-01",
          "AWS, \"EC2 Capacity Blocks pricing\", a copy at "
          "sibshop.uat.jiralog.com/ec2/capacityblocks/pricing",
          fact_status::verified, ""},
    price{"A100-SXM4-40GB", "AWS p4d.24xlarge", price_kind::on_demand,
          4.096 * units::dollar / units::hour, "2024 Q2",
          "Xither, \"GPU compute costs: on-prem, cloud and spot instances\", "
          "www.xither.com/compare/gpu-compute-costs-on-prem-vs-cloud-vs-spot-instances",
          fact_status::verified,
          "from the price of 8, 32.77 dollars; list price before the cut of June 2025"},
    price{"V100-SXM2-16GB", "AWS p3.2xlarge", price_kind::on_demand,
          3.06 * units::dollar / units::hour, "2024",
          "recalled from AWS's published prices; not looked up", fact_status::recalled, ""},
    price{"H100-SXM5-80GB", "GCP a3-highgpu-8g", price_kind::on_demand,
          7.32 * units::dollar / units::hour, "undated",
          "dstack, documentation on backends, github.com/dstackai/dstack", fact_status::verified,
          "from the price of 8"},
    price{"H100-SXM5-80GB", "AWS p5.48xlarge", price_kind::on_demand,
          12.29 * units::dollar / units::hour, "until 2025-05",
          "Digiteria Labs, \"Cloud GPU pricing Q1 2026\", "
          "digiterialabs.com/ai/insights/cloud-gpu-pricing-q1-2026; "
          "awsnegotiations.com/gpu-instance-cost-strategy.html",
          fact_status::verified,
          "list price before the cut of June 2025; both pages still print it in 2026"},
    price{
        "H100-SXM5-80GB", "AWS p5.48xlarge", price_kind::on_demand,
        6.88 * units::dollar / units::hour, "2025-06",
        "a cut of up to 45 %: Usage AI, \"LLM cost optimization AWS\", "
        "www.usage.ai/blogs/aws/ai-ml-cost/llm-cost-optimization-aws; 55.04 dollars for 8 recalled",
        fact_status::recalled, "after the cut of June 2025"},
    price{"H100-SXM5-80GB", "CoreWeave, Lambda or Crusoe", price_kind::on_demand,
          2.49 * units::dollar / units::hour, "2026 Q1",
          "Digiteria Labs, \"Cloud GPU pricing Q1 2026\", "
          "digiterialabs.com/ai/insights/cloud-gpu-pricing-q1-2026",
          fact_status::verified,
          "the lower end of a band of 2.49 to 2.85 from one secondary source"},
    price{"H200-SXM-141GB", "packet.ai", price_kind::on_demand, 2.25 * units::dollar / units::hour,
          "2026-06",
          "packet.ai, \"GPU pricing models compared\", packet.ai/blog/gpu-pricing-models-compared",
          fact_status::verified, "the vendor's own blog"},
    price{"B200-SXM", "packet.ai", price_kind::on_demand, 3.75 * units::dollar / units::hour,
          "2026-06",
          "packet.ai, \"GPU pricing models compared\", packet.ai/blog/gpu-pricing-models-compared",
          fact_status::verified, "the vendor's own blog"},
    price{"A100-SXM4-80GB", "Lambda", price_kind::on_demand, 1.79 * units::dollar / units::hour,
          "2024", "recalled from Lambda's published prices; not looked up", fact_status::recalled,
          "from the price of 8"},
    price{"RTX4090", "RunPod secure", price_kind::on_demand, 0.69 * units::dollar / units::hour,
          "2024", "recalled from RunPod's published prices; not looked up", fact_status::recalled,
          ""}};

}  // namespace gpuplan::catalog
