"""Replacing what was found: the operators, and the policy that picks one for each type."""

from incognote.replace.policy import (
    OPERATORS,
    Policy,
    PolicyError,
    Rewritten,
    apply,
    parse_policy,
    rewrite,
)

__all__ = ["OPERATORS", "Policy", "PolicyError", "Rewritten", "apply", "parse_policy", "rewrite"]
