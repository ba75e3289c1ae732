//! Are secrets masked, under their rule?

use std::collections::BTreeSet;

use oorandom::Rand32;
use recall_secrets::{Masker, Settings};

use crate::forms::{IN_CONTEXT, TOKENS};
use crate::samples::{Sample, blanked, filled};

/// How many secrets are made of each form.
const SEEDS: u64 = 8;

/// Where tokens stand; `{}` is the token.
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
fn of_all_shapes_98_percent_are_masked() {
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
fn every_shape_is_masked_but_for_rare_chances() {
    let masker = Masker::new(Settings::default()).unwrap();
    for (rule, form) in TOKENS.iter().chain(IN_CONTEXT) {
        let hidden = (0..50).filter(|&seed| is_masked(&masker, &filled(form, &mut Rand32::new(seed)), rule)).count();
        assert!(hidden >= 49, "{rule}, {form}: {hidden} of 50");
    }
}

#[test]
fn every_rule_has_a_shape() {
    let tested: BTreeSet<_> = TOKENS.iter().chain(IN_CONTEXT).map(|(rule, _)| *rule).collect();
    let missing: Vec<_> =
        Masker::rules().map(|rule| rule.id).filter(|id| !tested.contains(id) && !NOT_SHAPED.contains(id)).collect();
    assert_eq!(missing, [""; 0]);
}

/// Rules that differ from one that has a shape by the name alone.
const NOT_SHAPED: &[&str] = &["postmark-token", "snyk-token"];

#[test]
fn a_placeholder_of_the_right_shape_is_left() {
    let masker = Masker::new(Settings::default()).unwrap();
    for (rule, form) in TOKENS.iter().chain(IN_CONTEXT).filter(|(_, form)| form.contains(':')) {
        let text = blanked(form);
        if !form.contains('{') || form.contains("auth\"") {
            continue;
        }
        assert_eq!(masker.mask(&text), text, "{rule}");
    }
}

#[test]
fn a_token_that_is_cut_or_goes_on_is_none() {
    let masker = Masker::new(Settings::default()).unwrap();
    for (rule, form) in TOKENS.iter().filter(|(rule, _)| !OF_ANY_LENGTH.contains(rule)) {
        let Sample { text, secrets } = filled(form, &mut Rand32::new(7));
        let cut = text.replace(&secrets[0], &secrets[0][..secrets[0].len() * 2 / 5]);
        assert!(masker.find(&cut).iter().all(|finding| finding.rule != *rule), "{rule}: {cut}");
        let within = format!("x{text}");
        let starts = text.starts_with(&secrets[0]) && !within.contains("://");
        assert!(!starts || masker.find(&within).iter().all(|finding| finding.rule != *rule), "{rule}: {within}");
    }
}

/// What is long, and is the same when cut.
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
];

fn is_masked(masker: &Masker, sample: &Sample, rule: &str) -> bool {
    let left = masker.mask(&sample.text);
    let is_gone = |secret: &String| secret.lines().all(|line| !left.contains(line.trim().trim_end_matches("==")));
    left.contains(&format!("[secret: {rule}]")) && sample.secrets.iter().all(is_gone)
}
