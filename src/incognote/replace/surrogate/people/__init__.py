"""People of a patient's notes: mentions linked to persons, each under one fake name.

>>> people = PeopleSurrogates(b"a secret of the site", "patient 17")
>>> people.replace_all([Mention("OKAFOR, NGOZI A."), Mention("Okafor's", before="Ms. ")])
['THOMPKINS, LAQUINTA E.', "Thompkins's"]
"""

from incognote.replace.surrogate.people.link import link
from incognote.replace.surrogate.people.mention import Mention, Person, mention_at
from incognote.replace.surrogate.people.surrogates import PeopleSettings, PeopleSurrogates

__all__ = ["Mention", "PeopleSettings", "PeopleSurrogates", "Person", "link", "mention_at"]
