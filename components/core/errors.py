"""What can go wrong, and whose fault it is.

Or1Error
├── ConfigError   a setting is wrong: the message names the field and the fix (exit code 2)
├── DataError     a file or a row is wrong: the message names the file, row or field (exit code 1)
├── InfraError    a pool, engine or service of ours failed; the work may be retried (exit code 1)
└── AuditError    a recorded digest does not match what is there (exit code 3)

A single bad row is never an exception: it is a `Dropped` record with a reason.
"""


class Or1Error(Exception):
    """Base of every error that is shown to the user as one sentence."""


class ConfigError(Or1Error, ValueError):
    """A setting is wrong; the message names the field."""


class DataError(Or1Error, ValueError):
    """A file or its content is wrong; the message names the file, row or field."""


class InfraError(Or1Error, RuntimeError):
    """Something of ours failed (a worker pool, an engine, the disk); retrying may help."""


class AuditError(Or1Error, RuntimeError):
    """What is on disk is not what its lineage says."""
