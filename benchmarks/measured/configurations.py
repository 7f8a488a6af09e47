"""What measure.py trains: models by the fields of gpuplan's transformer, and how."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Model:
    """A decoder: GPT-2's kind (LayerNorm, learned positions, biases, GELU), or Llama's where gated
    (RMSNorm, rotary positions, SwiGLU, no biases)."""
    layers: int
    hidden_size: int
    attention_heads: int
    kv_heads: int
    ffn_size: int
    vocabulary_size: int
    gated: bool
    tied: bool
    positions: int = 0  # learned ones

    def parameters(self):
        """Weights and biases, a tied head counted once."""
        h, f = self.hidden_size, self.ffn_size
        kv = h // self.attention_heads * self.kv_heads
        attention = h * h + 2 * h * kv + h * h
        ffn = (3 if self.gated else 2) * h * f
        biases = 0 if self.gated else h + 2 * kv + h + f + h
        norm = h if self.gated else 2 * h
        tables = self.vocabulary_size * h * (1 if self.tied else 2) + self.positions * h
        return self.layers * (attention + ffn + biases + 2 * norm) + norm + tables

    def transformer(self):
        """The same as JSON that `gpuplan model` reads."""
        return {"layers": self.layers, "hidden_size": self.hidden_size,
                "attention_heads": self.attention_heads, "kv_heads": self.kv_heads,
                "ffn_size": self.ffn_size, "vocabulary_size": self.vocabulary_size,
                "gated_ffn": self.gated, "tied_embeddings": self.tied,
                "positions": "rotary" if self.gated else "learned",
                "position_rows": self.positions,
                "norm": "rms_norm" if self.gated else "layer_norm",
                "biases": {"query_key_value": not self.gated, "attention_output": not self.gated,
                           "ffn": not self.gated, "head": False}}


def gpt2(layers, hidden_size, heads):
    return Model(layers, hidden_size, heads, heads, 4 * hidden_size, 50257, False, True, 1024)


def llama(layers, hidden_size, heads, ffn_size, tied):
    return Model(layers, hidden_size, heads, 8, ffn_size, 128256, True, tied)


# Source: OpenAI, gpt-2 (2019), config.json of its four sizes; Meta, Llama 3.1 and 3.2 (2024),
# config.json of 1B, 3B and 8B.  "-4" and "-8" have so many layers of the whole.
MODELS = {"gpt2": gpt2(12, 768, 12), "gpt2-medium": gpt2(24, 1024, 16),
          "gpt2-large": gpt2(36, 1280, 20), "gpt2-xl": gpt2(48, 1600, 25),
          "llama-1b": llama(16, 2048, 32, 8192, True), "llama-3b": llama(28, 3072, 24, 8192, True),
          "llama-8b": llama(32, 4096, 32, 14336, False),
          "llama-8b-8": llama(8, 4096, 32, 14336, False),
          "llama-8b-4": llama(4, 4096, 32, 14336, False)}


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One training job of one GPU.

    precision  mixed_bf16 (FP32 weights under autocast), pure_bf16, tf32 or fp32
    recompute  none, selective (the attention core) or full (each layer)
    attention  flash (PyTorch's scaled_dot_product_attention), or unfused (scores written out)
    fitted     whether constants are fitted to it: the others are predicted
    """
    model: str
    batch: int
    sequence: int
    precision: str = "mixed_bf16"
    optimizer: str = "adamw"
    recompute: str = "none"
    attention: str = "flash"
    fitted: bool = False

    def name(self):
        return "_".join([self.model, f"b{self.batch}", f"s{self.sequence}", self.precision,
                         self.optimizer, self.recompute, self.attention])

    def parameters(self):
        return MODELS[self.model].parameters()


C = Configuration
CONFIGURATIONS = [
    C("gpt2", 8, 1024, fitted=True),
    C("gpt2", 32, 1024),
    C("gpt2", 64, 256),
    C("gpt2", 8, 1024, recompute="full"),
    C("gpt2", 8, 1024, attention="unfused"),
    C("gpt2", 8, 1024, attention="unfused", recompute="selective"),
    C("gpt2", 8, 1024, precision="fp32"),
    C("gpt2", 8, 1024, precision="tf32"),
    C("gpt2", 8, 1024, precision="pure_bf16", optimizer="momentum"),
    C("gpt2-medium", 8, 1024),
    C("gpt2-medium", 32, 512, optimizer="sgd"),
    C("gpt2-medium", 16, 1024, recompute="full", fitted=True),
    C("gpt2-large", 4, 1024),
    C("gpt2-large", 16, 1024, recompute="full"),
    C("gpt2-large", 8, 512, precision="pure_bf16"),
    C("gpt2-xl", 4, 1024),
    C("gpt2-xl", 16, 512, recompute="full"),
    C("gpt2-xl", 4, 1024, precision="tf32", recompute="full"),
    C("llama-1b", 2, 2048, fitted=True),
    C("llama-1b", 8, 1024, recompute="full"),
    C("llama-1b", 1, 8192),
    C("llama-1b", 4, 2048, precision="pure_bf16"),
    C("llama-1b", 2, 2048, optimizer="momentum"),
    C("llama-3b", 1, 2048),
    C("llama-3b", 4, 2048, recompute="full"),
    C("llama-3b", 2, 4096, precision="pure_bf16", recompute="full"),
    C("llama-8b", 1, 2048, precision="pure_bf16"),
    C("llama-8b", 4, 2048, precision="pure_bf16", recompute="full"),
    C("llama-8b", 1, 8192, precision="pure_bf16", optimizer="sgd", recompute="full"),
    C("llama-8b-8", 2, 4096, fitted=True),
    C("llama-8b-8", 1, 16384, recompute="full"),
    C("llama-8b-4", 4, 4096),
]

# Of these the largest batch is looked for; their own batch does not matter.
LARGEST = [C("gpt2", 1, 1024), C("gpt2-medium", 1, 1024, recompute="full"),
           C("gpt2-xl", 1, 1024), C("llama-1b", 1, 2048), C("llama-1b", 1, 4096, recompute="full"),
           C("llama-3b", 1, 2048, precision="pure_bf16"),
           C("llama-8b", 1, 2048, precision="pure_bf16", recompute="full"),
           C("llama-8b-4", 1, 4096)]
