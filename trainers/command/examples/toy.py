"""The smallest trainer of the contract: it learns nothing and leaves the policy as it was.

As a branch it is an A/A test: whatever a campaign says of its effect is noise. Run as

    trainer: { type: command, folder: trainers/command/examples, command: [python3, toy.py] }
"""

import json
import shutil
import signal
import sys
from pathlib import Path

STOPPED = 143


def main(folder):
    sys.path.insert(0, str(folder))
    from evo_reward import Rewards

    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    train = json.loads((folder / "train.json").read_text())
    with (folder / "tasks.jsonl").open() as lines:
        tasks = [json.loads(line) for line in lines]
    samples = train["recipe"]["rollout"]["group_size"]
    steps, every = train["budget"]["optimizer_steps"], train["checkpoint_every"]
    says = train["options"].get("extra", {}).get("says", "7")
    rewards = Rewards()
    for step in range((train["resume"] or 0) + 1, steps + 1):
        made = [
            {"index": task["index"], "sample": sample, "text": f"{says}", "tokens": 1}
            for task in tasks
            if task["step"] == step
            for sample in range(samples)
        ]
        for one in made:
            one["truncated"] = False
        paid = rewards.grade(step, made)
        rewards.advantages(step, [0.0] * len(paid), [reward is not None for reward in paid])
        is_over = rewards.step(step, {"loss": 0.0})["stop"] or step == steps
        if is_over or asked or step % every == 0:
            save(folder, step)
            rewards.checkpoint(step)
        if is_over:
            break
        if asked:
            return STOPPED
    shutil.copytree(folder / "policy", folder / "policy_out")
    return 0


def save(folder, step):
    target = folder / "checkpoints" / f"step_{step}"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder / "policy", target / "policy")
    (target / "state").mkdir()
    (target / "state" / "step.json").write_text(json.dumps(step))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
