"""Replacing what was found: one operator per file, and the policy that picks one for each type."""

from incognote.replace.policy import OPERATORS, Policy, PolicyError, apply, parse_policy

__all__ = ["OPERATORS", "Policy", "PolicyError", "apply", "parse_policy"]
