"""Replacing what was found: the operators, and which of them each type gets."""

from incognote.replace.rewrite import (
    OPERATORS,
    OperatorError,
    Operators,
    RewriteResult,
    apply,
    parse_operators,
    rewrite,
)

__all__ = [
    "OPERATORS",
    "OperatorError",
    "Operators",
    "RewriteResult",
    "apply",
    "parse_operators",
    "rewrite",
]
