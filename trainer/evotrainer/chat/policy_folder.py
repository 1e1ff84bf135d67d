"""A policy as a Hugging Face folder with evo.json, which has the digest of every other file.

    policy/{config.json,model.safetensors,tokenizer.json,tokenizer_config.json,…}
    policy/evo.json     {"version":1,"files":{name: sha256},"base":null}

A LoRA adapter is a folder too: it has adapter_config.json, and `base` is the digest of the policy
that it adapts. Only safetensors are read, and no code of a folder is run.
"""

import hashlib
import json
import os
import shutil
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from evotrainer.chat.template import ChatTemplate
from evotrainer.contract import canonical_json
from evotrainer.failures import ConfigInvalid, EnvFailure, is_out_of_memory, machine_fault
from evotrainer.jobdir import write_json
from evotrainer.sandbox.gpus import given_devices

SEAL = "evo.json"
ADAPTER = "adapter_config.json"
CURE = "fetch the policy again from the store, or pin it again"
# Weights are read once into memory of the same size, and playing needs some beside them.
MEMORY_SHARE = 0.9
CHUNK = 1 << 20
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
FULL_ATTENTION = ("full_attention", "attention")


@dataclass
class HfPolicy:
    """A causal LM of transformers with its tokenizer; `seal` is the content of evo.json."""

    model: Any
    tokenizer: Any
    seal: dict[str, Any]
    place: str

    @classmethod
    def load(cls, folder: Path, base: Path | None = None) -> "HfPolicy":
        """Reads a sealed folder; the error names what is damaged, missing or foreign.

        `base` is the folder that an adapter refers to.
        """
        seal = check_seal(folder)
        if seal["base"] is None:
            model = load_model(folder)
            return checked(cls(model, load_tokenizer(folder), seal, str(folder)))
        return checked(cls(_adapted(folder, base, seal), load_tokenizer(folder), seal, str(folder)))

    def digest(self) -> str:
        return seal_digest(self.seal)

    @cached_property
    def stops(self) -> list[int]:
        """The ids that end a message of the policy."""
        configs = (self.model.generation_config, self.model.config, self.tokenizer)
        given = [getattr(config, "eos_token_id", None) for config in configs]
        ids = [i for value in given for i in (value if isinstance(value, list) else [value])]
        return list(dict.fromkeys(i for i in ids if isinstance(i, int)))

    @cached_property
    def template(self) -> ChatTemplate:
        return ChatTemplate(self.tokenizer, self.stops, self.place)

    @property
    def context_length(self) -> int:
        return int(self.model.config.max_position_embeddings)


def save_policy_folder(
    folder: Path, model: Any, tokenizer: Any, base: str | None = None
) -> dict[str, Any]:
    """Writes model (or adapter) and tokenizer, and seals the folder."""
    be_quiet()
    folder.mkdir(parents=True, exist_ok=True)
    check_disk(folder, sum(weight.nbytes for weight in model.state_dict().values()), str(folder))
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    return seal_folder(folder, base)


def seal_folder(folder: Path, base: str | None = None) -> dict[str, Any]:
    """Writes evo.json over the files that lie in the folder now."""
    # peft writes a page about the adapter that nobody reads.
    (folder / "README.md").unlink(missing_ok=True)
    if (folder / ADAPTER).is_file():
        _settle_adapter(folder / ADAPTER)
    names = sorted(name for name in _files(folder) if name != SEAL)
    seal = {
        "version": 1,
        "files": {name: file_digest(folder / name) for name in names},
        "base": base,
    }
    write_json(folder / SEAL, seal)
    return seal


def _settle_adapter(path: Path) -> None:
    """Equal adapters are equal bytes: without the place of the base, and with sets in order."""
    try:
        config = json.loads(path.read_text())
        config["base_model_name_or_path"] = None
        for key, value in config.items():
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                config[key] = sorted(value)
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigInvalid(f"{path} is damaged ({error}); {CURE}") from error
    write_json(path, config)


def seal_digest(seal: dict[str, Any]) -> str:
    """The digest of a policy: of the digests of its files, and of its base."""
    return hashlib.sha256(canonical_json(seal).encode()).hexdigest()


def check_seal(folder: Path) -> dict[str, Any]:
    """Compare every file with its digest: weights with one flipped bit load like any others."""
    try:
        seal = json.loads((folder / SEAL).read_text())
        recorded = dict(seal["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigInvalid(
            f"{folder / SEAL} is missing or damaged ({error!r}); pin the policy:"
            " python -m evotrainer.chat.pin FOLDER OUT"
        ) from error
    found = {name for name in _files(folder) if name != SEAL}
    for name in sorted(found ^ set(recorded)):
        what = "is not named in evo.json" if name in found else "is missing"
        raise ConfigInvalid(f"{folder / name} {what}; {CURE}")
    for name, expected in recorded.items():
        digest = file_digest(folder / name)
        if digest != expected:
            raise ConfigInvalid(
                f"{folder / name} is damaged: its sha256 is {digest[:12]}…, evo.json has"
                f" {str(expected)[:12]}…; {CURE}"
            )
    return {"version": 1, "files": recorded, "base": seal.get("base")}


def _files(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    names = ("tokenizer.json", "tokenizer.model", "vocab.json")
    if not any((folder / name).is_file() for name in names):
        raise ConfigInvalid(
            f"{folder} has no tokenizer (none of {', '.join(names)}); save one beside the weights"
        )
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise ConfigInvalid(
            f"{folder}: its tokenizer cannot be read ({brief(error)}); {CURE}"
        ) from error


def load_config(folder: Path) -> Any:
    """The model's configuration, where it is a causal LM that transformers itself knows."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as KNOWN

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise ConfigInvalid(
            f"{folder / 'config.json'} is not a model that transformers knows ({brief(error)}); use"
            " a causal language model whose code is part of transformers"
        ) from error
    architectures = config.architectures or []
    causal: Any = dict[str, Any](KNOWN).get(config.model_type, ())
    names: list[str] = [causal] if isinstance(causal, str) else list(causal)
    if not set(architectures) & set(names):
        raise ConfigInvalid(
            f"{folder / 'config.json'}: at architectures: {', '.join(architectures) or 'nothing'}"
            f" is not a causal language model; use one, such as {names[0] if names else 'Qwen3'}"
        )
    return config


def find_device() -> str:
    """A job that was given a GPU does not compute on the CPU for days instead."""
    if torch.cuda.is_available():
        return "cuda"
    if given := given_devices():
        raise EnvFailure(
            f"the job has {', '.join(given)}, but PyTorch finds no GPU; run nvidia-smi there, and"
            " compare its driver with the CUDA of trainers/hf"
        )
    return "cpu"


def load_model(folder: Path) -> Any:
    """The weights in the dtype of the configuration, on the GPU where there is one."""
    from transformers import AutoModelForCausalLM

    be_quiet()
    config = load_config(folder)
    size = weight_bytes(folder)
    device = find_device()
    if device == "cuda":
        # Bits do not repeat there, and a kernel without a repeatable form would end the job.
        torch.set_deterministic_debug_mode("default")
    check_memory(size, device, str(folder))
    dtype = config.dtype if isinstance(config.dtype, torch.dtype) else torch.float32
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder,
            config=config,
            dtype=dtype,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            attn_implementation="sdpa",
            output_loading_info=True,
        )
        model, info = loaded
    except (ValueError, RuntimeError, OSError) as error:
        if is_out_of_memory(error) or machine_fault([str(error)]):
            raise
        raise ConfigInvalid(
            f"{folder}: its weights cannot be read ({brief(error)}); {CURE}"
        ) from error
    for what in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        if info.get(what):
            name = str(next(iter(info[what])))
            raise ConfigInvalid(
                f"{folder}: its weights do not fit config.json: {what.replace('_', ' ')}, such as"
                f" {name}; save model and configuration together"
            )
    model.config.use_cache = True
    return model.to(device).eval()


def brief(error: Exception) -> str:
    """What another program's error says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def be_quiet() -> None:
    """Progress bars of transformers would fill the log of a job."""
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()


def weight_bytes(folder: Path) -> int:
    """By the headers of the safetensors files, which must be there and whole."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise ConfigInvalid(
            f"{folder} has no *.safetensors; save the weights with safe_serialization=True"
        )
    return sum(_tensor_bytes(path) for path in files)


def _tensor_bytes(path: Path) -> int:
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > path.stat().st_size:
                raise ValueError(f"a header of {length} bytes")
            header = json.loads(file.read(length))
        ends = [
            entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"
        ]
        size = max(ends, default=0)
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise ConfigInvalid(f"{path} is damaged ({error}); {CURE}") from error
    if 8 + length + size != path.stat().st_size:
        raise ConfigInvalid(f"{path} is damaged: it is not as long as its header says; {CURE}")
    return size


def check_memory(size: int, device: str, place: str) -> None:
    free = free_memory(device)
    if free is not None and size > MEMORY_SHARE * free:
        raise ConfigInvalid(
            f"{place} is too large: its weights take {size / 1e9:.1f} GB and {device} has"
            f" {free / 1e9:.1f} GB free; use a smaller policy, dtype: bfloat16, or more memory"
        )


def check_disk(folder: Path, size: int, place: str) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise ConfigInvalid(
            f"{place} is too large: it takes {size / 1e9:.1f} GB and its disk has"
            f" {free / 1e9:.1f} GB free; make room, or use policy.lora"
        )


def free_memory(device: str) -> int | None:
    """Bytes; None where the machine does not tell."""
    if device == "cuda":
        return torch.cuda.mem_get_info()[0]
    try:
        pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        lines = Path("/proc/meminfo").read_text().splitlines()
    except (OSError, ValueError):
        return None
    known = dict(line.split(":", 1) for line in lines if ":" in line)
    available = known.get("MemAvailable", "").split()
    return int(available[0]) * 1024 if available else pages


def checked(policy: HfPolicy) -> HfPolicy:
    """Refuse what cannot be played or trained on, by name."""
    place, tokenizer, config = policy.place, policy.tokenizer, policy.model.config
    if not tokenizer.chat_template:
        raise ConfigInvalid(
            f"{place} has no chat template; use an instruct model, or save chat_template.jinja"
        )
    words = policy.model.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > words:
        raise ConfigInvalid(
            f"{place}: the tokenizer has {len(tokenizer)} tokens and the model {words}; save those"
            " that belong together"
        )
    if not policy.stops:
        raise ConfigInvalid(f"{place} has no end-of-message token; set eos_token_id")
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id in policy.stops:
        raise ConfigInvalid(
            f"{place}: the pad token is {tokenizer.pad_token!r}, which also ends a message: a"
            " trainer that masks pads would never teach the policy to end; pin the folder again,"
            " which mends it"
        )
    kinds = set(getattr(config, "layer_types", None) or ()) - set(FULL_ATTENTION)
    window = getattr(config, "sliding_window", None)
    is_narrow = kinds == {"sliding_attention"} and (window or 0) >= policy.context_length
    if kinds and not is_narrow:
        raise ConfigInvalid(
            f"{place}: layers of the kind {', '.join(sorted(kinds))} are not played by `hf`; use a"
            " model with full attention"
        )
    policy.template.check()
    return policy


def _adapted(folder: Path, base: Path | None, seal: dict[str, Any]) -> Any:
    """The base with the adapter merged into it."""
    return read_adapter(folder, base, seal).merge_and_unload().eval()


def read_adapter(folder: Path, base: Path | None, seal: dict[str, Any], train: bool = False) -> Any:
    """The base with the adapter beside it, of whose weights those alone are trained."""
    from peft import PeftModel  # pyright: ignore[reportMissingImports]

    if base is None:
        raise ConfigInvalid(
            f"{folder} adapts the policy {seal['base'][:12]}…, which is not here; stage its base"
        )
    found = seal_digest(check_seal(base))
    if found != seal["base"]:
        raise ConfigInvalid(
            f"{folder} adapts the policy {seal['base'][:12]}…, and {base} is {found[:12]}…;"
            " stage the base that it was trained from"
        )
    if not (folder / ADAPTER).is_file():
        raise ConfigInvalid(f"{folder / ADAPTER} is missing; {CURE}")
    try:
        return PeftModel.from_pretrained(load_model(base), folder, is_trainable=train)
    except (ValueError, RuntimeError, OSError) as error:
        raise ConfigInvalid(
            f"{folder}: the adapter does not fit its base ({brief(error)})"
        ) from error
