//! Reads Japanese, which has no blanks: words are pieces of text, and what denies a mention stands
//! behind it, in its own clause.

use super::{Cause, Lexicon, Reading};

/// Whether a word is written in kana or Chinese characters.
pub(super) fn is_written_in(word: &str) -> bool {
    word.chars()
        .any(|letter| matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'))
}

/// Each mention of a cause. Of two that overlap the longer counts.
pub(super) fn read(text: &str, lexicon: &Lexicon) -> Vec<(Cause, Reading)> {
    let mut readings = Vec::new();
    for sentence in text.split_inclusive(['。', '！', '!', '？', '?', '\n', '.', ';']) {
        read_sentence(sentence, lexicon, &mut readings);
    }
    readings
}

fn read_sentence(sentence: &str, lexicon: &Lexicon, readings: &mut Vec<(Cause, Reading)>) {
    let mut taken = 0;
    for (start, _) in sentence.char_indices() {
        if start < taken {
            continue;
        }
        let (before, here) = sentence.split_at(start);
        let Some((piece, cause)) = lexicon
            .pieces
            .iter()
            .find(|(piece, _)| here.starts_with(piece.as_str()))
        else {
            continue;
        };
        taken = start.saturating_add(piece.len());
        let after = here.get(piece.len()..).unwrap_or_default();
        readings.push((*cause, reading(before, piece, after, lexicon)));
    }
}

fn reading(before: &str, piece: &str, after: &str, lexicon: &Lexicon) -> Reading {
    let whole = |left: &str| before.ends_with(left);
    let other = OTHER.iter().any(|(word, left, right)| {
        piece.starts_with(word)
            && (left.iter().any(|left| whole(left))
                || right.iter().any(|right| after.starts_with(right)))
    });
    if other {
        return Reading::Other;
    }
    if BEFORE.iter().any(|word| before.ends_with(word)) {
        return Reading::Denied;
    }
    if DOUBT.iter().any(|word| after.contains(word))
        || HEDGES.iter().any(|word| before.contains(word))
    {
        return Reading::Unclear;
    }
    let clause = after
        .split(['、', ',', '。', '\n'])
        .next()
        .unwrap_or_default();
    match walk(after, lexicon) {
        Walk::Denied => Reading::Denied,
        Walk::DeniedInAList => Reading::Unclear,
        Walk::Ended(rest) => {
            // What follows a new statement says nothing about this one: "落としてから電源が入らない",
            // "濡れて起動しません".
            let joined = after
                .strip_suffix(rest)
                .is_some_and(|walked| walked.ends_with(['て', 'で']));
            let parted = NEW_STATEMENT.iter().any(|word| rest.starts_with(word))
                || (joined && !rest.starts_with(is_hiragana));
            let near: String = clause.chars().take(14).collect();
            if !parted && NEGATION.iter().any(|word| near.contains(word)) && !crosses(&near) {
                Reading::Unclear
            } else {
                Reading::Stated
            }
        }
    }
}

fn is_hiragana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{309f}')
}

enum Walk<'a> {
    /// Nothing but filler stood before a negation.
    Denied,
    /// The same, behind a comma: "落下、水濡れなし" denies both, or the second.
    DeniedInAList,
    /// What stood behind the filler.
    Ended(&'a str),
}

/// Walks over what may stand between a mention and its negation.
fn walk<'a>(after: &'a str, lexicon: &Lexicon) -> Walk<'a> {
    let mut rest = after;
    let mut over_comma = false;
    loop {
        if NEGATION.iter().any(|word| rest.starts_with(word)) || ends_with_none(rest) {
            return match over_comma {
                true => Walk::DeniedInAList,
                false => Walk::Denied,
            };
        }
        // A list: "落下、水濡れなし", "傷、割れ、いずれもなし".
        let behind_comma = rest.strip_prefix(['、', ',']).map(str::trim_start);
        if let Some(next) = behind_comma
            && (piece_at(next, lexicon).is_some() || ALL.iter().any(|word| next.starts_with(word)))
        {
            over_comma = true;
            rest = next;
        }
        if NEW_STATEMENT.iter().any(|word| rest.starts_with(word)) {
            return Walk::Ended(rest);
        }
        let filler = FILLER
            .iter()
            .find(|word| rest.starts_with(**word))
            .map(|word| word.len());
        // A list: "水没や落下はありません".
        match filler.or_else(|| piece_at(rest, lexicon)) {
            Some(length) => rest = rest.get(length..).unwrap_or_default(),
            None => return Walk::Ended(rest),
        }
    }
}

/// How long the mention is with which a text begins.
fn piece_at(text: &str, lexicon: &Lexicon) -> Option<usize> {
    let (piece, _) = lexicon
        .pieces
        .iter()
        .find(|(piece, _)| text.starts_with(piece.as_str()))?;
    Some(piece.len())
}

/// "水没：無" and "傷無": a single character that says no, and nothing behind it.
fn ends_with_none(rest: &str) -> bool {
    rest.strip_prefix('無')
        .is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
}

/// Whether a new statement begins before the negation.
fn crosses(near: &str) -> bool {
    let first = |words: &[&str]| words.iter().filter_map(|word| near.find(word)).min();
    match (first(NEW_STATEMENT), first(NEGATION)) {
        (Some(statement), Some(negation)) => statement < negation,
        _ => false,
    }
}

const NEGATION: &[&str] = &[
    "ない",
    "なく",
    "なし",
    "無し",
    "無い",
    "無く",
    "ません",
    "ませんで",
    "ずに",
    "ずで",
    "なかった",
    "無かった",
    "非該当",
    "ナシ",
    "皆無",
    "ゼロ",
    "いいえ",
];

/// What denies a mention from before it: "無傷", "未落下", "ノーキズ".
const BEFORE: &[&str] = &["無", "未", "ノー"];

/// What takes a list up again before it is denied: "傷、割れ、いずれもなし".
const ALL: &[&str] = &["いずれも", "どちらも", "どれも", "すべて", "全て", "ともに"];

/// The longer before the shorter.
const FILLER: &[&str] = &[
    "ありおり",
    "いずれも",
    "どちらも",
    "どれも",
    "すべて",
    "全て",
    "ともに",
    ":",
    "による",
    "見受けられ",
    "認められ",
    "確認され",
    "確認でき",
    "見当たり",
    "見当たら",
    "見られ",
    "ござい",
    "されて",
    "させて",
    "してい",
    "形跡",
    "痕跡",
    "損傷",
    "ダメージ",
    "故障",
    "破損",
    "など",
    "一切",
    "全く",
    "まったく",
    "特に",
    "こと",
    "わけ",
    "訳",
    "では",
    "じゃ",
    "には",
    "とか",
    "した",
    "して",
    "され",
    "させ",
    "跡",
    "痕",
    "等",
    "や",
    "・",
    "し",
    "れ",
    "て",
    "で",
    "た",
    "い",
    "は",
    "も",
    "が",
    "の",
    "に",
    "と",
    "あり",
    "あら",
    "おり",
    "を",
    "せ",
    "さ",
    "つけ",
    "付け",
];

/// What begins a new statement.
const NEW_STATEMENT: &[&str] = &[
    "てから",
    "たあと",
    "た後",
    "後",
    "あと",
    "ので",
    "のため",
    "ため",
    "たら",
    "たところ",
    "ところ",
    "て以来",
    "以来",
    "てしま",
    "たが",
    "けど",
    "、",
];

const DOUBT: &[&str] = &[
    "かもしれ",
    "かも",
    "可能性",
    "恐れ",
    "おそれ",
    "かどうか",
    "か不明",
    "不明",
    "か分から",
    "かわから",
    "か分かり",
    "かわかり",
    "と思",
    "ようです",
    "ようだ",
    "ような",
    "ように",
    "らしい",
    "みたい",
    "疑い",
    "でしょう",
    "だろう",
    "場合",
    "ですか",
    "ますか",
    "ましたか",
    "?",
    "？",
    "そうにな",
];

const HEDGES: &[&str] = &[
    "もし",
    "たぶん",
    "多分",
    "おそらく",
    "恐らく",
    "ひょっとして",
    "もしか",
    "別の",
    "前の端末",
    "以前の端末",
    "他の",
];

/// A beginning of a word; what before it and what behind it gives it another meaning.
const OTHER: &[(&str, &[&str], &[&str])] = &[
    (
        "落と",
        &[
            "電源を",
            "電源",
            "音量を",
            "明るさを",
            "輝度を",
            "速度を",
            "画質を",
            "接続を",
            "通信を",
            "サーバーを",
            "サーバを",
            "見",
            "書き",
            "引き",
            "切り",
            "聞き",
            "読み",
            "アプリを",
            "システムを",
            "音を",
        ],
        &[],
    ),
    ("落下", &["電圧"], &[]),
    ("衝撃", &["耐"], &["的", "試験"]),
    (
        "割れ",
        &["音", "音声が", "音が", "文字が", "文字", "役"],
        &[],
    ),
    ("割っ", &["を", "分"], &["て計算"]),
    // "できず", "起きず": the verb in its negative form.
    ("きず", &["で", "起", "届", "尽", "飽", "生", "気づ"], &[]),
    ("ひび", &[], &["き", "く"]),
    (
        "投げ",
        &["エラーを", "例外を", "問い合わせを", "質問を"],
        &[],
    ),
    ("雨", &["梅", "耐"], &["天モード"]),
    ("傷", &["耐", "感"], &[]),
    ("水", &["防", "耐", "撥"], &[]),
    ("液体", &[], &["クリスタル"]),
    ("浸水", &["防"], &[]),
    ("塗装", &[], &["工場", "業"]),
    ("叩き", &["キーを"], &[]),
];
