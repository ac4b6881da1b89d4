"""Institutions of a patient's notes: hospitals, clinics, schools, employers, agencies.

>>> notes = OrganizationSurrogates(b"a secret of the site", "patient 17")
>>> names = ("Harlan Creek Medical Center", "HCMC", "Harlan Creek ED")
>>> notes.replace_all([Mention(name, "HOSPITAL") for name in names])
['Leighonlow Divide Medical Center', 'LDMC', 'Leighonlow Divide ED']
"""

from incognote.replace.surrogate.organizations.surrogates import (
    OrganizationSettings,
    OrganizationSurrogates,
)
from incognote.replace.surrogate.words.mention import Mention, mention_at

__all__ = ["Mention", "OrganizationSettings", "OrganizationSurrogates", "mention_at"]
