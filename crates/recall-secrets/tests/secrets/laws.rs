//! Properties of masking for any text.

use std::fmt::Write as _;

use oorandom::Rand32;
use proptest::prelude::*;
use recall_secrets::{Masker, Settings, SettingsError};

use crate::forms::{IN_CONTEXT, TOKENS};
use crate::samples::filled;

/// Generates texts with complete and partial secrets, masks and markers next to each other and to other text.
fn texts() -> impl Strategy<Value = String> {
    let forms = TOKENS.len() + IN_CONTEXT.len();
    let secret = (0..forms, any::<u64>()).prop_map(|(nth, seed)| {
        let (_, form) = TOKENS.iter().chain(IN_CONTEXT).nth(nth).expect("below the number");
        filled(form, &mut Rand32::new(seed)).text
    });
    let part = prop_oneof![
        4 => secret,
        3 => "[ -~]{0,24}",
        2 => "\\PC{0,12}",
        1 => any::<String>(),
        3 => prop::sample::select(vec![
            "password = \"", "token: ", "://", "@", "Authorization: Bearer ", "[secret: key]", "[secret: ", "\"", "'", "\n",
            "\r\n", "-----BEGIN PRIVATE KEY-----", "-----END", "\\n", "ü", "\u{1f512}", "eyJ", "=", "secret_", "--api-key ",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec((part, any::<prop::sample::Index>()), 0..12).prop_map(|parts| {
        parts.into_iter().fold(String::new(), |mut text, (part, cut)| {
            // One in four is cut at a random position.
            let end = if cut.index(4) == 0 { part.floor_char_boundary(cut.index(part.len() + 1)) } else { part.len() };
            text.push_str(&part[..end]);
            text
        })
    })
}

proptest! {
    #[test]
    fn masking_holds_its_laws(text in texts()) {
        let masker = Masker::new(Settings::default()).unwrap();
        let mut end = 0;
        for (nth, finding) in masker.find(&text).iter().enumerate() {
            prop_assert!(nth == 0 || finding.span.start >= end, "findings are ordered and disjoint");
            prop_assert!(!finding.span.is_empty());
            end = finding.span.end;
            prop_assert!(text.is_char_boundary(finding.span.start) && text.is_char_boundary(end));
        }
        let left = masker.mask(&text);
        prop_assert_eq!(masker.mask(&left), left.as_ref(), "masking is idempotent");
        let breaks = |text: &str| text.chars().filter(|c| matches!(c, '\n' | '\r')).collect::<String>();
        prop_assert_eq!(breaks(&left), breaks(&text), "line numbers do not change");
        prop_assert_eq!(end == 0, left == text.as_str(), "only findings are masked");
    }
}

#[test]
fn a_mask_reveals_nothing_of_its_secret() {
    let masker = Masker::new(Settings::default()).unwrap();
    for length in [36, 76, 200] {
        let token = filled(&format!("ghp_{{an:{length}}}"), &mut Rand32::new(length)).text;
        assert_eq!(masker.mask(&format!("a {token} b")), "a [secret: github-token] b");
    }
}

#[test]
fn a_masked_multi_line_key_keeps_its_line_breaks() {
    let masker = Masker::new(Settings::default()).unwrap();
    let text =
        filled("a\n-----BEGIN PRIVATE KEY-----\n{lines:3}\n-----END PRIVATE KEY-----\nb", &mut Rand32::new(1)).text;
    let expected = "a\n-----BEGIN PRIVATE KEY-----\n[secret: private-key]\n\n\n-----END PRIVATE KEY-----\nb";
    assert_eq!(masker.mask(&text), expected);
}

#[test]
fn a_format_takes_precedence_over_a_name() {
    let masker = Masker::new(Settings::default()).unwrap();
    let text = filled("password = \"ghp_{an:36}\" # https://u:ghp_{an:36}@x.io", &mut Rand32::new(1)).text;
    let rules: Vec<_> = masker.find(&text).iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["github-token", "github-token"]);
}

#[test]
fn settings_turn_off_rules_and_allow_values() {
    let token = filled("npm_{an:36}", &mut Rand32::new(1)).text;
    let without = Masker::new(Settings { without: vec!["npm-token".to_owned()], ..Settings::default() }).unwrap();
    assert_eq!(without.find(&token), []);
    let allowed = Masker::new(Settings { allowed: vec![token.clone()], ..Settings::default() }).unwrap();
    assert_eq!(allowed.find(&token), []);
    let error = Masker::new(Settings { without: vec!["npm".to_owned()], ..Settings::default() }).err();
    assert_eq!(error, Some(SettingsError::UnknownRule { id: "npm".to_owned() }));
}

#[test]
fn any_bytes_can_be_searched() {
    let masker = Masker::new(Settings::default()).unwrap();
    let mut random = Rand32::new(3);
    let bytes: Vec<u8> = (0..1_000_000).map(|_| random.rand_u32() as u8).collect();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    for (_, form) in TOKENS.iter().chain(IN_CONTEXT) {
        let _ = write!(text, "{}", filled(form, &mut random).text);
    }
    let left = masker.mask(&text);
    assert!(masker.find(&left).is_empty());
}
