"""Numbers and contacts: the same shape, valid where a check digit is, and nobody's.

>>> numbers = NumberSurrogates(b"a secret of the site", "patient 17")
>>> numbers.replace_all(
...     [NumberMention("(410) 627-3389", "PHONE"), NumberMention("627-3389", "PHONE")]
... )
['(757) 555-0107', '555-0107']
"""

from incognote.replace.surrogate.numbers.people_names import Renamed
from incognote.replace.surrogate.numbers.surrogates import NumberSurrogates
from incognote.replace.surrogate.numbers.value import NumberMention

__all__ = ["NumberMention", "NumberSurrogates", "Renamed"]
