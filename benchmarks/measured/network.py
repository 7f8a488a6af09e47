"""The models of configurations.py in PyTorch, and a step of their training.  Needs torch."""
import contextlib

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def rotated(x, angles):
    """Rotary positions: halves of each head turned by angles of (sequence, half)."""
    a, b = x.float().chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).type_as(x)


def written_out(q, k, v):
    """Causal attention whose scores are written to memory; as many heads of k and v as of q."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    return scores.masked_fill(~past, float("-inf")).softmax(dim=-1).type_as(v) @ v


class Attention(nn.Module):
    def __init__(self, shape, how):
        super().__init__()
        h = shape.hidden_size
        self.heads, self.kv_heads = shape.attention_heads, shape.kv_heads
        self.head_size = h // self.heads
        self.how, self.gated = how, shape.gated
        self.qkv = nn.Linear(h, h + 2 * self.kv_heads * self.head_size, bias=not shape.gated)
        self.out = nn.Linear(h, h, bias=not shape.gated)

    def core(self, q, k, v):
        if self.how.attention == "unfused":
            return written_out(q, k, v)
        # In FP32 the kernel is another one, which keeps no scores either.
        kernel = SDPBackend.EFFICIENT_ATTENTION if q.dtype == torch.float32 \
            else SDPBackend.FLASH_ATTENTION
        with sdpa_kernel(kernel):
            return functional.scaled_dot_product_attention(
                q, k, v, is_causal=True, enable_gqa=self.kv_heads != self.heads)

    def forward(self, x, angles):
        batch, sequence, h = x.shape
        kv = self.kv_heads * self.head_size
        q, k, v = (part.view(batch, sequence, -1, self.head_size).transpose(1, 2)
                   for part in self.qkv(x).split((h, kv, kv), dim=-1))
        if self.gated:
            q, k = rotated(q, angles), rotated(k, angles)
        if self.how.recompute == "selective":
            core = checkpoint(self.core, q, k, v, use_reentrant=False)
        else:
            core = self.core(q, k, v)
        return self.out(core.transpose(1, 2).reshape(batch, sequence, h))


class Ffn(nn.Module):
    def __init__(self, shape):
        super().__init__()
        h, f = shape.hidden_size, shape.ffn_size
        self.gate = nn.Linear(h, f, bias=False) if shape.gated else None
        self.up = nn.Linear(h, f, bias=not shape.gated)
        self.down = nn.Linear(f, h, bias=not shape.gated)

    def forward(self, x):
        if self.gate is None:
            return self.down(functional.gelu(self.up(x), approximate="tanh"))
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, shape, how):
        super().__init__()
        norm = nn.RMSNorm if shape.gated else nn.LayerNorm
        self.before_attention = norm(shape.hidden_size)
        self.attention = Attention(shape, how)
        self.before_ffn = norm(shape.hidden_size)
        self.ffn = Ffn(shape)

    def forward(self, x, angles):
        x = x + self.attention(self.before_attention(x), angles)
        return x + self.ffn(self.before_ffn(x))


class Network(nn.Module):
    def __init__(self, shape, how):
        super().__init__()
        self.shape, self.how = shape, how
        h = shape.hidden_size
        self.words = nn.Embedding(shape.vocabulary_size, h)
        self.positions = nn.Embedding(shape.positions, h) if shape.positions else None
        self.layers = nn.ModuleList(Layer(shape, how) for _ in range(shape.layers))
        self.norm = (nn.RMSNorm if shape.gated else nn.LayerNorm)(h)
        self.head = nn.Linear(h, shape.vocabulary_size, bias=False)
        if shape.tied:
            self.head.weight = self.words.weight
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, words, targets):
        place = torch.arange(words.shape[1], device=words.device)
        x = self.words(words)
        if self.positions is not None:
            x = x + self.positions(place)
        half = self.shape.hidden_size // self.shape.attention_heads // 2
        angles = place[:, None] / 500000 ** (torch.arange(half, device=words.device) / half)
        for layer in self.layers:
            if self.how.recompute == "full":
                x = checkpoint(layer, x, angles, use_reentrant=False)
            else:
                x = layer(x, angles)
        logits = self.head(self.norm(x))
        return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


class Training:
    """A network on the first GPU, its optimizer, and the same random words at each step."""

    def __init__(self, shape, how, batch):
        torch.manual_seed(1)
        torch.backends.cuda.matmul.allow_tf32 = how.precision != "fp32"
        dtype = torch.bfloat16 if how.precision == "pure_bf16" else torch.float32
        with torch.device("cuda"):
            torch.set_default_dtype(dtype)
            self.network = Network(shape, how)
            torch.set_default_dtype(torch.float32)
            words = torch.randint(shape.vocabulary_size, (batch, how.sequence + 1))
        self.words, self.targets = words[:, :-1].contiguous(), words[:, 1:].contiguous()
        self.cast = (lambda: torch.autocast("cuda", dtype=torch.bfloat16)) \
            if how.precision == "mixed_bf16" else contextlib.nullcontext
        weights = self.network.parameters()
        if how.optimizer == "adamw":
            self.optimizer = torch.optim.AdamW(weights, lr=1e-5, fused=True)
        else:
            self.optimizer = torch.optim.SGD(weights, lr=1e-5, fused=True,
                                             momentum=0.9 if how.optimizer == "momentum" else 0)

    def step(self):
        with self.cast():
            loss = self.network(self.words, self.targets)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss
