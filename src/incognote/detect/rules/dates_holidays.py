"""Holidays and holy days of the calendars that English-speaking notes mention."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules.dates_calendar import APOSTROPHE, GAP, Hit
from incognote.detect.rules.dates_context import around, words

_S = rf"(?:{APOSTROPHE}s|s{APOSTROPHE}?|s)"

_ANY_CASE = rf"""
    (?:american{GAP}|canadian{GAP})?thanksgiving(?:{GAP}(?:day|eve))?
  | (?:orthodox{GAP})?(?:christmas|x-?mas)(?:{GAP}(?:eve|day))?
  | (?:orthodox{GAP}|greek{GAP})?easter(?:{GAP}(?:sunday|monday|saturday|eve|week))?
  | halloween | hallowe{APOSTROPHE}en | juneteenth | kwanzaa | hogmanay | nochebuena | noche{GAP}buena
  | (?:chinese{GAP}|lunar{GAP}|jewish{GAP}|persian{GAP}|vietnamese{GAP}|islamic{GAP})?new{GAP}year(?:{_S}|)(?:{GAP}(?:eve|day))?
  | mardi{GAP}gras | fat{GAP}tuesday | shrove{GAP}tuesday | pancake{GAP}(?:day|tuesday)
  | ash{GAP}wednesday | good{GAP}friday | palm{GAP}sunday | maundy{GAP}thursday
  | holy{GAP}(?:week|thursday|saturday) | whit{GAP}(?:sunday|monday) | whitsun(?:tide)? | pentecost
  | all{GAP}(?:saints|souls|hallows){APOSTROPHE}?(?:{GAP}(?:day|eve))? | corpus{GAP}christi{GAP}day
  | (?:columbus/)?indigenous{GAP}peoples?{APOSTROPHE}?s?{GAP}day
  | (?:mlk|martin{GAP}luther{GAP}king,?(?:{GAP}jr\.?)?){GAP}(?:day|weekend|holiday)
  | (?:memorial|labou?r|columbus|groundhog|flag|arbor|earth|election|boxing|canada|anzac|australia
      |waitangi|bastille|armistice|remembrance|guy{GAP}fawkes|victoria|family|heritage|dominion
      |independence|republic|emancipation|loyalist|natal|civic|inauguration|st{GAP}stephen{_S}
      |tax|leap|melbourne{GAP}cup|constitution|pearl{GAP}harbor|kamehameha|pioneer|nurses?{APOSTROPHE}
      |commonwealth|lammas|discovery|bunker{GAP}hill|evacuation|casimir{GAP}pulaski|cesar{GAP}chavez
      |césar{GAP}chávez|freedom|youth|workers{APOSTROPHE}?|women{_S}|children{_S}|teachers{APOSTROPHE}?
      |gandhi{GAP}jayanti|singles|saint{GAP}george{_S}){GAP}day
  | (?:mother|father|grandparent|valentine|president|veteran|patriot|new{GAP}year|april{GAP}fool
      |king|queen|lincoln|washington){_S}?{GAP}(?:day|birthday)(?!\w)
  | (?:king|queen){_S}{GAP}birthday | april{GAP}fool{_S} | valentine{APOSTROPHE}s
  | (?:st\.?|saint){GAP}?(?:[a-z]{{3,12}})(?:{APOSTROPHE}s|s{APOSTROPHE}|s)?{GAP}(?:day|eve)(?!\w)
  | st\.?{GAP}?(?:paddy|patrick|patty){APOSTROPHE}s
  | bank{GAP}holiday(?:{GAP}(?:monday|friday|weekend))? | bonfire{GAP}night | burns{GAP}night
  | twelfth{GAP}night | michaelmas | martinmas | candlemas | lammas(?:tide)? | mid-?summer{APOSTROPHE}?s?{GAP}(?:day|eve)
  | super{GAP}?bowl{GAP}sunday | black{GAP}friday | cyber{GAP}monday | cinco{GAP}de{GAP}mayo
  | d[ií]a{GAP}de{GAP}(?:los{GAP})?muertos | day{GAP}of{GAP}the{GAP}dead | three{GAP}kings(?:{GAP}day)?
  | d[ií]a{GAP}de{GAP}(?:los{GAP})?reyes | semana{GAP}santa | las{GAP}posadas | navidad
  | (?:fourth|4th){GAP}of{GAP}july
  | (?:first|second|third|fourth|1st|2nd|3rd|4th){GAP}(?:sunday|week){GAP}(?:of|in){GAP}(?:advent|lent)
  | (?:c?hann?ukk?ah?|chanukk?ah?) | rosh{GAP}ha-?shanah? | yom{GAP}kippur | passover | pesach | pesah
  | sukk(?:ot|os) | shavu?ot | shavuos | simchat{GAP}torah | simchas{GAP}torah | purim | tisha{GAP}b{APOSTROPHE}?av
  | yom{GAP}hashoah | lag{GAP}b{APOSTROPHE}?omer | tu{GAP}b{APOSTROPHE}?shvat
  | rama[dz](?:h?an|zan) | ramzan | eid(?:[-\s](?:al|ul)[-\s](?:fitr|adha|azha))? | muharram | ashura
  | mawlid | milad | laylat{GAP}al-?qadr | shab-?e-?barat
  | diwali | divali | deepavali | holi | navarat?ri | navratri | dussehra | dasara | dashain | tihar
  | durga{GAP}puja | pongal | onam | ugadi | raksha{GAP}bandhan | rakhi | janmashtami
  | ganesh{GAP}chaturthi | karva{GAP}chauth | baisakhi | vaisakhi | maha{GAP}shivaratri
  | (?:makar{GAP})?sankranti | lohri | guru{GAP}nanak{GAP}jayanti | bihu | chhath(?:{GAP}puja)?
  | nowruz | norooz | nauroz | songkran | vesak | wesak | losar | obon | chuseok | seollal
  | spring{GAP}festival | mid-?autumn{GAP}festival | qingming | dragon{GAP}boat{GAP}festival
  | timkat | meskel | genna | crop{GAP}over | j{APOSTROPHE}?ouvert | junkanoo
  | orthodox{GAP}(?:epiphany|pascha)
"""
_CAPITAL = rf"""
    Lent | Advent | Epiphany | Carnival | Assumption | Ascension(?:{GAP}Day)? | Tet | Tết | Holi
  | Fourth | Juhannus | Pascha
"""
_HOLIDAY = re.compile(rf"(?<![^\W_])(?<![-/])(?:{_ANY_CASE})(?![^\W_])", re.IGNORECASE | re.VERBOSE)
_AMBIGUOUS = re.compile(rf"(?<![^\W_])(?:{_CAPITAL})(?![\w-])", re.VERBOSE)
_QUICK = re.compile(r"(?i)day|mas\b|year|eve\b|easter|lent")

_CUE = words(
    """
    during of for since until till til before after over in at on through around last this next
    every each the by observes observing observed celebrating celebrate celebrated
    """
)
_CLAUSE_END = words(". , ; : ) and but with w/ she he they we -")
_NOT_A_DAY_AFTER = words(
    "tree trees disease factor seals seal island islands cactus rash pattern lily cruise"
)


def holidays(text: str) -> Iterator[Hit]:
    """Every holiday; the ones that are also words or names only where a day is meant."""
    for match in _HOLIDAY.finditer(text):
        context = around(text, *match.span())
        if context.next not in _NOT_A_DAY_AFTER:
            yield Hit(*match.span(), 0.9, "holiday")
    for match in _AMBIGUOUS.finditer(text):
        context = around(text, *match.span())
        if context.previous not in _CUE or context.next in _NOT_A_DAY_AFTER:
            continue
        fourth = match[0] == "Fourth"
        if fourth and not (context.previous == "the" and _ends_clause(context.next)):
            continue
        yield Hit(*match.span(), 0.75, "holiday")


def _ends_clause(following: str) -> bool:
    return not following or following in _CLAUSE_END
