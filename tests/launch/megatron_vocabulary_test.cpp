#include <gpuplan/launch/megatron_vocabulary.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

int rows(nlohmann::json values, int tensor) {
  launch_job said;
  return megatron_vocabulary(launch_arguments{std::move(values), "f", "--"}, tensor, said);
}

TEST_CASE("the vocabulary is padded for every tensor-parallel rank", "[launch][reference]") {
  // Megatron-LM pads GPT-2's 50257 words to these on 1, 2, 4 and 8 ranks.
  CHECK(rows({{"vocab-file", "bpe/vocab.json"}}, 1) == 50304);
  CHECK(rows({{"vocab-file", "bpe/vocab.json"}}, 2) == 50432);
  CHECK(rows({{"vocab-file", "bpe/vocab.json"}}, 4) == 50688);
  CHECK(rows({{"tokenizer-type", "GPT2BPETokenizer"}}, 8) == 51200);
  CHECK(rows({{"vocab-file", "vocab.txt"}}, 2) == 29184);
  CHECK(rows({{"tokenizer-type", "Llama2Tokenizer"}}, 2) == 32000);
  CHECK(rows({{"tokenizer-type", "NullTokenizer"}, {"vocab-size", 131073}}, 4) == 131584);
  CHECK(rows({{"vocab-size", 50257}, {"make-vocab-size-divisible-by", 1}}, 2) == 50257);
  CHECK(rows({{"tokenizer-type", "GPTSentencePieceTokenizer"}, {"tokenizer-model", "a_256k.model"}},
             1) == 256000);
  // Thousands end the word: 32kz and 32ka are no number of them.
  for (const char* name : {"a_32kz.model", "a_32ka.model"})
    CHECK_THROWS_WITH(
        rows({{"tokenizer-type", "GPTSentencePieceTokenizer"}, {"tokenizer-model", name}}, 1),
        ContainsSubstring("--vocab-size is missing"));
  CHECK(rows({{"padded-vocab-size", 7}}, 4) == 7);
  CHECK_THROWS_WITH(rows({{"tokenizer-type", "HuggingFaceTokenizer"}}, 1),
                    "f: --vocab-size is missing, and the words of HuggingFaceTokenizer are not "
                    "known");
}

}  // namespace
}  // namespace gpuplan
