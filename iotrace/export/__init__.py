"""The forms in which a trace can be written: one module each, and the registry, in which each has one line."""

from iotrace.export import blkparse, block_texts, call_texts, key_records, pattern, umd_ascii, vms_io
from iotrace.export.form import Form

FORMS: tuple[Form, ...] = (
    *call_texts.FORMS,
    vms_io.FORM,
    *block_texts.FORMS,
    blkparse.FORM,
    *key_records.FORMS,
    umd_ascii.FORM,
    pattern.FORM,
)


def named(name: str) -> Form:
    """Return the form of that name."""
    return next(form for form in FORMS if form.name == name)
