//! Texts about problems, and what they say.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

mod templates;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&CauseWords::default()).unwrap());

fn found(text: &str) -> CausesFound {
    LEXICON.causes_of(text)
}

fn refuses(found: &CausesFound) -> bool {
    !found.stated.is_empty()
}

fn asks(found: &CausesFound) -> bool {
    found.stated.is_empty() && !found.unclear.is_empty()
}

fn passes(found: &CausesFound) -> bool {
    *found == CausesFound::default()
}

fn names(causes: &[Cause]) -> Vec<&'static str> {
    causes.iter().map(|cause| cause.as_str()).collect()
}

#[test]
fn every_word_of_the_lists_is_heard() {
    let words = CauseWords::default();
    for (cause, list) in [
        (Cause::Liquid, &words.liquid),
        (Cause::Impact, &words.impact),
        (Cause::Cosmetic, &words.cosmetic),
    ] {
        for word in list {
            for text in [word.clone(), word.to_uppercase()] {
                let found = found(&text);
                // The outside of a unit is no damage by itself.
                let heard = if ["外観", "塗装"].contains(&text.as_str()) {
                    found.unclear
                } else {
                    found.stated
                };
                assert!(heard.contains(&cause), "{text}");
            }
        }
    }
}

#[test]
fn what_is_stated() {
    let mut wrong = Vec::new();
    for (text, causes) in [
        ("I dropped it", &["impact"][..]),
        ("Water got in.", &["liquid"]),
        ("WATER DAMAGE", &["liquid"]),
        ("does not turn on after being dropped", &["impact"]),
        ("Does not charge because of water", &["liquid"]),
        ("not working due to water damage", &["liquid"]),
        ("No power, water inside", &["liquid"]),
        ("No display. Dropped yesterday.", &["impact"]),
        ("won't turn on since it was dropped", &["impact"]),
        ("It was dropped and does not work", &["impact"]),
        ("screen is cracked, does not turn on", &["impact"]),
        (
            "Coffee spilled; the case is scratched",
            &["liquid", "cosmetic"],
        ),
        ("no doubt it was dropped", &["impact"]),
        ("It was not only dropped", &["impact"]),
        ("It could not connect after I dropped it", &["impact"]),
        ("Dropped? Yes.", &["impact"]),
        ("dropped - no power", &["impact"]),
        ("I dropped it, can you fix it?", &["impact"]),
        (
            "The connection dropped after I dropped it on the floor",
            &["impact"],
        ),
        ("water, water everywhere", &["liquid"]),
        ("端末を落としました", &["impact"]),
        ("水没しました。", &["liquid"]),
        ("落としてから電源が入らない", &["impact"]),
        ("コーヒーをこぼしたら充電できません", &["liquid"]),
        ("画面が割れています", &["impact"]),
        ("本体に傷があります", &["cosmetic"]),
        ("ｷｽﾞがあります", &["cosmetic"]),
        ("雨に濡れて起動しません", &["liquid"]),
        ("落下後、画面が映りません", &["impact"]),
    ] {
        let found = found(text);
        if names(&found.stated) != causes {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_denied_or_about_something_else() {
    let mut wrong = Vec::new();
    for text in [
        "dead on arrival",
        "no water damage",
        "No signs of water damage",
        "not dropped",
        "It was not dropped.",
        "It wasn't dropped",
        "it wasn\u{2019}t dropped",
        "has never been dropped",
        "has not been exposed to water",
        "never got wet",
        "not dropped, scratched or wet",
        "no water, impact or cosmetic damage",
        "neither dropped nor wet",
        "without any water contact",
        "free of water damage",
        "not caused by impact",
        "It does not turn on and was not dropped",
        "does not turn on, was not dropped",
        "water damage: none",
        "Water damage - no",
        "Dropped? No.",
        "liquid damage was not found",
        "connection drop",
        "The connection dropped",
        "dropped calls",
        "Wi-Fi keeps getting dropped",
        "the signal is dropped every hour",
        "battery dropped to 5% within an hour",
        "I dropped it off at your shop",
        "big impact on our business",
        "water resistant model does not charge",
        "the water-resistant one",
        "waterproof case",
        "liquid crystal display is dark",
        "an exception is thrown at start",
        "I get kicked out of the session",
        "cracked audio",
        "rainbow pattern, wetware, dental app, broadband",
        "水没はしていません",
        "落としていません",
        "落としたことはありません",
        "落としてない",
        "水濡れなし",
        "傷はありません",
        "水没や落下の形跡は見当たりません",
        "水没・落下・傷はありません。",
        "電源を落としても直りません",
        "音量を落としても音割れします",
        "見落としていました",
        "梅雨の時期に購入",
        "防水モデルです",
        "耐衝撃ケース",
        "",
        "   ",
    ] {
        let found = found(text);
        if found != CausesFound::default() {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_unclear() {
    let mut wrong = Vec::new();
    for (text, cause) in [
        ("It may have been dropped", "impact"),
        ("maybe water got in", "liquid"),
        ("Not sure if it was dropped", "impact"),
        ("looks like it was dropped", "impact"),
        ("probably because it was dropped", "impact"),
        ("Water damage?", "liquid"),
        ("Could it have been dropped?", "impact"),
        ("I don't think it was dropped", "impact"),
        ("the customer denies water damage", "liquid"),
        ("my other phone was dropped", "impact"),
        ("no it was dropped", "impact"),
        ("cannot say it wasn't dropped", "impact"),
        ("not without water damage", "liquid"),
        ("no water damage, dropped yesterday", "impact"),
        ("not dropped and wet", "liquid"),
        ("signal dropped on the floor", "impact"),
        ("Not dropped. The screen is cracked.", "impact"),
        ("not aware of any water", "liquid"),
        ("if it was dropped I did not see it", "impact"),
        ("cannot rule out water", "liquid"),
        ("落としたかもしれません", "impact"),
        ("水没した可能性があります", "liquid"),
        ("落としたかどうか不明です", "impact"),
        ("水濡れでしょうか？", "liquid"),
        ("もしかして水没", "liquid"),
        ("落としたと思います", "impact"),
    ] {
        let found = found(text);
        if !names(&found.unclear).contains(&cause) {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn lists_are_checked() {
    let mut words = CauseWords::default();
    words.impact.clear();
    assert_eq!(
        Lexicon::new(&words),
        Err(CauseWordsError::Empty(Cause::Impact))
    );

    let mut words = CauseWords::default();
    words.cosmetic.push("Ｗater ".to_owned());
    assert_eq!(
        Lexicon::new(&words).unwrap_err().to_string(),
        "the word water stands for liquid and for cosmetic"
    );
    words.cosmetic.pop();
    for odd in [" - ", "", " ", "\u{200b}", "x", "7", "a1", "き", "'", "🙂"] {
        words.cosmetic.push(odd.to_owned());
        let error = Lexicon::new(&words).unwrap_err();
        assert_eq!(
            error,
            CauseWordsError::Odd {
                cause: Cause::Cosmetic,
                word: odd.to_owned()
            }
        );
        assert!(error.to_string().contains(&format!("{odd:?}")));
        words.cosmetic.pop();
    }

    let words = CauseWords {
        liquid: vec!["coffee cup".to_owned()],
        ..CauseWords::default()
    };
    let lexicon = Lexicon::new(&words).unwrap();
    assert_eq!(
        names(&lexicon.causes_of("A Coffee-Cup fell").stated),
        ["liquid"]
    );
    assert_eq!(
        lexicon.causes_of("coffee, cup; water"),
        CausesFound::default()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// *Invariant:* a denial right in front of a mention is never overheard, whatever stands around it.
    #[test]
    fn a_denial_never_refuses(
        before in "[a-z]{0,8}( [a-z]{1,6}){0,3}",
        denial in prop::sample::select(vec!["no", "not", "never", "wasn't", "without"]),
        word in prop::sample::select(vec!["water", "dropped", "wet", "scratched", "cracked", "impact", "dent"]),
        after in "( [a-z]{1,8}){0,3}",
    ) {
        let text = format!("{before} {denial} {word}{after}");
        let others = [before, after].iter().any(|part| !found(part).stated.is_empty());
        prop_assert!(others || found(&text).stated.is_empty(), "{text}");
    }

    #[test]
    fn any_text_is_read(text in any::<String>(), mixed in "[a-z ,.?'\n水没落としないまかもn't-]{0,60}") {
        for text in [text, mixed] {
            let found = found(&text);
            prop_assert!(found.stated.iter().all(|cause| !found.unclear.contains(cause)));
        }
    }
}

// What people write who report something else, or say that nothing happened.
#[test]
fn what_never_refuses() {
    for text in [
        "ログインできずに困っています",
        "充電できず、電源も入らない",
        "起きずに固まる",
        "問題に気づきずらい",
        "無傷です",
        "未落下",
        "ノーキズ",
        "水没：無",
        "傷無",
        "傷ナシ",
        "落下：いいえ",
        "落下、水濡れなし",
        "水濡れ、落下、衝撃なし",
        "落下、衝撃、水濡れはありません",
        "傷、凹み、割れなし",
        "落下、水没、傷、いずれもなし",
        "nothing was spilled on it",
        "nothing got wet",
        "nobody dropped it",
        "lacks water damage",
    ] {
        assert_eq!(found(text).stated, [], "{text}");
    }
}

#[test]
fn unseen_characters_hide_nothing() {
    for unseen in [
        '\u{ad}', '\u{200b}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{180e}', '\u{fe0f}', '\u{34f}',
    ] {
        let inside = format!("It was dro{unseen}pped on the floor");
        assert!(refuses(&found(&inside)), "{inside:?}");
        let inside = format!("水{unseen}没しました");
        assert!(refuses(&found(&inside)), "{inside:?}");
        let between = format!("it got{unseen}wet");
        assert!(asks(&found(&between)), "{between:?}");
        let denied = format!("not{unseen} dropped");
        assert!(!refuses(&found(&denied)), "{denied:?}");
    }
}

/// *Invariant:* the work for a text grows with its length and no faster.
#[test]
fn a_long_text_takes_its_share_and_no_more() {
    let work_of = |text: &str| {
        japanese::WORK.set(0);
        found(text);
        japanese::WORK.get()
    };
    for unit in [
        "傷",
        "傷、",
        "落としていない",
        "水没や",
        "傷は",
        "あ",
        "ない",
    ] {
        let (short, long) = (unit.repeat(100), unit.repeat(1_000));
        let (short, long) = (work_of(&short), work_of(&long));
        assert!(long <= short * 11, "{unit}: {short} and {long}");
    }
}

/// *Invariant:* a word that can mean something else does not hide that the unit fell.
#[test]
fn what_is_near_another_meaning_never_passes() {
    for text in [
        "I dropped it during a call",
        "I dropped it next to the audio desk",
        "The user kicked it",
        "The users kicked the kiosk in the app store",
        "the network switch was dropped by movers",
        "the server was dropped from the rack",
        "During the call I dropped the phone",
        "battery dropped on the floor",
        "The speaker is cracked",
        "serious impact damage",
        "a major impact to the housing",
        "high impact on the corner",
        "customer dropped the scanner while the connection was down",
        "dropped it out of the van",
        "dropped off a forklift",
        "the case cracked with a loud sound",
        "a dent in the cover",
        "thrown out of the window",
        "wet scanner",
        "The unit was dropped off the back of a truck",
        "一度落とした",
        "何度も落とした",
        "会議で落とした",
        "試験で落とした",
        "アプリの操作中に床に落とした",
        "データ移行中に端末を落とした",
        "電池を落とした",
        "画面を割った",
    ] {
        assert!(!passes(&found(text)), "{text}");
    }
}
