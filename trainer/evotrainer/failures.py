"""Why a job ends without its outputs. The kinds are those of core/failure.ts."""


class JobFailure(Exception):
    """An expected end of a job. `kind` goes into result.json; the text names place and cure."""

    kind = "crash"


class ConfigInvalid(JobFailure):
    """The job or one of its inputs is wrong: the same job would fail again.

    `key` is the place in job.json, or None where another input is at fault.
    """

    kind = "config_invalid"

    def __init__(self, problem: str, key: str | None = None):
        super().__init__(f"job.json: at {key}: {problem}" if key else problem)
        self.problem = problem
        self.key = key


class Diverged(JobFailure):
    """Loss, gradient or reward is not a finite number."""

    kind = "diverged"


class EnvFailure(JobFailure):
    """A grader or the machine failed, not the policy."""

    kind = "env_failure"


class OutOfMemory(JobFailure):
    """A foreign trainer had too little memory, of the machine or of its device."""

    kind = "oom"


class Terminated(Exception):
    """SIGTERM was seen at a safe point: the state is on disk and no result is written."""
