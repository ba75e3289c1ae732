//! Secrets of all forms are masked under their rule.

use std::collections::BTreeSet;

use oorandom::Rand32;
use recall_secrets::{Masker, Settings};

use crate::forms::{IN_CONTEXT, TOKENS};
use crate::places::{FILES, PLACES};
use crate::samples::{Sample, blanked, filled};

/// The number of secrets generated from each form.
const SEEDS: u64 = 8;

/// Contexts of a token; `{}` is the token.
const CONTEXTS: &[&str] = &[
    "{}",
    "TOKEN={}\n",
    "  \"value\": \"{}\",",
    "const x = '{}';",
    "call it with `{}`, or not.",
    "log: got {}\\nand went on",
    "(\\n{})",
    "<a>{}</a>",
];

#[test]
fn nearly_all_samples_of_tokens_are_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    let (mut hidden, mut all, mut missed) = (0, 0, Vec::new());
    let of_tokens =
        TOKENS.iter().flat_map(|&(rule, form)| CONTEXTS.iter().map(move |context| (rule, context.replace("{}", form))));
    let forms = of_tokens.chain(IN_CONTEXT.iter().map(|&(rule, form)| (rule, form.to_owned())));
    for (nth, (rule, form)) in forms.enumerate() {
        for seed in 0..SEEDS {
            let sample = filled(&form, &mut Rand32::new(seed * 10_000 + nth as u64));
            all += 1;
            if is_masked(&masker, &sample, rule) {
                hidden += 1;
            } else {
                missed.push(format!("{rule}: {} → {}", sample.text, masker.mask(&sample.text)));
            }
        }
    }
    let forms: BTreeSet<_> = TOKENS.iter().chain(IN_CONTEXT).map(|(_, form)| form).collect();
    println!("{} shapes, {hidden} of {all} samples masked", forms.len());
    assert!(forms.len() >= 60);
    assert!(hidden * 1000 >= all * 998, "{hidden} of {all} masked; missed\n{}", missed.join("\n"));
}

#[test]
fn at_most_one_in_50_samples_of_a_token_is_missed() {
    let masker = Masker::new(Settings::default()).unwrap();
    for (rule, form) in TOKENS.iter().chain(IN_CONTEXT) {
        let hidden = (0..50).filter(|&seed| is_masked(&masker, &filled(form, &mut Rand32::new(seed)), rule)).count();
        assert!(hidden >= 49, "{rule}, {form}: {hidden} of 50");
    }
}

/// Seeds that were not used to develop the rules.
const UNSEEN_SEEDS: [u64; 2] = [0x5eed_0a11, 0x0dd5_eed5];

/// Surroundings of a sample in a text: nothing, a code block, other lines, Windows line breaks.
const AROUND: &[fn(&str) -> String] = &[
    str::to_owned,
    |text| format!("# Notes\n\n```sh\n{text}\n```\n"),
    |text| format!("before\n{text}\nafter\n"),
    |text| text.replace('\n', "\r\n"),
];

/// Further password alphabets besides that of the form.
const PASSWORDS: &[&str] = &["{pw:", "{an:", "{ld:", "{sp:"];

#[test]
fn at_least_98_percent_of_all_places_are_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    let (mut hidden, mut all, mut missed) = (0, 0, Vec::new());
    for seed in UNSEEN_SEEDS {
        for (nth, (rule, form)) in PLACES.iter().enumerate() {
            for alphabet in &PASSWORDS[..if form.contains("{pw:") { PASSWORDS.len() } else { 1 }] {
                for around in AROUND {
                    let form = around(&form.replace("{pw:", alphabet));
                    let sample = filled(&form, &mut Rand32::new(seed + nth as u64));
                    all += 1;
                    if is_hidden(&masker.mask(&sample.text), &sample) {
                        hidden += 1;
                    } else {
                        missed.push(format!("{rule}: {:?} → {:?}", sample.text, masker.mask(&sample.text)));
                    }
                }
            }
        }
    }
    println!("{} places, {hidden} of {all} samples masked", PLACES.len());
    assert!(PLACES.len() + TOKENS.len() + IN_CONTEXT.len() >= 300);
    assert!(hidden * 100 >= all * 98, "{hidden} of {all} masked; missed\n{}", missed.join("\n"));
}

#[test]
fn at_most_one_in_50_samples_of_a_place_is_missed() {
    let masker = Masker::new(Settings::default()).unwrap();
    let samples = |form: &str| (100..150).map(|seed| filled(form, &mut Rand32::new(seed))).collect::<Vec<_>>();
    let missed: Vec<String> = PLACES
        .iter()
        .filter_map(|(rule, form)| {
            let shown: Vec<_> =
                samples(form).into_iter().filter(|sample| !is_hidden(&masker.mask(&sample.text), sample)).collect();
            (shown.len() > 1).then(|| format!("{rule}: {} of 50, {}", shown.len(), masker.mask(&shown[0].text)))
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_secret_is_recognized_by_its_file_name() {
    let masker = Masker::new(Settings::default()).unwrap();
    for (rule, name, form) in FILES {
        for seed in UNSEEN_SEEDS {
            let sample = filled(form, &mut Rand32::new(seed));
            let left = masker.mask_part(name, &sample.text, 0..sample.text.len());
            assert!(left.contains(&format!("[secret: {rule}]")) && is_hidden(&left, &sample), "{name}: {left}");
            assert_eq!(masker.mask_part("notes.txt", &sample.text, 0..sample.text.len()), sample.text, "{name}");
        }
    }
}

#[test]
fn a_part_of_a_file_is_masked_like_the_whole() {
    let masker = Masker::new(Settings::default()).unwrap();
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  a: ⟦cTdWazJ4Um05VExw⟧\n";
    let key = "-----BEGIN RSA PRIVATE KEY-----\n⟦{b64:64}⟧\n⟦{b64:64}⟧\n⟦{b64:40}⟧\n-----END RSA PRIVATE KEY-----\n";
    for (name, form) in [("deploy/db.yaml", manifest), ("deploy/key.txt", key)] {
        let sample = filled(form, &mut Rand32::new(3));
        for secret in &sample.secrets {
            let start = sample.text.find(secret).unwrap();
            let part = start - 3.min(start)..start + secret.len();
            let alone = &sample.text[part.clone()];
            assert!(masker.mask(alone).contains(secret), "without the rest of the file the secret is not recognized");
            assert!(masker.depends_on_whole(name, alone), "{name}");
            assert!(!masker.mask_part(name, &sample.text, part).contains(secret), "{name}");
        }
    }
    assert!(!masker.depends_on_whole("src/lib.rs", "fn main() {\n    println!(\"a line as any\");\n}\n"));
}

#[test]
fn a_masked_path_keeps_its_extension() {
    let masker = Masker::new(Settings::default()).unwrap();
    for (rule, form) in
        TOKENS.iter().filter(|(_, form)| form.starts_with('⟦') && !form.contains("b64") && !form.contains('/'))
    {
        for name in ["{}.txt", "backup_{}.tar.gz", "old-{}-copy.md", "{}"] {
            let sample = filled(&format!("notes/{}/a.md", name.replace("{}", form)), &mut Rand32::new(5));
            let left = masker.mask_path(&sample.text);
            assert!(is_hidden(&left, &sample), "{rule}: {left}");
            assert!(left.starts_with("notes/") && left.ends_with("/a.md"), "{left}");
        }
    }
    // A title is masked like a path, and may end with a point.
    for plain in [
        "src/shape/token.rs",
        "docs/adr/0010-secrets.md",
        "a/b.c/d-e_f",
        "password.txt",
        "secrets/prod.yaml",
        "Node 20 is required.",
        "v1./2./c.",
        "Port 8080...",
    ] {
        assert_eq!(masker.mask_path(plain), plain);
    }
}

fn is_hidden(left: &str, sample: &Sample) -> bool {
    let is_gone = |secret: &String| secret.lines().all(|line| !left.contains(line.trim().trim_end_matches("==")));
    left.contains("[secret: ") && sample.secrets.iter().all(is_gone)
}

#[test]
fn every_rule_has_a_sample() {
    let of_files = FILES.iter().map(|(rule, _, _)| *rule);
    let tested: BTreeSet<_> =
        TOKENS.iter().chain(IN_CONTEXT).chain(PLACES).map(|(rule, _)| *rule).chain(of_files).collect();
    let missing: Vec<_> =
        Masker::rules().map(|rule| rule.id).filter(|id| !tested.contains(id) && !NOT_SHAPED.contains(id)).collect();
    assert_eq!(missing, [""; 0]);
}

/// Rules that differ from a sampled rule only in the name.
const NOT_SHAPED: &[&str] = &["postmark-token", "snyk-token"];

#[test]
fn a_placeholder_of_the_right_format_is_not_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    // A form with a literal secret has no random part.
    let is_blank = |form: &&str| form.contains('{') && !form.contains("⟦Z");
    let forms: Vec<&str> =
        TOKENS.iter().chain(IN_CONTEXT).chain(PLACES).map(|(_, form)| *form).filter(is_blank).collect();
    let all = TOKENS.len() + IN_CONTEXT.len() + PLACES.len();
    assert!(forms.len() + MOST_WRITTEN_OUT >= all, "{} of {all} forms are blanked", forms.len());
    for form in forms {
        let text = blanked(form);
        assert_eq!(masker.mask(&text), text, "{form}");
    }
}

/// The number of forms without a random part.
const MOST_WRITTEN_OUT: usize = 8;

#[test]
fn a_truncated_or_embedded_token_is_not_found() {
    let masker = Masker::new(Settings::default()).unwrap();
    let forms: Vec<_> = TOKENS.iter().filter(|(rule, _)| !OF_ANY_LENGTH.contains(rule)).collect();
    let mut embedded = 0;
    for (rule, form) in &forms {
        let Sample { text, secrets } = filled(form, &mut Rand32::new(7));
        let cut = text.replace(&secrets[0], &secrets[0][..secrets[0].len() * 2 / 5]);
        assert!(masker.find(&cut).iter().all(|finding| finding.rule != *rule), "{rule}: {cut}");
        let within = format!("x{text}");
        let is_whole = text.starts_with(&secrets[0]) && !within.contains("://");
        embedded += usize::from(is_whole);
        assert!(!is_whole || masker.find(&within).iter().all(|finding| finding.rule != *rule), "{rule}: {within}");
    }
    assert!(forms.len() >= 90 && embedded >= 80, "{} forms truncated, {embedded} embedded", forms.len());
}

/// Tokens of variable length, which stay valid if truncated.
const OF_ANY_LENGTH: &[&str] = &[
    "google-oauth-token",
    "pypi-token",
    "openai-key",
    "anthropic-key",
    "atlassian-token",
    "stripe-key",
    "slack-token",
    "jwt",
    "vault-token",
    "1password-token",
    "gitlab-token",
    "gitlab-ci-token",
    "github-token",
    "grafana-token",
    "buildkite-token",
    "facebook-token",
    "flutterwave-key",
    "webhook-secret",
    "wandb-key",
    "sentry-token",
    "planetscale-token",
    "tailscale-key",
    "heroku-key",
    "azure-devops-token",
    "aws-session-token",
    "yandex-key",
    "adyen-key",
    "dropbox-token",
    "sk-key",
    "pubnub-key",
    "notion-token",
];

fn is_masked(masker: &Masker, sample: &Sample, rule: &str) -> bool {
    let left = masker.mask(&sample.text);
    let is_gone = |secret: &String| secret.lines().all(|line| !left.contains(line.trim().trim_end_matches("==")));
    left.contains(&format!("[secret: {rule}]")) && sample.secrets.iter().all(is_gone)
}
