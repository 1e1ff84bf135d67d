"""A Qwen3 of about 100,000 weights with a byte-level tokenizer and Qwen3's chat template."""

from pathlib import Path

import torch
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look at a number.",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "integer", "description": "where"}},
            "required": ["place"],
        },
    },
}


def make_policy(folder: Path, template: str = "qwen3.jinja", hidden: int = 32) -> None:
    tokenizer = make_tokenizer(template)
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=hidden // 2,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen3ForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_tokenizer(template: str) -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE({letter: place for place, letter in enumerate(alphabet)}, []))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.add_special_tokens({"additional_special_tokens": SPECIAL})
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / template).read_text()
    return tokenizer
