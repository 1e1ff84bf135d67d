"""One job from job.json to result.json: checks, signals, dispatch, and the table of failures."""

import json
import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from evotrainer.contract import check
from evotrainer.digest import trainer_digest
from evotrainer.domains import find_domain
from evotrainer.failures import ConfigInvalid, JobFailure, Terminated
from evotrainer.jobdir import JobDir, write_json

SIGTERM_STATUS = 143


def run_job(path: Path) -> int:
    """Exit status: 0 whenever result.json was written, 143 after SIGTERM, nothing else is ours."""
    _die_with_parent()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        kind, job = _open_job(path, stop)
        summary = import_module(_module(kind, job.spec)).run(job)
        result = {"status": "ok", "message": "", "outputs": job.outputs, "summary": summary}
    except Terminated:
        return SIGTERM_STATUS
    except Exception as error:
        status, message = describe(error)
        sys.stderr.write(f"{status}: {message}\n")
        result = {"status": status, "message": message, "outputs": [], "summary": {}}
    result = {"version": 1, **result}
    check("result", result, "result.json")
    write_json(path / "result.json", result)
    return 0


def _module(kind: str, spec: dict[str, Any]) -> str:
    """Kinds are imported when asked for: labelling must not pay for torch."""
    if kind == "evaluate":
        mode = spec["mode"]
        return f"evotrainer.{mode}" if mode in ("label", "bench") else "evotrainer.evaluate"
    return f"evotrainer.{kind}"


def _open_job(path: Path, stop: threading.Event) -> tuple[str, JobDir]:
    try:
        job = json.loads((path / "job.json").read_text())
    except (OSError, ValueError) as error:
        raise ConfigInvalid(f"{path / 'job.json'}: not readable JSON ({error})") from error
    check("job", job, "job.json")
    own = trainer_digest()
    if job["trainer_digest"] != own:
        raise ConfigInvalid(
            f"job.json: at trainer_digest: asks for {job['trainer_digest']}, this trainer is {own};"
            " check out the campaign's trainer, or start a campaign with this one"
        )
    features = {feature["name"]: feature for feature in job["features"]}
    domain = find_domain(job["domain"], job["environment"])
    return job["kind"], JobDir(path, job["spec"], job["seeds"], features, domain, stop)


def describe(error: Exception) -> tuple[str, str]:
    """The one place where an exception becomes a FailureKind."""
    if isinstance(error, JobFailure):
        return error.kind, str(error)
    last = f"{type(error).__name__}: {error}".strip().splitlines()[-1]
    if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
        return "oom", f"out of memory ({last}); lower prompts_per_step, group_size or the context"
    if isinstance(error, RuntimeError) and "can't allocate memory" in str(error):
        return "oom", f"out of memory ({last}); lower prompts_per_step, group_size or the context"
    if isinstance(error, OSError):
        return "env_failure", f"the machine failed, not the job ({last}); look at disk and mounts"
    return "crash", last


def _die_with_parent() -> None:
    """With EVO_PARENT_PIPE=1 standard input is the wrapper's; when it closes, we are orphans."""
    if os.environ.get("EVO_PARENT_PIPE") != "1":
        return

    def watch() -> None:
        while os.read(0, 4096):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
