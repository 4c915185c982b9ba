//! The words with which English denies, doubts, and means something else, between blanks.

/// What a word does in a sentence. A word can be of several kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Denies what follows.
    Negation,
    /// An answer that affirms.
    Yes,
    /// An answer that denies.
    No,
    /// May stand between a negation and what it negates.
    Filler,
    /// May stand in a list of damages beside mentions: "no bumps, no cracked glass".
    Item,
    /// Carries a statement: "was", "got". Behind "no" it begins one: "no it was dropped".
    Auxiliary,
    /// A mention may be followed by it and still be the mention: "water damage".
    Noun,
    /// What denied damage is not: "water damage was not found".
    Found,
    /// Begins a statement of its own.
    Opens,
    /// Joins a statement to its reason: who doubts the one doubts the other.
    Reason,
    /// Leaves a statement open.
    Doubt,
    /// Makes a unit another one than that in question: "the other phone".
    Another,
    /// Begins a question.
    Asks,
    /// Behind a mention: the unit is protected against it, or was tested.
    Protection,
    /// Behind a mention: something that shows it, in whatever colour.
    Indicator,
    /// What a faulty unit does not do or have: a negation of it denies nothing else.
    Symptom,
    /// Who can be the subject of a statement.
    Subject,
    /// Stands before a thing.
    Determiner,
    /// Behind a denial: it denies a degree or a time only ("not dropped more than once").
    Limit,
    /// Within a denial, the same ("not completely submerged").
    Degree,
    /// The unit, a part of it, or what stands for it.
    Unit,
    /// Where a thing falls from or onto.
    Physical,
    /// May stand between a subject and its verb.
    Adverb,
    /// A state without damage.
    Good,
    /// How much something matters: "impact: high".
    Level,
}

/// The kinds, and their words.
pub(super) const KINDS: &[(Kind, &str)] = &[
    (
        Kind::Negation,
        "no not never without none neither nor non zero cannot dont didnt doesnt wasnt werent \
     isnt arent hasnt havent hadnt wont couldnt nothing nobody lacks lacking excluding \
     nowhere minus nil aint 0",
    ),
    (Kind::Yes, "yes y true positive yep yeah correct"),
    (
        Kind::No,
        "no none not never n false negative nil nope nothing absent 0 na untrue zero negligible",
    ),
    (
        Kind::Filler,
        "a an any the of from by with in into under ever visible visibly signs sign evidence \
     trace traces indication indications obvious apparent physical physically external \
     internal kind sort form type such damaged exposed exposure contact ingress due because \
     caused related affected both either even yet to at on near around anywhere other further \
     additional noticeable whatsoever found show shows showing once some this that our my \
     your its",
    ),
    (
        Kind::Item,
        "bumps knocks breaks abuse misuse corrosion areas area parts part pieces glass surface \
     surfaces edges corners housing marks damage damages defects faults wear tear moisture \
     things stuff",
    ),
    (
        Kind::Auxiliary,
        "is are was were be been being has have had having get gets got gotten getting become \
     became come came suffered did does do",
    ),
    (
        Kind::Noun,
        "damage damages ingress contact exposure mark marks intrusion entry event incident \
     detected residue condition state grade history issue issues problem problems harm",
    ),
    (
        Kind::Found,
        "found present observed seen detected visible there involved evident apparent noted \
     reported identified confirmed noticed",
    ),
    (
        Kind::Opens,
        "after since because when whenever while as although though but however then due \
     following until before so which now today except despite till besides apart whereas \
     otherwise still later where once yet",
    ),
    (Kind::Reason, "because due as so though now"),
    (
        Kind::Doubt,
        "maybe perhaps possibly possible probably probable presumably apparently allegedly might \
     may could would should seems seem seemed appears appear appeared looks look looked \
     unsure uncertain unclear unknown if whether unless suspect suspects suspected think \
     thinks thought guess believe believes assume assumes assumed wonder wondering rule ruled \
     rather instead unlike denies denied deny almost nearly claims claim likely unlikely \
     hypothetically doubt doubts doubtful doubted hardly barely scarcely rarely seldom avoid \
     avoided avoids avoiding prevent prevents prevented protect protects protecting refuse \
     refused exclude excluded excludes unchecked untested pending tbd possibility chance risk \
     supposedly reportedly conceivably potential potentially presume presumed imagine afraid \
     worried fear disputes disputed dispute inconclusive suspicion prone hope hopefully \
     wonders questionable unconvinced warning notification popup suppose supposed",
    ),
    (
        Kind::Another,
        "other another previous old former last different colleague's",
    ),
    (
        Kind::Asks,
        "is are was were did does do has have had can could would will what why how should may \
     might",
    ),
    (
        Kind::Protection,
        "proof resistant resistance repellent protected protection tight rated rating sealed \
     tested test tests cooling cooled sensor meter cover proofing shield alarm alert guard \
     repelling sealing certified certification strap",
    ),
    (
        Kind::Indicator,
        "indicator indicators sticker stickers strip lci label marker",
    ),
    (
        Kind::Symptom,
        "turn turns turning work works working worked boot boots booting start starts starting \
     power powers powering respond responds responding response connect connects connecting \
     connection load loads loading print prints printing scan scans scanning read reads \
     reading open opens opening close closes closing show display displays sound signal \
     picture image images light lights lit charge charges charging charged function functions \
     functioning run runs running hold holds come comes switch switches recognize recognise \
     recognised recognized pair pairs sync update install wake wakes audio video touch output \
     input reception network wifi internet service battery usable useable fit fits screen \
     backlight beep vibration charger react reacts",
    ),
    (
        Kind::Subject,
        "there i it we he she they you who customer client user driver courier technician someone \
     somebody everything",
    ),
    (
        Kind::Determiner,
        "the a an this that my our his her their your its",
    ),
    (
        Kind::Limit,
        "more only much badly often hard enough twice again completely far high long recently \
     lately yesterday today fully entirely directly except until till besides apart unless \
     anymore before times week month very too slightly lot deep deeply heavily severely know \
     knowledge aware afaik recall remember",
    ),
    (
        Kind::Degree,
        "very too fully completely entirely totally quite especially particularly badly heavily \
     really deeply severely longer always necessarily exactly",
    ),
    (
        Kind::Unit,
        "unit device phone terminal scanner handheld handset printer kiosk cradle tablet cable \
     laptop screen display machine product item reader box package parcel one mine thing \
     charger equipment hardware monitor camera watch keyboard computer smartphone cellphone \
     mobile pda gun instrument appliance pack glass lens port inside interior housing case \
     lid cover corner keys keypad board motherboard circuit connector bag it this that them \
     these those touchscreen lcd back front",
    ),
    (
        Kind::Physical,
        "floor ground concrete stairs table desk counter pavement tiles tile hand hands height \
     road feet metres meters corner edge face ladder roof shelf shelves truck van car cab \
     forklift bike bicycle motorcycle pallet rack bed sofa couch chair bench balcony window \
     wall sink toilet pool bucket bath bathtub tub sea lake river puddle mud snow pocket \
     pockets bag conveyor lorry horse cart trolley gravel asphalt sidewalk carpet driveway \
     door hole steps staircase stairwell foot inches inch ft deck dock platform ramp belt \
     curb kerb yard sand rocks rock grass water",
    ),
    (
        Kind::Adverb,
        "just accidentally once already then also again suddenly repeatedly always sometimes \
     often constantly frequently recently now still even randomly keeps keep kept to simply \
     really actually definitely certainly badly slightly lightly completely totally heavily \
     only",
    ),
    (
        Kind::Good,
        "good excellent perfect fine ok okay mint new intact clean flawless great undamaged \
     pristine normal acceptable",
    ),
    (
        Kind::Level,
        "high low medium major minor critical severe moderate significant urgent p1 p2 p3 p4 1 2 \
     3 4 5 all business production limited massive huge big little",
    ),
];

/// Behind "no" and "not": nothing is denied.
pub(super) const NO_NEGATION: &str = "only just merely doubt question wonder surprise";

/// Behind "last": a time, not another unit.
pub(super) const TIMES: &str = "week month year night time monday tuesday wednesday thursday friday saturday sunday \
     winter summer spring autumn evening morning shift";

/// Behind "wet" without a verb before it: the unit is wet all the same.
pub(super) const GOES_ON: &str = "in on from by during inside outside and or now again with through at under all over \
     enough yesterday today last damage condition nor";

/// Behind a denial and a comma: it does not hold for all of it, or nobody vouches for it.
pub(super) const EXCEPT: &str = "except until till besides apart unless as to afaik only";

/// What ends an object.
pub(super) const PREPOSITIONS: &str = "in on at during while from into onto off out by to with near next over under against below through across behind beside between around for";

/// How far a number falls.
pub(super) const AMOUNTS: &str = "half third quarter lot bit factor few fraction percent order";

/// A word of a list, and what behind it makes another thing of it.
pub(super) const COMPOUNDS: &[(&str, &str)] = &[
    (
        "rain",
        "mode sensor sensors sound sounds app gauge radar forecast cover jacket coat alert alerts \
     effect animation theme screensaver wallpaper scan season check dance man",
    ),
    (
        "wet",
        "label labels ink wipe wipes paint signature look mode behind blanket cleaning lab",
    ),
    (
        "water",
        "treatment utility utilities company plant meter meters works board supply department \
     bill bills level levels mode park pressure temperature flow cooler cooled cooling heater \
     pump pumps tank tanks tower gun app services authority district main mains quality \
     analysis polo feature effect animation",
    ),
    (
        "liquid",
        "level levels tank crystal cooling cooled metal chromatography nitrogen handling assets funds ui",
    ),
    (
        "cosmetic",
        "bug bugs glitch glitches change changes update updates ui app store stores shop shops \
     department company companies industry product products brand brands counter surgery \
     surgeon line",
    ),
    (
        "impact",
        "printer printers driver drivers wrench wrenches drill factor velocity report assessment \
     analysis statement study",
    ),
    ("spill", "tray kit station"),
    (
        "dropped",
        "shipping ship zone points point shadow ceiling outs ins",
    ),
    ("scratched", "pad card cards file disk ticket"),
    ("crushed", "test"),
    ("kicked", "stand starter start"),
];

/// Another meaning of a word of a list.
#[derive(Debug)]
pub(super) struct Context {
    /// The word.
    pub(super) base: &'static str,
    /// Whether it is a noun, and not what somebody does.
    pub(super) noun: bool,
    /// Of a noun, what stands before it; otherwise, the subject that gives it the other meaning.
    pub(super) before: &'static str,
    /// What stands behind it; otherwise, the object that does.
    pub(super) after: &'static str,
    /// What right behind it or its object does, unless the rest says where the unit fell.
    pub(super) particles: &'static str,
}

/// The other meanings.
pub(super) const CONTEXTS: &[Context] = &[
    Context {
        base: "dropped",
        noun: false,
        before: "connection connections connectivity call calls signal signals network wifi fi bluetooth \
     packet packets session sessions link links frame frames voltage charge level levels \
     performance speed speeds vpn internet throughput rate service reception coverage sync \
     stream pairing tether lte temperature temperatures fps framerate framerates brightness \
     volume sales revenue orders humidity pressure resolution quality bitrate ping latency \
     capacity percentage percent score number numbers count price prices column support plan \
     feature features message messages requests request ssid gps bars traffic bandwidth power \
     current output input heartbeat app login log data frequency efficiency accuracy \
     sensitivity contrast gain load cpu memory ram demand attendance conversion rating \
     ratings temp temps ble nfc ethernet lan wlan 4g 5g 3g tcp udp ip dns voip sip socket \
     websocket handover roaming carrier value values readings reading ph usage productivity \
     mood morale yield interest stock stocks shares profit profits index curve graph chart \
     keystrokes keypresses characters digits notes tone pitch voice strength scans \
     application",
        after: "connection connections call calls signal signals packet packets frame frames session \
     sessions offline below support network wifi link links fps percent percentage menu list \
     asleep short voltage volume speed bluetooth vpn server connectivity data requests \
     messages message database column digits characters keystrokes brightness performance \
     temperature pressure temperatures quality sync pairing ship shipping shipment internet \
     wlan audio shadow subscription subscriptions plan insurance membership contract hint hints order \
     orders price prices class course courses",
        particles: "off out by back from below",
    },
    Context {
        base: "impact",
        noun: true,
        before: "business performance negative positive production financial environmental operational \
     revenue sales safety service customer",
        after: "performance productivity business operations operation users user customers sales \
     production work us our everyone team teams workflow usability revenue deliveries \
     delivery schedule patients staff store stores analysis assessment statement level score \
     service services life me shift everything",
        particles: "",
    },
    Context {
        base: "thrown",
        noun: false,
        before: "error errors exception exceptions warning warnings fault faults code codes alert alerts \
     message messages tantrum timeout",
        after: "error errors exception exceptions warning warnings fault faults code codes alert alerts \
     message messages tantrum timeout",
        particles: "off out away",
    },
    Context {
        base: "kicked",
        noun: false,
        before: "update firmware session fan fans saver compressor",
        after: "session sessions network server wifi app call meeting group me us users loop lobby game \
     program background",
        particles: "off out in",
    },
    Context {
        base: "cracked",
        noun: false,
        before: "audio sound voice password code",
        after: "audio sound sounds voice password passwords code software noise noises license",
        particles: "",
    },
    Context {
        base: "crushed",
        noun: false,
        before: "audio sound blacks",
        after: "audio sound blacks",
        particles: "",
    },
    Context {
        base: "smashed",
        noun: false,
        before: "record records target targets",
        after: "record records target targets",
        particles: "",
    },
    Context {
        base: "dent",
        noun: true,
        before: "",
        after: "productivity budget sales revenue confidence profits",
        particles: "",
    },
    Context {
        base: "chipped",
        noun: false,
        before: "",
        after: "in",
        particles: "",
    },
    Context {
        base: "spill",
        noun: true,
        before: "data",
        after: "over",
        particles: "",
    },
    Context {
        base: "soaked",
        noun: false,
        before: "",
        after: "test period",
        particles: "",
    },
    Context {
        base: "scratched",
        noun: false,
        before: "",
        after: "head heads disk pad card cards ticket paper",
        particles: "",
    },
];
