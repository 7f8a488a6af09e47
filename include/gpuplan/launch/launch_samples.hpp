#pragma once
/// \file
/// Samples of several sequences, as scripts count them, and sequences, as a recipe does.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/model/field.hpp>

namespace gpuplan {

/// "pairs, each of 2 sequences"
inline std::string samples_of(int sequences) {
  return (sequences == 2 ? "pairs" : "samples") + std::string(", each of ") +
         std::to_string(sequences) + " sequences";
}

/// "4"; of samples of several sequences "2 pairs".
inline std::string counted_samples(int sequences, int sample) {
  const std::string count = std::to_string(std::max(1, sequences / sample));
  if (sample == 1) return count;
  const std::string one = sample == 2 ? " pair" : " sample";
  return count + one + (count == "1" ? "" : "s");
}

/// The surroundings of a launch that counts samples: batches that options say, in samples, too.
///
/// Source: Hugging Face, TRL, "DPO Trainer" (2025): a batch is of pairs of a chosen and a rejected
/// answer, which run as one batch of twice as many sequences.
inline launch_surroundings in_samples(launch_surroundings around) {
  const int sample = around.sequences_per_sample;
  if (sample == 1) return around;
  if (around.micro_batch_size > 0)
    around.micro_batch_size = std::max(1, around.micro_batch_size / sample);
  if (const auto batch = around.given.find("global-batch-size"); batch != around.given.end())
    batch->second = std::max(1, batch->second / sample);
  return around;
}

/// Makes the batches of a job that was read in samples those of sequences, and says so.
///
///     of  the fields of the launch that count samples, for the line
inline void count_sequences(int sample, const std::string& of, launch_job& said) {
  said.recipe.sequences_per_sample = sample;
  if (sample == 1) return;
  const auto times = [&](int samples) {
    return static_cast<int>(std::min<std::int64_t>(largest_count, std::int64_t{samples} * sample));
  };
  said.recipe.global_batch_size = times(said.recipe.global_batch_size);
  said.parallelism.micro_batch_size = times(said.parallelism.micro_batch_size);
  said.assumed.push_back(of + " count " + samples_of(sample));
}

}  // namespace gpuplan
