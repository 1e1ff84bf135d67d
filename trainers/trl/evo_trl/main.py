"""python -m evo_trl FOLDER: one training of the trainer contract, by TRL's GRPOTrainer."""

import json
import logging
import os
import shutil
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from evo_trl.checkpoints import WORK, prepare_resume, write_policy
from evo_trl.translate import ConfigInvalid, Translation, translate

STOPPED = 143
# Exit status by kind of failure; all others end with a traceback and status 1.
EXITS = {"config_invalid": 78, "oom": 77, "diverged": 76}
# Read when torch, transformers and TRL are imported.
ENVIRONMENT = {
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRL_EXPERIMENTAL_SILENCE": "1",
}


class Stop:
    """SIGTERM: exit at once while nothing is trained, else at the end of the batch."""

    def __init__(self) -> None:
        self.is_asked = self.is_training = False
        signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, *_: Any) -> None:
        self.is_asked = True
        if not self.is_training:
            sys.exit(STOPPED)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m evo_trl FOLDER", file=sys.stderr)
        return 2
    folder, stop = Path(arguments[0]).resolve(), Stop()
    try:
        return run(folder, open_rewards(folder), stop)
    except Exception as error:
        kind = failure_kind(error)
        if kind is None:
            raise
        print(f"{kind}: {error}", file=sys.stderr)
        return EXITS[kind]


def open_rewards(folder: Path) -> Any:
    """The client that lies in the folder."""
    # Last, so that nothing else in the folder is taken for a package. It holds evo_hooks, too.
    sys.path.append(str(folder))
    from evo_reward import Rewards

    return Rewards()


def run(folder: Path, rewards: Any, stop: Stop) -> int:
    """Train, from the start or from a checkpoint; returns the exit status."""
    train = json.loads((folder / "train.json").read_text())
    with (folder / "tasks.jsonl").open() as lines:
        tasks = [json.loads(line) for line in lines]
    shutil.rmtree(folder / WORK, ignore_errors=True)
    # Refused before the imports, which take longer than all the rest of a refused job.
    translate(train, "cpu")
    for name, value in (ENVIRONMENT | {"HF_HOME": str(folder / WORK / "hub")}).items():
        os.environ.setdefault(name, value)
    device = prepare_torch()
    quiet()
    translation = translate(train, device)
    trainer, contract = build(folder, train, tasks, rewards, translation, stop)
    last = train["resume"]
    resume = None
    if last is not None:
        resume, own = prepare_resume(folder, last, last * translation.minibatches)
        trainer.book.filters, trainer.book.is_stopped = own["filters"], own["is_stopped"]
    if not is_over(train, last, trainer):
        stop.is_training = True
        trainer.train(resume_from_checkpoint=None if resume is None else str(resume))
        last = contract.saved
    if not is_over(train, last, trainer):
        return STOPPED
    write_policy(folder, last * translation.minibatches)
    shutil.rmtree(folder / WORK, ignore_errors=True)
    return 0


def is_over(train: dict[str, Any], last: int | None, trainer: Any) -> bool:
    """Whether the steps or the tokens of the budget are spent at checkpoint `last`."""
    return last is not None and (
        trainer.book.is_stopped or last >= train["budget"]["optimizer_steps"]
    )


def build(
    folder: Path,
    train: dict[str, Any],
    tasks: list[dict[str, Any]],
    rewards: Any,
    translation: Translation,
    stop: Stop,
) -> tuple[Any, Any]:
    from datasets import Dataset
    from transformers import AutoTokenizer, PrinterCallback
    from trl import GRPOConfig

    from evo_trl.callbacks import Contract
    from evo_trl.tools import environment_factory, let_read_calls, tool_schemas
    from evo_trl.trainer import EvoTrainer

    policy = str(folder / "policy")
    contract = Contract(folder, train, rewards, lambda: stop.is_asked)
    schemas = tool_schemas(tasks)
    samples = train["recipe"]["rollout"]["group_size"]
    tokenizer = AutoTokenizer.from_pretrained(policy, padding_side="left")
    if schemas:
        let_read_calls(tokenizer)
    trainer = EvoTrainer(
        train=train,
        tasks=tasks,
        rewards=rewards,
        model=start_model(folder, translation),
        processing_class=tokenizer,
        args=GRPOConfig(output_dir=str(folder / WORK), **translation.config),
        train_dataset=Dataset.from_dict({"index": [task["index"] for task in tasks]}),
        callbacks=[contract],
        peft_config=None if is_adapter(folder) else lora_config(translation),
        environment_factory=environment_factory(rewards, schemas, samples) if schemas else None,
    )
    if schemas:
        trainer.use_schemas(schemas)
    trainer.remove_callback(PrinterCallback)
    contract.trainer = trainer
    for settings in getattr(trainer.model, "peft_config", {}).values():
        # Else the path of this folder would be in every adapter.
        settings.base_model_name_or_path = "base"
    return trainer, contract


def is_adapter(folder: Path) -> bool:
    """Whether the branch starts from an adapter, whose policy is in base/."""
    return (folder / "policy" / "adapter_config.json").is_file()


def start_model(folder: Path, translation: Translation) -> Any:
    """What TRL trains: the path of a policy, or a policy with the adapter to train further."""
    if not is_adapter(folder):
        return str(folder / "policy")
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    if translation.lora is None:
        raise ConfigInvalid("policy: it is an adapter, but policy/lora is not set; set its rank")
    dtype = translation.config.pop("model_init_kwargs")["dtype"]
    model = AutoModelForCausalLM.from_pretrained(folder / "base", dtype=dtype)
    return PeftModel.from_pretrained(model, folder / "policy", is_trainable=True)


def lora_config(translation: Translation) -> Any:
    if translation.lora is None:
        return None
    from peft import LoraConfig

    return LoraConfig(**translation.lora)


def prepare_torch() -> str:
    """The device. On the CPU one thread: more would add in another order from run to run."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if os.environ.get("CUDA_VISIBLE_DEVICES"):
        # Days on the CPU, where the job was given a GPU.
        raise RuntimeError(
            "no CUDA-capable device: PyTorch finds none, but CUDA_VISIBLE_DEVICES names one;"
            " compare the driver with the CUDA of trainers/trl"
        )
    torch.set_num_threads(1)
    return "cpu"


def quiet() -> None:
    """No prompt in the log: TRL warns with a whole row wherever a filter has dropped one."""
    import datasets
    import transformers

    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    warnings.simplefilter("ignore", FutureWarning)
    logging.getLogger("trl.trainer.grpo_trainer").addFilter(
        lambda record: "returned None for the following kwargs" not in record.getMessage()
    )


def failure_kind(error: Exception) -> str | None:
    """The kind of a failure that has a cure, or None: then the traceback says more."""
    if isinstance(error, ConfigInvalid):
        return "config_invalid"
    name = type(error).__name__
    return {"Diverged": "diverged", "OutOfMemoryError": "oom"}.get(name)
