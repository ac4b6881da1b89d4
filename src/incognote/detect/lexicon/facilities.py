"""Words that name kinds of facilities and organisations, and words that name none."""

from __future__ import annotations

HOSPITAL_HEADS = frozenset(
    """hospital hospitals hosp infirmary sanatorium sanitarium sanitorium hospice clinic clinics
    clínica clinica clinique surgicenter surgicentre polyclinic medcenter healthcare walk-in
    quickcare""".split()
)
"""Enough by themselves after a proper word: "Holyrood Hospital"."""

HOSPITAL_TAILS = {
    "center": "care", "centre": "care", "ctr": "care", "associates": "field", "institute": "field",
    "practice": "care", "health": "kind", "care": "kind", "medicine": "kind", "group": "field",
    "physicians": "any", "internists": "any", "nurses": "kind", "living": "kind", "home": "kind",
    "system": "care", "network": "care", "program": "care", "programme": "care", "campus": "care",
    "specialists": "field", "partners": "field", "pavilion": "care", "village": "kind",
    "residence": "kind", "facility": "care", "surgery": "kind", "house": "kind",
    "lab": "any", "labs": "any", "laboratory": "any", "laboratories": "any", "imaging": "any",
    "dialysis": "any", "radiology": "two", "pathology": "two", "rehab": "any",
    "rehabilitation": "any", "pediatrics": "any", "paediatrics": "any", "orthopedics": "two",
    "orthopaedics": "two", "dermatology": "two", "cardiology": "two", "neurology": "two",
    "oncology": "two", "urology": "two", "gastroenterology": "two", "rheumatology": "two",
    "ophthalmology": "two", "endocrinology": "two", "psychiatry": "two", "geriatrics": "two",
    "obstetrics": "two", "midwives": "any", "midwifery": "two", "fertility": "any",
    "diagnostics": "any", "genomics": "any", "genetics": "two", "dermpath": "any",
    "memorial": "end", "regional": "end", "manor": "end", "irf": "two",
    "dental": "two", "orthodontics": "any", "optometry": "two", "teleradiology": "any",
    "children's": "end", "women's": "end", "infusion": "two", "hearing": "two", "counseling": "two",
    "recovery": "two", "neuroscience": "two", "surgical": "two", "ob-gyn": "any",
    "obgyn": "any", "mmtp": "any", "nursing": "two", "dispensary": "any",
    "cardiovascular": "two", "ent": "two", "trauma": "two", "nephrology": "two",
    "medical": "end", "behavioral": "two", "molecular": "any", "general": "end", "gen": "end",
    "mem": "end", "toxicology": "two", "consultants": "field", "vna": "any", "alf": "any",
    "telehealth": "two", "x-ray": "any", "mercy": "end", "deaconess": "end", "psychotherapy": "two",
    "veterinary": "two", "oncologists": "any", "radiologists": "any", "pathologists": "any",
}  # fmt: skip
"""Words that end a facility's name and what must go with them.

`care` and `field`: a medical word elsewhere in the name ("Cancer Center", "Heart Associates");
`kind`: one just before ("Family Health"); `two`: at least two proper words ("Table Rock
Cardiology"); `end`: the name ends there ("Coaldale Memorial"); `any`: one proper word is enough.
"""

MEDICAL_WORDS = frozenset(
    """medical med health healthcare cancer surgery surgical trauma heart cardiac cardiovascular
    cardiology vascular rehab rehabilitation care recovery treatment birth birthing imaging infusion
    diabetes digestive endocrine endocrinology kidney renal nephrology dialysis donor breast nursing
    eye ear macula retina neuro neurology neuroscience neuroscience neuromuscular spine joint
    orthopedic orthopaedic orthopedics orthopaedics pain wellness dental oral maxillofacial family
    pediatric paediatric pediatrics internal community behavioral behavioural mental psychological
    psychiatric counseling osteoporosis arthritis rheumatology pulmonary lung sleep allergy asthma
    skin dermatology urology women's children's maternal maternal-fetal infants fertility
    reproductive genetics transplant blood marrow oncology hematology hospice palliative emergency
    ent radiology radiation pathology laboratory diagnostic diagnostics molecular speech hearing
    therapy physical occupational sports rural neighborhood senior memory extended convalescent
    skilled walk-in outpatient ambulatory specialty wound liver gastroenterology gi ob/gyn
    obstetrics methadone addiction substance detox stroke rhythm lipid metabolic psychiatry human
    cystic fibrosis visiting assisted retirement home primary urgent acute long-term""".split()
)

KIND_BEFORE = {
    "health": "family community behavioral behavioural mental public rural university neighborhood "
    "women's student senior home people's tribal occupational memorial lutheran methodist baptist "
    "regional valley".split(),
    "care": "urgent primary home extended nursing palliative hospice kidney cancer memory family "
    "health long-term acute convalescent respiratory pulmonary eye skilled board and wound "
    "pediatric heart".split(),
    "medicine": "family internal occupational sports fetal maternal-fetal pediatric physical "
    "reproductive emergency community".split(),
    "nurses": "visiting community district home".split(),
    "living": "assisted senior retirement independent".split(),
    "home": "nursing rest convalescent retirement care veterans lutheran methodist".split(),
    "village": "retirement care".split(),
    "residence": "care retirement hospice".split(),
    "surgery": "medical maxillofacial orthopedic orthopaedic plastic oral vascular".split(),
    "house": "recovery hospice halfway".split(),
}

GENERIC_WORDS = MEDICAL_WORDS | frozenset(
    """a an the this that our your his her their its my general local outside university college
    community city county state regional district national veterans va federal public private
    department dept division service services section unit ward floor team office building main
    new old inpatient out-patient in-patient day night short term long facility facilities center
    centre clinic hospital program programme group practice associates institute system network
    attending resident fellow chief on-call nurse rn np pa md do dr doctor physician provider staff
    patient pt medicine anticoagulation coumadin warfarin hypertension htn lipid thyroid hepatitis
    hiv aids tb travel device pacemaker icd chf copd hf epilepsy seizure movement disorder headache
    migraine concussion memory stroke dementia geriatric geriatrics adolescent teen young adult
    prenatal antenatal postnatal postpartum perinatal high-risk newborn nicu picu icu ccu micu sicu
    pacu ed er or l&d obgyn gyn gynecology gynaecology ortho hand foot ankle hip knee shoulder
    podiatry fracture scoliosis sports concussion burn plastics bariatric weight loss obesity
    nutrition lactation feeding swallow voice audiology vestibular balance vision low cornea
    glaucoma uveitis neuro-ophthalmology allergy immunology infectious disease diseases id opat
    travel tropical std sti sexual pre-op preop preoperative post-op postop anesthesia procedure
    endoscopy bronchoscopy cath catheterization electrophysiology ep echo vascular vein wound ostomy
    hyperbaric lymphedema rehabilitation cardiac pulmonary interventional nuclear mri ct pet
    mammography ultrasound x-ray xray radiology pathology cytology microbiology chemistry blood bank
    core research clinical trial trials study survivorship infusion chemo chemotherapy radiation
    tumor tumour board multidisciplinary transplant pre-transplant bone marrow hematology sickle
    cell hemophilia thrombosis coagulation smoking cessation tobacco suboxone methadone mat opioid
    addiction detox crisis partial intensive step-down stepdown telemetry observation holding triage
    resus trauma acute subacute sub-acute critical skilled acute-care long-term walk in same next
    follow-up followup follow up virtual telehealth telemedicine video remote mobile continuity
    resident faculty teaching academic referral referring tertiary quaternary nearby nearest
    another different any each every other such level area north south east west upper lower first
    second third free good mon tue wed thu fri sat sun monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november
    december today tomorrow yesterday am pm seen see saw per via from to at in on by with and or of
    for discharge discharged discharges transfer transferred transport admit admitted admission
    arrived arrival refer referred refer schedule scheduled appointment appt return call called
    please contact re cc attn dear name date time phone fax address facility location site agency
    practice preferred performing ordering reporting collected received resulted reference outside
    client sending receiving accepting primary secondary referral home current prior previous last
    history hx social family past present plan assessment impression indication comparison exam
    procedure findings results labs lab note notes report summary record records letter form
    continue start stop hold use used using given give make made need needs no not none yes if when
    while after before during since until under over was were is are be been has have had will would
    may might can could should must he she they it we i you who which what where also then than as
    but so because due status post s/p sp w/ w/o p.o iv im sq bid tid qid prn daily weekly monthly
    palliative supportive comfort end life spiritual pastoral chaplain social work case management
    utilization review quality risk infection control employee occupational student campus school
    well child baby infant toddler pediatric paediatric adult elder elderly senior men's mens womens
    womans woman's childrens kids medication drug pharmacy diabetic insulin pump glucose endo renal
    kidney stone stones liver pancreas pancreatic biliary colorectal colon rectal hernia breast
    prostate bladder continence incontinence pelvic fertility ivf menopause midwife midwifery birth
    labor delivery maternity mother antepartum dental dentistry oral periodontal tmj sleep cpap
    apnea lung asthma copd cystic fibrosis ild nodule pain back neck spine spinal cord brain tumor
    ms als parkinson parkinson's alzheimer alzheimer's neuropathy neuromuscular muscle muscular
    dystrophy emg eeg tms ect mood anxiety eating autism developmental adhd behavior behaviour
    behavioral forensic course number coronary covid neonatal clozapine heme endocrinology
    cardiometabolic abdominal attestation medicare medicaid annual specialty biologic support copay
    ppo hmo pos epo self-pay selfpay self tricare remstar auto denied certified licensed registered
    unknown pending approved commercial type member policy coverage stay consult consultation
    evaluation eval visit session orders order instructions information info consent release waiver
    assessment screening intake lvl bed beds room hospitalist hospitalists surgeon surgeons
    cardiologist oncologist neurologist coordinator manager director supervisor liaison navigator
    neurosurgery medsurg tele kindergarten preschool elementary middle high grade teacher worker
    failure disease disorders injury prevention management screening immunization vaccine vaccination
    valve structural arrhythmia syncope hypertension cholesterol stroke/tia bleeding clotting anemia
    osteoporosis fall falls gait mobility spasticity botox tremor chronic complex care/clinic
    nurses aide yr yrs old wf wm bf bm year""".split()
)
"""Words that make no name: departments, specialties, roles, and what starts a sentence or field."""

ORGANIZATION_HEADS = frozenset(
    """inc incorporated llc llp ltd plc gmbh corp corporation elementary academy university college
    polytechnic univ church cathedral synagogue mosque chapel tabernacle parish priory abbey
    monastery convent ministries congregation insurance mutual ems ambulance paramedics pharmacy
    apothecary chemist chemists drugstore drugs trucking freight logistics freightways haulers
    foods robotics casino mortuary crematorium preschool montessori kindergarten daycare lodge
    ballet orchestra chorus choir symphony conservatory restaurant diner cafe bakery brewery brewing
    supermarket grocery outfitters electronics manufacturing mfg industries enterprises airlines
    airways railroad railway ferries transit towing plumbing roofing landscaping construction
    contractors builders dealership motors ranch farms dairy mills foundry shipyard drydock
    steelworks ironworks glassworks poultry packing cannery foundation bureau superstore""".split()
)
"""Heads that need one proper word before them; medical ones are in the tails above."""

ORGANIZATION_TAILS = {
    "school": "any", "schools": "any", "high": "end", "middle": "end", "primary": "end",
    "district": "school unified", "department": "police fire sheriff's sheriffs insurance",
    "dept": "police fire sheriff's sheriffs", "union": "credit", "plan": "health benefit",
    "fund": "health welfare pension benefit", "infusion": "home",     "club": "any", "society": "any", "authority": "any", "drug": "any", "rx": "two",
    "company": "any", "bank": "any", "hotel": "any", "motel": "any",
    "shelter": "any", "mission": "any", "temple": "any", "museum": "any", "prison": "any",
    "jail": "county city state regional", "penitentiary": "any", "home": "funeral group",
    "rescue": "any", "fire": "volunteer", "court": "district superior circuit county family",
    "agency": "any", "league": "any", "prep": "any", "hs": "any", "store": "any",
    "center": "detention correctional senior community youth job day", "market": "any",
    "baptist": "any", "lutheran": "any", "methodist": "any", "presbyterian": "any",
    "episcopal": "any", "pentecostal": "any", "ame": "any", "co-op": "any", "cooperative": "any",
    "airlift": "any", "institution": "correctional",
    "works": "iron steel glass", "services": "any", "savings": "any", "trust": "any",
    "coffee": "any", "pizza": "any", "coal": "any", "rail": "any", "appliance": "any",
    "stamping": "any", "plating": "any", "furniture": "any", "tractor": "any", "hardware": "any",
    "cargo": "any", "laundry": "any", "upholstery": "any", "lumber": "any", "bakery": "any",
    "library": "any", "mill": "any", "ins": "any", "players": "any", "precast": "any",
    "theater": "any", "theatre": "any", "vocational": "any", "tech": "end", "apartments": "any",
    "dist": "school", "outreach": "any", "resettlement": "any", "supply": "any", "association": "housing homeowners credit",
}  # fmt: skip
"""Tails of organisations; the words named must stand just before, unless `any` or `end`."""

MAKERS = frozenset(
    """medtronic abbott boston scientific edwards lifesciences biotronik zimmer biomet stryker depuy
    synthes johnson pfizer merck novartis roche genentech sanofi gsk glaxosmithkline lilly amgen
    astrazeneca bayer teva mylan baxter fresenius philips siemens ge hologic olympus cook cordis
    bard becton dickinson terumo gore covidien ethicon intuitive arthrex smith nephew linvatec
    jude dexcom insulet tandem resmed respironics cochlear advanced bionics alcon allergan bausch
    lomb hill-rom kci nevro livanova sorin abiomed thoratec""".split()
)
"""Drug and device makers: named in clinical statements, not tied to a person."""

NOT_FACILITIES = frozenset(
    """st. jude medical|st jude medical|american heart association|american diabetes association|world health organization
    national institutes of health|centers for disease control|joint commission|food and drug
    new york heart|american cancer society|alcoholics anonymous|narcotics anonymous
    american academy|american college|royal college|mayo clinic score|national cancer institute
    cooperative oncology group|eastern cooperative""".replace("\n", "|").split("|")
)

STARTERS = frozenset(
    """a an the this that these those our your his her their its my dr mr mrs ms miss prof rev sr fr
    seen see saw per via from to at in on by with for and or as discharge discharged transfer
    transferred transport admit admitted admission arrived arrival refer referred schedule scheduled
    appointment appt return returned call called please contact re cc attn dear name date time phone
    fax address patient pt mother father mom dad wife husband son daughter sister brother he she
    they it we i you who which what where when while after before during since until under over was
    were is are be been has have had will would may can could should must also then than but so
    because due status continue start started stop hold use used given give made need needs no not
    none yes if all any each every other both discussed reviewed noted notified requested ordered
    performed completed collected received faxed mailed signed dictated attending md do rn np pa
    phd dds pharmd lcsw msw admits admitting treated sent taken brought ems ed er icu now today
    tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday outside current
    prior previous last next works worked working employed lives living resident born retired
    attends attended followed follow hx history social plan assessment
    into out up down off between near""".split()
)
"""Words that never begin a name: what stands before it in a sentence or on a form."""

LABELS = frozenset(
    """practice unit insurance ins coverage employer supp supplemental payer payor agency facility
    hospital clinic pharmacy school nearest refuses hd mwf tts primary secondary lab labs location
    site org dept department plan carrier provider referring pcp prenotification funeral client
    company church parish performing preferred ordering receiving sending accepting copy copies peds ob gyn onc home""".split()
)
"""Labels of forms that print their value without a colon; they do not begin the name."""

OF_HEADS = frozenset(
    """university hospital hospitals college house lady sisters sons daughters knights church school
    institute center centre academy state city town lake bank board clinic clinics congregation
    society order krewe council department county ministry bureau office care home medicine friends
    brotherhood assembly house temple health legacy lodge heart our clínica mount""".split()
)
"""Words that may stand before "of" inside a name."""
