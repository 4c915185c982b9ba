//! Sentences with a place for a word, read with every word.

use super::*;

/// Words of each cause as they stand in a sentence behind "was" or "got".
const PARTICIPLES: &[&str] = &[
    "dropped",
    "smashed",
    "cracked",
    "crushed",
    "kicked",
    "thrown",
    "soaked",
    "submerged",
    "wet",
    "scratched",
    "scuffed",
    "chipped",
];

/// And as they stand behind "no signs of".
const NOUNS: &[&str] = &[
    "water damage",
    "liquid damage",
    "impact damage",
    "cosmetic damage",
    "impact",
    "water",
    "liquid",
    "rain",
];

const THINGS: &[&str] = &[
    "水没",
    "水濡れ",
    "浸水",
    "落下",
    "衝撃",
    "ひび",
    "割れ",
    "傷",
    "キズ",
    "凹み",
    "へこみ",
    "欠け",
];

/// Each template with each word, read; those that come to what they must not.
fn wrong(templates: &[&str], words: &[&str], right: impl Fn(&CausesFound) -> bool) -> Vec<String> {
    let texts = templates
        .iter()
        .flat_map(|template| words.iter().map(|word| template.replace("{}", word)));
    texts
        .map(|text| (found(&text), text))
        .filter(|(found, _)| !right(found))
        .map(|(found, text)| format!("{text}: {found:?}"))
        .collect()
}

/// *Invariant:* what is stated in plain words refuses, whatever the word.
#[test]
fn every_word_that_is_stated_refuses() {
    let english = [
        "It was {}.",
        "The unit got {} yesterday",
        "does not turn on since it was {}",
        "It was {}, no power",
        "No power. It was {}.",
        "It isn't charging because it was {}",
        "It was {} and now it won't boot",
        "no doubt it was {}",
        "The terminal was badly {}",
        "My phone has been {} twice",
        "{} by accident",
        "It worked until it was {}",
        "the display is {}",
        "{}? Yes.",
        "I am sorry to say that it was {} on the way to work",
    ];
    assert_eq!(wrong(&english, PARTICIPLES, refuses), Vec::<String>::new());
    let english = [
        "{} inside",
        "There is {}.",
        "cause: {}",
        "It stopped because of {}",
        "The technician found {}.",
        "failed due to {}",
        "{}, does not boot",
        "No display, {} inside",
        "{}: yes",
    ];
    assert_eq!(wrong(&english, NOUNS, refuses), Vec::<String>::new());
    let japanese = ["{}しました。", "端末を{}してしまいました"];
    assert_eq!(
        wrong(&japanese, &["落と", "濡ら", "落下", "水没"], refuses),
        Vec::<String>::new()
    );
    let japanese = [
        "{}があります",
        "{}あり",
        "電源が入りません。{}があります。",
        "角に{}があり、起動しません",
        "{}の跡がある",
    ];
    assert_eq!(wrong(&japanese, THINGS, refuses), Vec::<String>::new());
}

/// *Invariant:* what is denied in plain words passes, whatever the word.
#[test]
fn every_word_that_is_denied_passes() {
    let english = [
        "It was not {}.",
        "It wasn't {}",
        "never {}",
        "has never been {}",
        "The unit has not been {} at all",
        "neither {} nor opened",
        "not {}, just dead",
        "It does not turn on and was not {}",
        "{}? No.",
        "{}: no",
        "Nothing was {}.",
        "It isn't {}.",
    ];
    assert_eq!(wrong(&english, PARTICIPLES, passes), Vec::<String>::new());
    let english = [
        "no {}",
        "No signs of {}.",
        "without any {}",
        "free of {}",
        "{}: none",
        "{} - no",
        "no visible {}",
        "There is no {}.",
        "It was never exposed to {}.",
        "zero {}",
        "no evidence of {} whatsoever",
        "{} was not found",
        "w/o {}",
        "{} (none)",
        "kept away from {}",
        "there isn't any {}",
    ];
    assert_eq!(wrong(&english, NOUNS, passes), Vec::<String>::new());
    let japanese = [
        "{}していません。",
        "一度も{}したことはありません",
        "{}してない",
        "{}しておりません",
        "端末を{}したりしていません",
    ];
    assert_eq!(
        wrong(&japanese, &["落と", "濡ら", "こぼ", "落下", "水没"], passes),
        Vec::<String>::new()
    );
    let japanese = [
        "{}はありません",
        "{}なし",
        "{}無し。",
        "{}の形跡はありません",
        "{}は見当たりません",
        "{}：なし",
        "{}など一切ありません",
        "{}等の損傷はない",
        "{}は認められませんでした",
    ];
    assert_eq!(wrong(&japanese, THINGS, passes), Vec::<String>::new());
}

/// *Invariant:* what is neither plainly stated nor plainly denied goes to a person, whatever the word.
#[test]
fn every_word_in_doubt_goes_to_a_person() {
    let english = [
        "maybe it was {}",
        "It may have been {}",
        "I doubt it was {}",
        "I don't think it was {}",
        "not sure whether it was {}",
        "was it {}?",
        "it was hardly {}",
        "it was almost {}",
        "not {} more than once",
        "never {} until yesterday",
        "it was not completely {}",
        "not very {}",
        "I can't say it wasn't {}",
        "never {} except once",
        "the other unit was {}",
        "if it was {}, is it covered?",
        "We have not, as far as we know, had it {}",
        "looks {}",
        "{}? not that I know",
        "no it was {}",
        "The customer denies that it was {}",
        "cannot rule out that it was {}",
        "It was possibly {}",
    ];
    assert_eq!(wrong(&english, PARTICIPLES, asks), Vec::<String>::new());
    let english = [
        "could be {}",
        "{}?",
        "not without {}",
        "{} cannot be ruled out",
        "{}: unknown",
        "no {} except a little",
        "I suspect {}",
        "no idea about {}",
        "we avoid {}",
        "[ ] {}",
        "it is not only about {} or is it?",
    ];
    assert_eq!(wrong(&english, NOUNS, asks), Vec::<String>::new());
    let japanese = [
        "{}したかもしれません",
        "{}していないとは言えません",
        "一度しか{}していない",
        "{}したと思います",
        "{}したか不明です",
        "もしかして{}した",
        "{}していないわけではありません",
        "{}した可能性があります",
        "ほとんど{}していません",
        "別の端末を{}した",
        "{}した覚えはありません",
    ];
    assert_eq!(
        wrong(&japanese, &["落と", "濡ら", "落下", "水没"], asks),
        Vec::<String>::new()
    );
    let japanese = [
        "{}でしょうか",
        "{}がないとは限りません",
        "{}の有無は不明",
        "{}以外はありません",
        "目立つ{}はありません",
        "{}がないか分かりません",
    ];
    assert_eq!(wrong(&japanese, THINGS, asks), Vec::<String>::new());
}

/// *Invariant:* a list that is denied refuses nobody, whatever it is made of.
#[test]
fn every_list_that_is_denied_refuses_nobody() {
    let mut wrong = Vec::new();
    for denial in [
        "no",
        "without",
        "no signs of",
        "there are no",
        "free of",
        "zero",
    ] {
        for first in [
            "drops",
            "dents",
            "bumps",
            "water damage",
            "spills",
            "cracks",
        ] {
            for second in ["spills", "scratched areas", "scratches", "impact"] {
                for last in ["water", "cracked glass", "impact damage", "rain"] {
                    let text = format!("{denial} {first}, {second}, or {last}");
                    if !passes(&found(&text)) {
                        wrong.push(text);
                    }
                    for text in [
                        format!("{denial} {first}, {second}, {last}"),
                        format!("{denial} {first} and {last}"),
                    ] {
                        if refuses(&found(&text)) {
                            wrong.push(text);
                        }
                    }
                }
            }
        }
    }
    for first in THINGS {
        for second in THINGS {
            let text = format!("{first}、{second}、割れはありません");
            if !passes(&found(&text)) {
                wrong.push(text);
            }
            for text in [
                format!("{first}、{second}なし"),
                format!("{first}や{second}はありません"),
            ] {
                if refuses(&found(&text)) {
                    wrong.push(text);
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
