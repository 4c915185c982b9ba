//! The pieces of text with which Japanese denies, doubts, and means something else, between
//! blanks.

/// What denies a mention from behind it.
pub(super) const NEGATION: &str = "ない なく なし 無し 無い 無く ません ませんで ずに ずで なかった 無かった 非該当 ナシ \
     皆無 ゼロ いいえ";

/// Behind a denial: it is denied in turn, or not vouched for.
pub(super) const DENIED_AGAIN: &str = "とは わけ 訳 という と言 と断 と限 とも限 とも言 ことはな こともな ことはあり こともあり \
     はず では じゃ に等し に近 と聞";

/// Before a denial, in its clause: it denies a degree or a number only.
pub(super) const DEGREE: &str = "しか あまり ほとんど 殆ど ほぼ そんなに それほど さほど 大して たいして 完全 強く ひどく \
     激しく 深く 大きな 大きく 目立 酷い ひどい 重大な 最近 今日は 今日も たぶん 今回は";

/// What denies a mention from before it: "無傷", "未落下", "ノーキズ".
pub(super) const BEFORE: &str = "無 未 ノー 非 ノン";

/// What takes a list up again before it is denied: "傷、割れ、いずれもなし".
pub(super) const ALL: &str = "いずれも どちらも どれも すべて 全て ともに 一切 何も";

/// Behind the last of a list: both of them, or all.
pub(super) const BOTH: &str = "ともに 共に いずれも どちらも どれも";

/// What makes a denial one of all that was listed before it: "傷、凹み、割れはありません".
pub(super) const TOPIC: &str = "ともに 共に は も 一切 など 等 いずれも どれも 全て すべて";

/// What may stand between a mention and its denial, the longer before the shorter.
pub(super) const FILLER: &str = "見受けられ されたこと ありおり いずれも どちらも 認められ 確認され 確認でき 見当たり \
     見当たら ダメージ まったく これまで かかった かかって どれも すべて ともに による 見られ \
     ござい されて させて してい ひとつ なんて らしき したり れたり 今まで かけた 全て 形跡 \
     痕跡 損傷 故障 破損 など 一切 こと では じゃ には とか した して され させ あり あら \
     おり つけ 付け 一つ 1つ 問題 与え 加え 一度 1度 一回 共に 異常 支障 の類 たり だり すら \
     等々 付着 付い 全く 特に わけ はず さえ : 跡 痕 等 や ・ し っ れ て で た い は も が \
     の に と を せ さ 歴 す 何 類 訳";

/// What begins a new statement.
pub(super) const NEW_STATEMENT: &str = "てから たあと た後 後 あと ので のため ため たら たところ ところ て以来 以来 てしま たが \
     けど 、";

/// Behind a mention, what leaves it open.
pub(super) const DOUBT: &str = "かもしれ かも 可能性 恐れ おそれ かどうか か不明 不明 か分から かわから か分かり \
     かわかり と思 ようです ようだ ような ように らしい みたい 疑い でしょう だろう 場合 \
     ですか ますか ましたか そうにな ? 有無 疑わ 心当たり 断言 わかりません 分かりません \
     気がし 気もし っぽい でしょうか だっけ らしく 模様 確認中 未確認 なかったか";

/// Before a mention, the same.
pub(super) const HEDGES: &str = "もし たぶん 多分 おそらく 恐らく ひょっとして もしか 別の 前の端末 以前の端末 他の 別件 \
     同僚の 知人の 友人の 万一 万が一 仮に";

/// Words that name what may be damaged, not damage.
pub(super) const NEUTRAL: &str = "外観 塗装";

/// What is said of something that is not damaged.
pub(super) const GOOD: &str = "良好 良い よい 良く きれい 綺麗 キレイ 美品 正常 完璧 新品";

/// What a unit is called.
pub(super) const UNITS: &str = "端末 本体 スマホ スマートフォン 携帯 電話 機器 製品 商品 それ これ ハンディ スキャナ \
     スキャナー プリンタ プリンター タブレット 機械 装置 デバイス ターミナル リーダー リーダ \
     画面 液晶 充電器 クレードル ケーブル 箱 荷物 物 もの 台 カメラ 時計 ノート パソコン pc \
     子機 親機 キオスク 実機 現物 品物 ガラス カバー 機 体";

/// Where a unit falls from, or onto.
pub(super) const PLACES: &str = "床 地面 階段 机 テーブル 棚 高所 高さ 屋根 脚立 はしご 梯子 コンクリート アスファルト \
     道路 路上 トイレ 便器 風呂 浴槽 プール 川 海 池 水たまり 手から 手元から ポケット カバン \
     鞄 車から トラック 荷台 バイク 自転車 ベッド 椅子 窓 ベランダ 玄関 駐車場 cm センチ \
     メートル";

/// What falls or is dropped and is no thing.
pub(super) const ABSTRACT: &str = "電源 音量 ボリューム 明るさ 輝度 速度 スピード 画質 音質 品質 接続 通信 回線 電波 信号 \
     サーバー サーバ アプリ システム ソフト ネット ネットワーク wifi wi-fi データ ファイル \
     写真 画像 動画 解像度 温度 湿度 電圧 電流 残量 性能 精度 感度 設定 レベル ランク 評価 \
     売上 売り上げ 成績 価格 値段 予算 コスト 人気 信用 信頼 トーン 照明 バックライト \
     ブレーカー 画素 フレームレート fps 周波数 出力 入力 圧力 効率 生産性 印字濃度 濃度 汚れ \
     単位 気分 テンション 視力 審査 試験 抽選 ログイン セッション 通話 着信 メール メッセージ \
     パケット ビットレート リフレッシュレート クロック 彩度 コントラスト 濃さ ブラウザ \
     ブラウザー プログラム サービス サイト ページ 画面共有 同期 リンク ペアリング \
     ブルートゥース bluetooth vpn 電池残量 の音 の声";

/// What turns people down.
pub(super) const REJECTS: &str = "ログインで 審査で 抽選で 面接で";

/// What falls, and stays where it is.
pub(super) const FALLING: &str = "落と 落し 落す 落ち おとした おとして";

/// A beginning of a word; what before it and what behind it gives it another meaning.
pub(super) const OTHER: &[(&str, &str, &str)] = &[
    (
        "落と",
        "見 書き 引き 切り 聞き 読み 取り 抜け 振る 篩",
        "し穴 しどころ し所 し込 しこ し前 し子 し蓋",
    ),
    ("落し", "見 書き 引き 切り 聞き 読み 取り", "穴 所 込 物"),
    (
        "落ち",
        "見 抜け 滑り 剥がれ 色 型 都",
        "着 込 葉 度 目 こぼれ",
    ),
    ("おとし", "見", ""),
    ("落下", "電圧", "傘 防止 試験 テスト 耐性 対策 保護"),
    ("衝撃", "耐", "的 試験 吸収 センサ テスト 耐性 保護 音"),
    (
        "割れ",
        "音 音声が 音が 文字が 文字 役 元本 予算 仲間 価格 声が 予想が",
        "物",
    ),
    (
        "割っ",
        "役 分 元本を 予算を 時間を 百分率を 下",
        "て計算 て入",
    ),
    ("きず", "で 起 届 尽 飽 生 気づ", "な く"),
    ("ひび", "", "き く け"),
    ("ヒビ", "", "キ"),
    (
        "投げ",
        "エラーを 例外を 問い合わせを 質問を 丸 身 パスを メッセージを リクエストを コマンドを \
     クエリを 賽を 会話を",
        "売 かけ 掛け 銭 やり 込 キッス",
    ),
    (
        "踏ん",
        "手順を ステップを 段階を 工程を 経験を 場数を 手続きを",
        "張 ば",
    ),
    ("踏まれ", "手順が", ""),
    (
        "雨",
        "梅 耐 春 五月 時 白",
        "天モード モード 宮 森 龍 笠 谷 雲レーダー 雲 具 合羽 傘 量 予報 期 センサ 樋 どい アプリ",
    ),
    (
        "傷",
        "耐 感 負 中 致命 殺 愁 ファイルの損 データの損 データ損 ファイル損 データが損 \
     ファイルが損",
        "害 心 病",
    ),
    ("キズ", "耐", "ナ"),
    ("水が入", "防", ""),
    ("液体", "", "クリスタル のり 窒素 クロマト"),
    ("浸水", "防", "防止 対策"),
    (
        "塗装",
        "",
        "工場 業 ブース 現場 会社 店 ライン 工程 ロボット",
    ),
    ("外観", "", "検査 デザイン 図"),
    ("叩き", "キーを キーボードを 値 ボタンを", "台 売"),
    (
        "欠け",
        "文字が 表示が 印字が データが 部品が 音が 説明が 情報が 文字 印字 一部の文字が 付属品が \
     機能が",
        "替",
    ),
    ("濡れ", "", "衣 性"),
    ("ぬれ", "", "ぎぬ"),
    ("こぼし", "愚痴を 弱音を 不満を", ""),
    ("こぼす", "愚痴を 弱音を 不満を", ""),
    ("こぼれ", "落ち 文字", "話 幸い"),
    ("倒れ", "サーバーが サーバが システムが 会社が 共", ""),
    ("へこみ", "気持ちが", ""),
    ("ぶつか", "制限に 上限に 問題に", "る問題"),
];

/// A beginning of a word, and what behind it leaves open whether the unit is meant.
pub(super) const OPEN: &[(&str, &str)] = &[
    ("濡れ", "た手 た指 た布 たタオル た床 たラベル た路面"),
    ("ぬれ", "た手 た指"),
    ("水没", "反応 シール センサ マーク インジケ リスク"),
    ("水濡れ", "反応 シール センサ マーク インジケ リスク"),
    ("浸水", "反応 シール センサ マーク"),
    ("雨", "の日 の時期 の季節 の多い"),
    ("割れ", "もの やす"),
    ("落と", "し物 しもの"),
    ("傷", "つきやす 付きやす が付きやす がつきやす"),
];
