"""Jobs of a patient's notes.

>>> jobs = ProfessionSurrogates(b"a secret of the site", "patient 17")
>>> jobs.replace_all(
...     [Mention("retired schoolteacher", "PROFESSION"), Mention("actuary", "PROFESSION")]
... )
['retired ballet teacher', 'electrical designer']
"""

from incognote.replace.surrogate.professions.surrogates import (
    ProfessionSettings,
    ProfessionSurrogates,
)
from incognote.replace.surrogate.words.mention import Mention, mention_at

__all__ = ["Mention", "ProfessionSettings", "ProfessionSurrogates", "mention_at"]
