"""Places of a patient's notes: streets, towns, states, countries, ZIPs and landmarks.

>>> places = PlaceSurrogates(b"a secret of the site", "patient 17")
>>> note = "18 Quarry Ln, Bangor, ME 04401"
>>> places.replace_all([mention_at(note, 14, 20, "CITY"), mention_at(note, 22, 24, "STATE")])
['Mansfield', 'TX']
"""

from incognote.replace.surrogate.places.surrogates import PlaceSettings, PlaceSurrogates
from incognote.replace.surrogate.words.mention import Mention, mention_at

__all__ = ["Mention", "PlaceSettings", "PlaceSurrogates", "mention_at"]
