"""Why a job ends without its outputs. The kinds are those of core/failure.ts."""


class JobFailure(Exception):
    """An expected end of a job; `kind` goes into result.json, the text names place and cure."""

    kind = "crash"


class ConfigInvalid(JobFailure):
    """The job or an input of it is wrong: another try of the same job would end the same way."""

    kind = "config_invalid"


class Diverged(JobFailure):
    """Loss, gradient or reward is no longer a number."""

    kind = "diverged"


class EnvFailure(JobFailure):
    """A grader or the machine failed, not the policy."""

    kind = "env_failure"


class Terminated(Exception):
    """SIGTERM was seen at a safe point: state is on disk, no result is written."""
