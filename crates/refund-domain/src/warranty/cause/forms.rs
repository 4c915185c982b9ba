//! Other forms of the words of the lists, and what means nearly the same.
//!
//! A list names the words that refuse. Its other forms ("it fell", "two cracks", "droped") say too much to
//! pass as covered and too little to refuse: they are heard where their word is in force, and leave the
//! case to a person unless they are denied.

/// A word of a list, and its forms.
pub(super) const FORMS: &[(&str, &[&str])] = &[
    ("liquid", &["liquids", "fluid", "fluids"]),
    (
        "water",
        &["waters", "watery", "moisture", "condensation", "humidity"],
    ),
    ("wet", &["wetness", "damp", "dampness", "moist", "drenched"]),
    ("soaked", &["soak", "soaking"]),
    ("spill", &["spills", "spilling", "spilt", "spiled"]),
    (
        "submerged",
        &["submerge", "submerging", "immersed", "submersed"],
    ),
    (
        "rain",
        &["rains", "rained", "raining", "rainwater", "rainy"],
    ),
    (
        "dropped",
        &[
            "drop", "drops", "dropping", "droped", "droppd", "dropt", "fell", "fall", "falls",
            "fallen", "falling",
        ],
    ),
    (
        "smashed",
        &["smash", "smashing", "shattered", "shatter", "smased"],
    ),
    (
        "cracked",
        &["crack", "cracks", "cracking", "craked", "crackd"],
    ),
    ("crushed", &["crush", "crushing"]),
    ("impact", &["impacts", "impacted"]),
    ("kicked", &["kick", "kicks", "kicking"]),
    ("thrown", &["threw", "throw", "throws", "throwing"]),
    (
        "scratched",
        &["scratch", "scratches", "scratching", "scrached"],
    ),
    ("scuffed", &["scuff", "scuffs", "scuffing"]),
    ("dent", &["dents", "dented", "denting"]),
    ("chipped", &["chipping"]),
    (
        "濡れ",
        &["ぬれ", "湿気", "湿っ", "水滴", "結露", "水浸し", "びしょ"],
    ),
    ("濡ら", &["ぬらし", "ぬらす"]),
    ("こぼし", &["こぼす", "零し", "零れ"]),
    ("落と", &["落し", "落す", "落ち", "おとした", "おとして"]),
    ("落下", &["転落", "転倒", "倒れ", "倒し"]),
    ("傷", &["疵", "瑕"]),
    ("擦れ", &["擦り", "こすれ", "こすっ"]),
    ("凹み", &["凹む", "へこむ"]),
];
