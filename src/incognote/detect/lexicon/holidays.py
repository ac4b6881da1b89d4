"""Holidays and holy days by name, as notes of the English-speaking world write them.

An apostrophe in a phrase is optional where it is matched; a blank may be a line break.
"""

from __future__ import annotations

HOLIDAYS: tuple[str, ...] = tuple(
    phrase.strip()
    for phrase in """
    thanksgiving, thanksgiving day, thanksgiving eve, american thanksgiving, canadian thanksgiving,
    christmas, christmas eve, christmas day, xmas, xmas eve, xmas day, x-mas, orthodox christmas,
    orthodox easter, orthodox epiphany, greek easter, easter, easter sunday, easter monday,
    easter saturday, easter eve, easter week, halloween, hallowe'en, juneteenth, kwanzaa, hogmanay,
    new year, new years, new year's, new year's eve, new year's day, new years eve, new years day,
    new year eve, new year day, chinese new year, lunar new year, jewish new year, persian new year,
    vietnamese new year, islamic new year, tamil new year,
    mardi gras, fat tuesday, shrove tuesday, pancake day, pancake tuesday, ash wednesday,
    good friday, palm sunday, maundy thursday, holy week, holy thursday, holy saturday,
    whit sunday, whit monday, whitsun, whitsuntide, pentecost, all saints' day, all saints day,
    all souls' day, all souls day, all hallows' eve, all hallows eve, trinity sunday,
    ascension day, ascension thursday, candlemas, michaelmas, martinmas, twelfth night,
    first sunday of advent, second sunday of advent, third sunday of advent,
    fourth sunday of advent, first week of lent, martin luther king day,
    martin luther king jr day, martin luther king jr. day, mlk day, mlk weekend, mlk holiday,
    indigenous peoples' day, indigenous peoples day, indigenous people's day, columbus day,
    columbus/indigenous peoples day, memorial day, labor day, labour day, groundhog day, flag day,
    arbor day, earth day, election day, inauguration day, independence day, armistice day,
    boxing day, st stephen's day, canada day, victoria day, family day, dominion day, heritage day,
    civic holiday, natal day, emancipation day, remembrance day, anzac day, australia day,
    melbourne cup day, waitangi day, matariki, bastille day, republic day, freedom day, youth day,
    discovery day, commonwealth day, constitution day, pioneer day, patriots' day, patriots day,
    patriot's day, pearl harbor day, evacuation day, tax day, leap day, women's day,
    international women's day, children's day, teachers' day, workers' day, singles' day,
    mother's day, mothers day, mothers' day, mothering sunday, father's day, fathers day,
    grandparents day, grandparents' day, valentine's day, valentines day, valentine's,
    presidents' day, presidents day, president's day, veterans day, veterans' day, veteran's day,
    lincoln's birthday, washington's birthday, king's birthday, queen's birthday, april fool's,
    april fools' day, april fools day, april fool's day, bank holiday, bank holiday monday,
    bank holiday friday, bonfire night, guy fawkes night, guy fawkes day, burns night,
    midsummer's eve, midsummer eve, midsummer's day, midsummer day, super bowl sunday,
    superbowl sunday, black friday, cyber monday, fourth of july, 4th of july,
    cinco de mayo, dia de los muertos, día de los muertos, dia de muertos, día de muertos,
    day of the dead, three kings, three kings day, dia de reyes, día de reyes,
    dia de los reyes, día de los reyes, semana santa, las posadas, nochebuena, noche buena, navidad,
    hanukkah, hanuka, hanukah, chanukah, chanukkah, chanuka, rosh hashanah, rosh hashana,
    rosh ha-shanah, yom kippur, passover, pesach, sukkot, sukkos, shavuot, shavuos, simchat torah,
    simchas torah, purim, tisha b'av, tisha bav, yom hashoah, lag b'omer, lag baomer, tu bishvat,
    ramadan, ramadhan, ramazan, ramzan, eid, eid al-fitr, eid al fitr, eid ul-fitr, eid ul fitr,
    eid al-adha, eid al adha, eid ul-adha, eid ul adha, eid-ul-fitr, eid-al-fitr, eid-al-adha,
    eid-ul-adha, muharram, ashura, mawlid, laylat al-qadr, shab-e-barat,
    diwali, divali, deepavali, navratri, navaratri, dussehra, dasara, dashain, tihar, durga puja,
    pongal, onam, ugadi, raksha bandhan, rakhi, janmashtami, ganesh chaturthi, karva chauth,
    baisakhi, vaisakhi, maha shivaratri, makar sankranti, sankranti, lohri, guru nanak jayanti,
    gandhi jayanti, bihu, chhath, chhath puja, holi,
    nowruz, norooz, nauroz, songkran, vesak, wesak, losar, obon, chuseok, seollal,
    spring festival, mid-autumn festival, qingming, dragon boat festival, timkat, meskel,
    crop over, j'ouvert, junkanoo, burns' night
    """.replace("\n", " ").split(",")
)
"""Any of these is a day, in any case of letters."""

AMBIGUOUS_HOLIDAYS: tuple[str, ...] = (
    "Lent",
    "Advent",
    "Epiphany",
    "Carnival",
    "Assumption",
    "Ascension",
    "Tet",
    "Tết",
    "Pascha",
    "Fourth",
)
"""Also ordinary words or names: a day only when capitalised and introduced as one."""
