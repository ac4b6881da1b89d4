"""Words in the names of institutions that say what one is, not which. They stay in a fake."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words(
    "of the and at for in on to by a an de la el las los del du des y e et und for with le les"
)
ROADS = _words("street avenue ave road rd boulevard blvd parkway lane drive court mount mt fort ft")
HEALTH = _words(
    """hospital hospitals hosp infirmary sanatorium sanitarium hospice clinic clinics clinical clinica
    clinique surgicenter surgicentre polyclinic medcenter healthcare walk walkin quickcare center
    centers centre centres ctr associates assoc institute institutes practice health care medicine
    medical med group physicians doctors internists nurses nurse living home homes house system
    systems network program programme campus specialists partners pavilion village residence facility
    surgery surgical lab labs laboratory laboratories imaging dialysis radiology pathology path rehab
    rehabilitation pediatrics paediatrics pediatric paediatric orthopedics orthopaedics orthopedic
    orthopaedic dermatology cardiology neurology oncology urology gastroenterology rheumatology
    ophthalmology endocrinology psychiatry psychology geriatrics obstetrics gynecology midwives
    midwifery fertility diagnostics diagnostic genomics genetics genetic dermpath manor dental
    orthodontics optometry teleradiology infusion hearing counseling counselling recovery
    neuroscience neurosciences nursing dispensary cardiovascular trauma nephrology behavioral
    behavioural molecular toxicology consultants telehealth psychotherapy veterinary oncologists
    radiologists pathologists cancer heart cardiac vascular treatment birth birthing diabetes
    digestive endocrine kidney renal donor breast eye ear nose throat macula retina neuro
    neuromuscular spine joint joints pain wellness oral maxillofacial family internal mental
    psychological psychiatric osteoporosis arthritis pulmonary lung sleep allergy asthma skin womens
    women mens childrens children kids infants infant maternal fetal reproductive transplant blood
    marrow hematology palliative emergency radiation speech therapy physical occupational sports
    sport rural neighborhood senior seniors memory extended convalescent skilled outpatient inpatient
    ambulatory specialty wound liver methadone addiction substance detox stroke rhythm lipid metabolic
    human cystic fibrosis sickle cell visiting assisted retirement primary urgent acute term acuity
    veterans county university college student faculty teaching academic city state district
    community national federal public foundation unit ward floor wing tower building main annex
    office offices services service department dept division section team receiving hospitals
    advanced failure device artificial reference lung internal adolescent adolescents adult adults
    day open mri xray ray scan endocrinology orthopedist foot ankle hand hip knee bone bones teen
    refugee homeless respite board level rights suite peoples doc connect care quick express minute donor bank cord surgeons
    anesthesia endoscopy electrophysiology arrhythmia stone prostate colorectal thoracic plastic
    cosmetic laser vein vision optical audiology acupuncture chiropractic podiatry nutrition weight
    loss bariatric travel immunization vaccine testing screening correctional attendants attendant
    agency aide aides hospitalists hospitalist critical intensive step down observation pregnancy
    women's comprehensive integrated integrative specialized institute subregional regionalized
    centro salud casa hogar hospitalito pediatrique laboratorio consultorio hopital maison sante
    klinik krankenhaus ospedale policlinico sanatorio instituto cardiologia"""
)
CIVIL = _words(
    """inc incorporated llc llp ltd plc gmbh corp corporation co company companies elementary academy
    polytechnic univ church cathedral synagogue mosque chapel tabernacle parish priory abbey monastery
    convent ministries ministry congregation insurance mutual ambulance paramedics pharmacy pharmacies
    apothecary chemist chemists drugstore drug drugs trucking freight logistics freightways haulers
    foods food robotics casino mortuary crematorium preschool montessori kindergarten daycare lodge
    ballet orchestra chorus choir symphony conservatory restaurant diner cafe bakery brewery brewing
    supermarket grocery outfitters electronics manufacturing mfg industries enterprises airlines
    airways railroad railway ferries ferry transit towing plumbing roofing landscaping construction
    contractors builders dealership motors ranch farms farm farmers dairy mills mill foundry shipyard
    drydock steelworks ironworks glassworks poultry packing cannery bureau superstore school schools
    high middle junior primary secondary union plan plans fund funds club society authority hotel
    motel shelter temple museum prison jail penitentiary funeral rescue fire volunteer court agency
    league prep store market baptist lutheran methodist presbyterian episcopal pentecostal catholic
    orthodox reformed anglican adventist mennonite jewish islamic christian cooperative coop op
    airlift institution works trust coffee pizza coal rail appliance stamping plating furniture
    tractor hardware cargo laundry upholstery lumber library players precast theater theatre
    vocational tech technical apartments outreach resettlement supply association brass ensemble
    band local lodge welfare benefit benefits dental health options advantage select choice
    detention correctional police sheriff sheriffs department administration admin unified dist
    independent consolidated charter magnet special education international american united workers
    operating engineers teachers nurses firefighters scouts sorority fraternity knights daughters
    sons sisters brothers order mission altar guild auxiliary legion post radio television channel
    station news press books book services solutions systems group holdings partners staffing
    savings credit bank financial realty properties construction supply medical home infusion rx
    enteral respiratory mobility airway clearance payee support patient taxi cab rides van transport
    transportation medivan aircare air flight medic college female male girls boys rowing rugby
    football soccer baseball basketball hockey swim team helitack survey project alliance
    resettlement museum aquarium senior center detention iron glass steel tool gauge chair shoe
    cold storage ground handling fulfillment data body paint tile concrete fraternal casualty army
    navy guard force marines coast air corps reserve division battalion regiment academy military
    insurance state ins ppo hmo pos epo escuela colegio iglesia ecole eglise universidad consulado
    camp suites dance assembly god lines optics exchange grain studio meeting asylum biobank aging
    tribal medicaid medicare medigap commonwealth
    club seguros banco fils sons figli hermanos bros brothers"""
) - _words("army navy marines force guard coast")
LEGAL = _words("pc pa md llc pllc llp dds sa np inc ltd phd do lp")
LETTERS_KEPT = _words(
    """va er ed icu picu nicu micu sicu ccu pt ot ent mri ct snf irf bmt ob gyn obgyn mmtp llc pllc pc
    pa ems hmo ppo hs jv ame usd rfc ltac ltc alf vna hha pllp llp md gi gu tv fm am ymca ywca rv it
    afb ps is hiv als ms cf tb or rx av i ii iii iv v vi x"""
)
"""Letters that stay within a longer name. Alone they are the name, and change."""
DEVOUT = _words("sacred holy blessed good")
DENOMINATIONS = DEVOUT | _words("our lady")
SAINT_WORDS = _words("st ste saint sainte saints ss san santa")
WOMEN_SAINTS = _words("ste sainte santa")
SAINTES = (
    "Apollonia", "Bathild", "Benedicta", "Brigid", "Clotilde", "Dorothea", "Dymphna", "Edith", "Eulalia",
    "Genevieve", "Gertrude", "Hedwig", "Hilda", "Leocadia", "Ludmila", "Maura", "Melania", "Mildred",
    "Odile", "Perpetua", "Philomena", "Prisca", "Radegund", "Rosalia", "Scholastica", "Tatiana",
    "Thecla", "Theodora", "Ursula", "Walburga", "Winifred", "Zita",
)  # fmt: skip
SPANISH = _words("clinica centro casa hogar las los del rio escuela colegio iglesia laboratorio")
"""With one of these a name is taken for a Spanish one."""
DIRECTIONS = ("North", "South", "East", "West")
QUARTERS = ("Northern", "Southern", "Eastern", "Western")
WARDS = ("N", "E", "S", "W")
SWAPS = {
    "university": "Collegiate", "childrens": "Pediatric", "womens": "Maternity", "county": "District",
    "district": "County", "city": "Municipal", "community": "Neighborhood", "state": "Commonwealth",
    "veterans": "Servicemen's", "hospital": "Infirmary", "clinic": "Dispensary", "public": "Civic",
    "pharmacy": "Apothecary", "church": "Chapel", "school": "Academy", "college": "Institute",
    "heart": "Cardiac", "cancer": "Oncology", "eye": "Vision", "police": "Constabulary",
    "women": "Mothers", "children": "Youth", "national": "Federal", "family": "Household",
    "pediatrics": "Children's", "senior": "Elder",
}  # fmt: skip
"""For names that have no word of their own: another word that says the same."""

KINDS = HEALTH | CIVIL | ROADS
GENERIC = KINDS | FUNCTION_WORDS | LEGAL | LETTERS_KEPT | DENOMINATIONS | SAINT_WORDS
