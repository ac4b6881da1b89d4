"""Names of states, provinces, countries and large cities, and the terms that borrow them."""

from __future__ import annotations


def _names(listing: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listing.replace("\n", ",").split(",") if name.strip())


STATES = _names("""
Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia
Hawaii, Hawai'i, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland
Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada
New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma
Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont
Virginia, Washington, West Virginia, Wisconsin, Wyoming, Puerto Rico, Guam, American Samoa
District of Columbia, US Virgin Islands
""")

PROVINCES = _names("""
Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland and Labrador, Newfoundland
Labrador, Nova Scotia, Ontario, Prince Edward Island, Quebec, Québec, Saskatchewan, Nunavut
Northwest Territories, Yukon, New South Wales, Queensland, South Australia, Tasmania
Western Australia, Northern Territory, Australian Capital Territory, Gauteng, KwaZulu-Natal
Western Cape, Eastern Cape, Limpopo, Mpumalanga, Andhra Pradesh, Assam, Bihar, Chhattisgarh
Gujarat, Haryana, Himachal Pradesh, Jharkhand, Karnataka, Kerala, Madhya Pradesh, Maharashtra
Odisha, Punjab, Rajasthan, Tamil Nadu, Telangana, Uttar Pradesh, Uttarakhand, West Bengal
Bavaria, Catalonia, Sicily, Tuscany, Jalisco, Oaxaca, Chiapas, Sonora, Sinaloa, Michoacán
""")

STATES_SHARED_WITH_NAMES = frozenset({"Georgia", "Virginia", "Washington", "Montana", "Victoria"})
"""A place only where the words around say so: each is a first name, a surname or a city too."""

STATE_CODES = _names("""
AL, AK, AZ, AR, CA, CO, CT, DE, FL, GA, HI, ID, IL, IN, IA, KS, KY, LA, ME, MD, MA, MI, MN, MS
MO, MT, NE, NV, NH, NJ, NM, NY, NC, ND, OH, OK, OR, PA, RI, SC, SD, TN, TX, UT, VT, VA, WA, WV
WI, WY, DC, PR, GU, VI, AS
""")

PROVINCE_CODES = _names(
    "AB, BC, MB, NB, NL, NS, NT, NU, ON, PE, PEI, QC, SK, YT, NSW, VIC, QLD, TAS"
)

CLEAR_CODES = _names("AZ, KS, KY, NH, NJ, NM, NV, NY, OH, TN, UT, WV, WY, TX, QC, SK, MB, NSW, QLD")
"""Codes that mean little else in a note, so that a place may precede them without a comma."""

DEGREE_CODES = _names("MD, PA, MA, MS, ND, DC, MB, BC, CO")
"""Codes that follow a person's name and a comma as a degree or a role."""

WORD_LIKE = _names("Miss., Wash., Mont., Conn., Mass., Penn.")
"""Shortened states that are words or titles too."""

QUIET_CODES = _names("NC, MT, MN, MO, WI, WA, IA, UT, FL, IL, NE, AK, IN, NM, RI, DE")
"""Codes that a capitalised word at the end of a clause seldom precedes in another sense."""

STATE_SHORTENED = _names("""
Ala., Ariz., Ark., Calif., Colo., Conn., Del., Fla., Ga., Ill., Ind., Kan., Kans., Ky., La., Me.
Md., Mass., Mich., Minn., Miss., Mo., Mont., Neb., Nebr., Nev., N.H., N.J., N.M., N.Y., N.C.
N.D., N. Dak., Okla., Ore., Oreg., Pa., Penn., R.I., S.C., S.D., S. Dak., Tenn., Tex., Vt., Va.
Wash., W.Va., W. Va., Wis., Wisc., Wyo., D.C., P.R., Alta., B.C., Man., N.B., N.S., Ont., P.E.I.
Que., Sask., P.Q., Ont, Sask, Alta, Vic, Qld, Tas
""")

COUNTRIES = _names("""
Afghanistan, Albania, Algeria, Angola, Argentina, Armenia, Australia, Austria, Azerbaijan, Bahamas
Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bermuda, Bhutan, Bolivia, Bosnia
Bosnia and Herzegovina, Botswana, Brazil, Brunei, Bulgaria, Burkina Faso, Burma, Burundi, Cabo Verde
Cambodia, Cameroon, Canada, Cape Verde, Central African Republic, Chile, China, Colombia, Comoros
Congo, Costa Rica, Côte d'Ivoire, Croatia, Cuba, Cyprus, Czech Republic, Czechia, Denmark, Djibouti
Dominican Republic, East Timor, Ecuador, Egypt, El Salvador, England, Equatorial Guinea, Eritrea
Estonia, Eswatini, Ethiopia, Fiji, Finland, France, Gabon, Gambia, Germany, Ghana, Greece, Grenada
Guatemala, Guinea-Bissau, Guyana, Haiti, Honduras, Hong Kong, Hungary, Iceland, India, Indonesia
Iran, Iraq, Israel, Italy, Ivory Coast, Jamaica, Japan, Kazakhstan, Kosovo, Kuwait, Kyrgyzstan
Laos, Latvia, Lebanon, Lesotho, Liberia, Libya, Lithuania, Luxembourg, Madagascar, Malawi, Malaysia
Maldives, Mali, Malta, Mauritania, Mauritius, Mexico, Micronesia, Moldova, Mongolia, Montenegro
Morocco, Mozambique, Myanmar, Namibia, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria
North Korea, Northern Ireland, Norway, Oman, Pakistan, Palestine, Panama, Papua New Guinea, Paraguay
Peru, Philippines, Poland, Portugal, Qatar, Romania, Russia, Rwanda, Samoa, Saudi Arabia, Scotland
Senegal, Serbia, Sierra Leone, Singapore, Slovakia, Slovenia, Somalia, South Africa, South Korea
South Sudan, Spain, Sri Lanka, Sudan, Suriname, Sweden, Switzerland, Syria, Taiwan, Tajikistan
Tanzania, Thailand, Tibet, Togo, Tonga, Trinidad, Trinidad and Tobago, Tunisia, Turkmenistan, Uganda
Ukraine, United Arab Emirates, United Kingdom, United States, United States of America, Uruguay
Uzbekistan, Vanuatu, Venezuela, Viet Nam, Vietnam, Wales, West Germany, East Germany, W. Germany
Yemen, Yugoslavia, Zambia, Zimbabwe, USSR, Soviet Union, USA, U.S.A., DRC
Saint Lucia, St. Lucia, St. Vincent, Antigua, Dominica, St. Kitts, Curaçao, Aruba, Martinique
Guadeloupe, Jordan, Turkey, Chad, Kenya, Ireland, Guinea, Holland, Korea
""")

COUNTRIES_SHARED = _names("""
Jordan, Turkey, Chad, Kenya, Ireland, Guinea, Holland, Israel, Poland, Niger, Mali, Dominica
Trinidad, Grenada, Malta, Congo, Togo, Oman, England, Wales, China, Peru, India, Japan, Antigua
Burma, DRC, Korea, Cuba, Panama, Lebanon, Aruba, France, Cyprus, Brazil, Jamaica
""")
"""Countries that are also persons, foods, diseases or towns: marked only where the context says so."""

CITIES = _names("""
Akron, Albany, Albuquerque, Alexandria, Allentown, Amarillo, Anaheim, Anchorage, Ann Arbor, Arlington
Asheville, Athens, Atlanta, Augusta, Austin, Bakersfield, Baltimore, Baton Rouge, Billings
Birmingham, Bismarck, Boise, Boston, Boulder, Bridgeport, Brooklyn, Bronx, Buffalo, Burlington
Cedar Rapids, Champaign, Charleston, Charlotte, Charlottesville, Chattanooga, Cheyenne, Chicago
Cincinnati, Cleveland, Colorado Springs, Columbia, Columbus, Corpus Christi, Dallas, Dayton, Denver
Des Moines, Detroit, Duluth, Durham, El Paso, Erie, Eugene, Evansville, Fargo, Flint, Fort Lauderdale
Fort Wayne, Fort Worth, Fresno, Gainesville, Galveston, Grand Rapids, Green Bay, Greensboro
Greenville, Harlem, Harrisburg, Hartford, Helena, Henderson, Hialeah, Honolulu, Houston, Huntsville
Indianapolis, Jackson, Jacksonville, Jersey City, Juneau, Kalamazoo, Kansas City, Knoxville
Lafayette, Lansing, Laredo, Las Vegas, Lexington, Lincoln, Little Rock, Long Beach, Los Angeles
Louisville, Lubbock, Macon, Madison, Manhattan, McAllen, Memphis, Mesa, Miami, Milwaukee
Minneapolis, Missoula, Mobile, Modesto, Montgomery, Montpelier, Nashville, New Haven, New Orleans
New York City, Newark, Newport News, Norfolk, Oakland, Ogden, Oklahoma City, Olympia, Omaha, Orlando
Pasadena, Pensacola, Peoria, Philadelphia, Phoenix, Pittsburgh, Plano, Portland, Providence, Provo
Pueblo, Queens, Raleigh, Rapid City, Reno, Richmond, Riverside, Roanoke, Rochester, Rockford
Sacramento, Salem, Salt Lake City, San Antonio, San Bernardino, San Diego, San Francisco, San Jose
Santa Ana, Santa Fe, Savannah, Scottsdale, Scranton, Seattle, Shreveport, Sioux City, Sioux Falls
South Bend, Spokane, Springfield, St. Louis, St. Paul, St. Petersburg, Stamford, Staten Island
Stockton, Syracuse, Tacoma, Tallahassee, Tampa, Toledo, Topeka, Trenton, Tucson, Tulsa, Tuscaloosa
Virginia Beach, Waco, Wichita, Wilmington, Winston-Salem, Worcester, Yonkers, Youngstown, Yuma
Calgary, Edmonton, Halifax, Hamilton, Kingston, Kitchener, London, Mississauga, Moncton, Montreal
Montréal, Ottawa, Quebec City, Regina, Saskatoon, St. John's, Sudbury, Thunder Bay, Toronto
Vancouver, Windsor, Winnipeg, Aberdeen, Belfast, Bradford, Brighton, Bristol, Cardiff, Coventry
Croydon, Derby, Dundee, Edinburgh, Exeter, Glasgow, Hull, Inverness, Leeds, Leicester, Liverpool
Manchester, Middlesbrough, Newcastle, Nottingham, Oxford, Plymouth, Portsmouth, Sheffield
Southampton, Stoke-on-Trent, Sunderland, Swansea, Wolverhampton, Cork, Dublin, Galway, Limerick
Adelaide, Auckland, Brisbane, Cairns, Canberra, Christchurch, Darwin, Dunedin, Geelong, Hobart
Melbourne, Perth, Sydney, Townsville, Wellington, Wollongong, Ahmedabad, Bangalore, Bengaluru
Bhopal, Chandigarh, Chennai, Coimbatore, Delhi, New Delhi, Hyderabad, Indore, Jaipur, Kochi, Kolkata
Lucknow, Ludhiana, Mangalore, Mumbai, Mysore, Nagpur, Pune, Surat, Trivandrum, Vellore, Colombo
Dhaka, Karachi, Kathmandu, Lahore, Islamabad, Peshawar, Abuja, Accra, Addis Ababa, Asmara
Bloemfontein, Cape Town, Dar es Salaam, Durban, Harare, Ibadan, Johannesburg, Kampala, Kano, Kigali
Kumasi, Lagos, Lusaka, Maputo, Mogadishu, Mombasa, Monrovia, Nairobi, Pretoria, Dakar, Abidjan
Amsterdam, Barcelona, Berlin, Brussels, Bucharest, Budapest, Copenhagen, Frankfurt, Geneva, Hamburg
Helsinki, Istanbul, Kraków, Krakow, Kyiv, Kiev, Lisbon, Lviv, Madrid, Milan, Minsk, Moscow, Munich
Naples, Odesa, Odessa, Oslo, Paris, Porto, Prague, Riga, Rome, Rotterdam, Sofia, Stockholm, Tallinn
Turin, Venice, Vienna, Vilnius, Warsaw, Zagreb, Zurich, Zürich, Amman, Baghdad, Beirut, Cairo
Damascus, Dubai, Jerusalem, Kabul, Riyadh, Tehran, Tel Aviv, Yerevan, Tbilisi, Tashkent, Bangkok
Beijing, Guangzhou, Hanoi, Ho Chi Minh City, Saigon, Jakarta, Kuala Lumpur, Manila, Osaka
Phnom Penh, Seoul, Shanghai, Shenzhen, Taipei, Tokyo, Vientiane, Yangon, Bogotá, Bogota
Buenos Aires, Caracas, Guadalajara, Havana, Kingston, Lima, Managua, Mexico City, Monterrey
Montevideo, Nuevo Laredo, Panama City, Port-au-Prince, Quito, Recife, Reynosa, Rio de Janeiro
San José, San Juan, San Salvador, Santiago, Santo Domingo, São Paulo, Sao Paulo, Tegucigalpa
Tijuana, Ciudad Juárez, Juarez, Georgetown, Port of Spain, Bridgetown, Nassau, Suva, Apia
Pago Pago, Hilo, Maui, Kauai, Long Island, Cape Cod, CDMX
""")

BORROWED = _names("""
nut, nuts, ink, syndrome, anomaly, sequence, fever, encephalitis, virus, strain, variant, criteria
classification, score, scale, staging, stage, grade, protocol, model, rule, index, formula, tube
sandwich, sandwiches, pig, pigs, worm, worms, creeper, reaper, blue, bluegrass, coma, brace, catheter
questionnaire, inventory, consensus, definition, equation, oak, rose, blade, card, test, maneuver
measles, flu, agent, chart, bacon, toast, muffin, dressing, cheese, bridge, clip, bag, button, knot
procedure, operation, sign, type, II, III, IV, I, A, B, C, D, Developmental, Heart, Classification
Protocol, Rule, Scale, Score, Criteria, Syncope, Sleepiness, Coma, Knee, CT, Model, Consensus
Definition, Postnatal, Depression, HIP, Card, Multiphasic, Living, Alcohol, Neuropathy, Agitation
cath, caths, red, salad, breast, bologna, tick, beetle, red, grape, disease, foot, lung, ear, cysts, cyst, palsy
""")
"""What follows a place name when it names a disease, a score, a food or a device instead."""

NAME_LIKE = _names("""
Austin, Jackson, Madison, Charlotte, Lincoln, Savannah, Augusta, Sofia, Regina, Santiago, Salem
Helena, Orlando, Darwin, Hamilton, Windsor, Derby, Bradford, Wellington, Milan, Eugene, Houston
Dallas, Denver, Cleveland, Columbia, Phoenix, Queens, Mobile, Hull, Lima, Reno, Montgomery, Erie
Macon, Kingston, Dayton, Henderson, Lexington, Georgetown, Florence, Jordan, Chad, Kenya, Israel
Ireland, Holland, Turkey, Georgia, Virginia, Washington, Montana, Victoria, Trinidad, Surat
Boston, Berlin, Geneva, Vienna, Paris, London, Edinburgh, Glasgow, Montreal, Rome, Atlanta, Chicago
""")
"""Places that are persons too, or that scores and classifications are named after."""

LANGUAGES_AND_POSITIONS = _names("""
English, Spanish, French, German, Italian, Portuguese, Russian, Polish, Arabic, Hindi, Urdu, Bengali
Tagalog, Vietnamese, Korean, Japanese, Chinese, Mandarin, Cantonese, Hmong, Somali, Amharic, Swahili
Creole, Haitian Creole, Farsi, Dari, Pashto, Nepali, Latin, Greek, Turkish, Ukrainian, Welsh
Trendelenburg, Reverse Trendelenburg, Fowler, Fowlers, Semi-Fowlers, Sims, Lithotomy, Braille
Kerlix, Coban, Xeroform, Medicare, Medicaid, Epic, Cerner, Care Everywhere
""")
"""What follows "in" with a capital and is no town."""
