#pragma once
/// \file
/// The vocabulary that arguments of Megatron-LM stand for.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>

namespace gpuplan {

/// Words of published tokenizers.
///
/// Source: OpenAI, gpt-2, encoder.json (2019): 50257; Google, bert, vocab.txt (2018): 28996 of
/// BERT-Base, Cased, 30522 of BERT-Base, Uncased; Meta, Llama 2, tokenizer.model (2023): 32000.
inline constexpr int gpt2_vocabulary = 50257;
inline constexpr int bert_cased_vocabulary = 28996;
inline constexpr int bert_uncased_vocabulary = 30522;
inline constexpr int llama2_vocabulary = 32000;
/// Of TikTokenizer, where --vocab-size is not given.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/tokenizer/tokenizer.py, CustomTikTokenizer.
inline constexpr int tik_vocabulary = 131072;

namespace detail {

/// "BertWordPieceCase", from --tokenizer-type or from the kind of --vocab-file.
inline std::string megatron_tokenizer(const launch_arguments& args) {
  if (args.has("tokenizer-type")) return args.text("tokenizer-type");
  const bool words = args.text("vocab-file").ends_with(".txt");
  return words ? "BertWordPieceCase" : "GPT2BPETokenizer";
}

/// 256000 of "nemotron_2_256k.model", where a file's name says how many thousands it has.
inline std::optional<int> thousands_in(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i] != 'k' || (i + 1 < path.size() && path[i + 1] >= 'a' && path[i + 1] <= 'z'))
      continue;
    std::size_t begin = i;
    while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9') --begin;
    if (i - begin < 2 || i - begin > 4) continue;
    int thousands = 0;
    for (std::size_t k = begin; k < i; ++k) thousands = 10 * thousands + (path[k] - '0');
    return thousands * 1000;
  }
  return std::nullopt;
}

/// Words before padding.
inline int megatron_words(const launch_arguments& args, launch_job& said) {
  const std::string type = megatron_tokenizer(args);
  const std::string file = args.text("tokenizer-model");
  const int extra = args.whole_or("vocab-extra-ids", 0);
  if (const auto given = args.whole("vocab-size", 1)) return *given + extra;

  const auto taken = [&](int words, const std::string& because) {
    said.assumed.push_back("vocabulary " + std::to_string(words) + ": " + because + "; " +
                           args.shown_as("vocab-size") + " says another");
    return words + extra;
  };
  if (type == "GPT2BPETokenizer") return taken(gpt2_vocabulary, "that of GPT-2");
  if (type == "BertWordPieceCase") return taken(bert_cased_vocabulary, "that of BERT, cased");
  if (type == "BertWordPieceLowerCase")
    return taken(bert_uncased_vocabulary, "that of BERT, uncased");
  if (type == "Llama2Tokenizer") return taken(llama2_vocabulary, "that of Llama 2");
  if (type == "TikTokenizer") return taken(tik_vocabulary, "TikTokenizer's own");
  if (const auto words = thousands_in(file))
    return taken(*words, "as " + shown_name(file) + " says");
  args.refuse("vocab-size", "is missing, and the words of " + shown_name(type) + " are not known");
}

}  // namespace detail

/// Rows of the embedding: the words, made a multiple of --make-vocab-size-divisible-by for each
/// tensor-parallel rank.  Where that is 1 the words are kept, as ranks round up their own parts.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/tokenizer/tokenizer.py, _vocab_size_with_padding.
///
/// \throws invalid_input if neither --vocab-size nor the tokenizer says how many words there are
inline int megatron_vocabulary(const launch_arguments& args, int tensor, launch_job& said) {
  if (const auto rows = args.whole("padded-vocab-size", 1)) return *rows;
  const int words = detail::megatron_words(args, said);
  const std::int64_t divisor = args.whole_or("make-vocab-size-divisible-by", 128, 1);
  const std::int64_t step = divisor * tensor;
  const std::int64_t rows = (words + step - 1) / step * step;
  if (divisor == 1) return words;
  if (rows > launch_arguments::largest)
    args.refuse("make-vocab-size-divisible-by", "makes too large a vocabulary");
  return static_cast<int>(rows);
}

}  // namespace gpuplan
