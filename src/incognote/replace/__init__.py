"""Replacing what was found: the operators, and the policy that picks one for each type."""

from incognote.replace.policy import (
    OPERATORS,
    Policy,
    PolicyError,
    RewriteResult,
    apply,
    parse_policy,
    rewrite,
)

__all__ = [
    "OPERATORS",
    "Policy",
    "PolicyError",
    "RewriteResult",
    "apply",
    "parse_policy",
    "rewrite",
]
