"""Occupations: the words that end their names, and the words that make a term of them instead."""

from __future__ import annotations

SURE = frozenset(
    """accountant actuary anchorman apprentice archaeologist architect arborist auctioneer auditor
    baggage-handler baker banker barber barista bartender beautician beekeeper blacksmith boilermaker
    bookkeeper bookbinder brakeman bricklayer broker busboy butcher butler cabinetmaker cabdriver cantor
    carpenter cartographer cashier caterer ceramicist chauffeur chef choreographer clerk cobbler composer
    conductor conservator cosmetologist crewman curator custodian dairyman dancer deckhand deejay
    detective dishwasher dispatcher dockworker drafter draftsman drywaller economist electrician
    embalmer engineer esthetician exporter farmer farmhand farmworker ferryman firefighter fireman
    fisherman florist foreman forester fundraiser furrier gardener geologist glassblower glazier
    goldsmith groundskeeper haberdasher hairdresser hairstylist handyman harpist harpsichordist hatter
    homemaker housekeeper housewife illustrator inspector installer ironworker janitor jeweler jockey
    journalist judge laborer labourer landscaper lawyer lecturer librarian lifeguard lineman
    lobsterman locksmith logger longshoreman luthier machinist magistrate maid mailman mason mechanic
    metalworker millwright milliner miner minister motorman musician nanny novelist optician
    organist painter paralegal paramedic pastor patroller photographer pianist pilot pipefitter plasterer
    playwright plumber policeman policewoman porter postman postmaster postmistress potter preacher
    priest principal printer prosecutor puppeteer quarryman rabbi rancher realtor receptionist rector
    repairman reporter rigger roofer roughneck roustabout sailor salesman saleswoman salesperson
    sawyer schoolteacher scientist sculptor seaman seamstress secretary shepherd shipwright shopkeeper
    silversmith singer solderer soldier solicitor steelworker stenographer stevedore steward stewardess
    stonecutter stonemason superintendent surveyor tailor tanner taxidermist teacher teamster telemarketer
    tinsmith toolmaker trader translator trombonist trucker truckdriver tutor typist undertaker
    upholsterer usher valet veterinarian violinist violist waiter waitress warehouseman watchmaker weaver
    welder whaler winemaker woodcarver woodworker writer zookeeper actor actress artist author biologist
    chemist coach consultant dealer designer developer director driver hauler instructor maker
    manager merchant officer operator owner packer picker planner player producer professor programmer
    proprietor researcher salesclerk seller stitcher stocker student supervisor technician teller tester
    trainer trapper tuner worker attendant hand helper assistant aide agent analyst administrator adjunct
    captain sergeant guard guide cook milker spinner harvester hunter skipper pumper cutter setter
    bolter tender cleaner server host hostess laundress bouncer banker builder contractor cowboy
    dental-hygienist hygienist dentist nurse physician doctor surgeon pharmacist physicist
    anesthesiologist radiologist psychologist psychiatrist therapist phlebotomist chaplain lpn rn cna
    emt psw midwife acupuncturist chiropractor interpreter dietitian nutritionist counselor caregiver
    roughnecker trucker's sahm homemaker specialist representative rep executive monitor inspector
    lead foreman tech technologist super jockey clown lady installer recruiter stockbroker underwriter
    surveyor estimator ironer presser sorter""".split()
)
"""Heads: an occupation where a context word stands before ("retired", "works as a")."""

ALONE = frozenset(
    """accountant actuary auctioneer barber barista bartender beekeeper blacksmith boilermaker bookkeeper
    bricklayer cabinetmaker carpenter cashier cobbler cosmetologist deckhand dishwasher dockworker
    drywaller electrician farmhand farmworker firefighter fisherman florist glassblower glazier
    goldsmith haberdasher hairdresser hairstylist ironworker janitor journalist landscaper librarian lineman
    lobsterman locksmith logger longshoreman luthier machinist millwright organist paralegal pipefitter
    plumber postmistress puppeteer quarryman rancher realtor repairman roofer roughneck roustabout
    schoolteacher sculptor seamstress shipwright silversmith steelworker stenographer stevedore
    stonemason toolmaker trombonist trucker upholsterer violinist violist waiter waitress watchmaker
    welder whaler winemaker woodworker zookeeper custodian homemaker housekeeper housewife
    pastry-chef policeman postman salesman saleswoman taxidermist telemarketer""".split()
)
"""Heads that are the patient's or a relative's work wherever they stand."""

MODIFIERS = frozenset(
    """school bus truck taxi cab tow delivery long-haul short-haul otr log forklift crane heavy equipment
    construction factory mill steel coal iron gold oil oilfield gas pipeline sugar beet wheat corn cattle
    dairy sheep hog poultry chicken catfish oyster shrimp crab fruit line sous pastry head hotel motel
    restaurant cafeteria lunchroom kitchen grocery store retail bank insurance real estate postal mail letter
    police fire court county city town state federal high middle elementary preschool kindergarten substitute
    special education music art math science history latin english woodshop shop piano ukulele church choir
    dental medical veterinary pharmacy lab office front desk payroll tax data software hardware computer
    electrical mechanical civil structural chemical sound solar ski lift raft airline airport flight baggage
    ramp railroad rail subway streetcar train tugboat boat ferry harbor ship shipyard dock merchant warehouse
    parking security prison corrections correctional crossing bridge tool die and sheet metal sewing textile shoe
    garment furniture upholstery jewelry watch clock bagpipe saddle bicycle auto body diesel aircraft avionics
    wind power telephone cable television radio news parade float nail salon hair pet dog horse ranch farm
    grain elevator meat packing plant assembly machine press furnace kiln quilt flower garden lawn tree
    landscape home health care nursing day daycare child youth group social case human community part-time
    full-time retired former freelance self-employed apprentice union night wildland volunteer professional
    assistant associate senior junior chief marine botanical geology chemistry linguistics bilingual nonprofit
    sales marketing advertising customer service call center human resources project program general small
    business owner-operator blackjack casino football baseball basketball soccer hockey rugby volleyball
    wrestling customs database diner bakery scoop roof doctoral graduate drill tile market galley water
    blast carnival ride moving motor transport taconite anthracite slate crossing-guard seafood lunch
    cannery beadwork lei textile dye bridge-tender toll pool ice furnace oyster hatchery yoga fitness
    wedding fashion interior graphic web ux film movie camera lighting stage theater theatre ballet dance
    bookstore hardware lumber brick stone tractor combine harvest lens optical""".split()
)

ROLES_NEED_MORE = frozenset(
    """home health care nursing day daycare child youth group social case human community medical dental
    veterinary pharmacy lab office front desk school police fire security state county city federal insurance
    customer service call center general program project data high middle elementary special education
    assistant associate senior junior chief and small business nonprofit parking church choir tax machine head
    part-time full-time retired former freelance self-employed volunteer professional night union human
    resources power body press english history science math art music preschool kindergarten water lead
    physical sales correctional corrections prison crossing power motor transport hand
    """.split()
)
"""Modifiers that also make roles on a ward, at a school or at a desk: not enough by themselves."""

DROPPED = frozenset(
    """retired former formerly previously part-time full-time part time full right-handed left-handed
    married single divorced widowed healthy pleasant works working worked as employed self-employed
    semi-retired disabled unemployed now still old year delightful former- local busy lay""".split()
)
"""Words before an occupation that are no part of it."""
