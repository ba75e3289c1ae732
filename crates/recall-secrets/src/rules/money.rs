//! Keys of shops and payment providers.

use crate::rule::{RANDOM, Rule, SHORT, token};

pub(super) const RULES: &[Rule] = &[
    token(
        "stripe-key",
        "a Stripe key, secret or restricted",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "sk_org_"],
        "[sr]k_(?:live|test|prod|org_live|org_test)_[0-9A-Za-z]{16,247}",
        RANDOM,
        "https://docs.stripe.com/keys",
    ),
    token(
        "webhook-secret",
        "the signing secret of a webhook: Stripe, Svix and others",
        &["whsec_"],
        "whsec_[0-9A-Za-z+/=]{24,88}",
        RANDOM,
        "https://docs.stripe.com/webhooks",
    ),
    token(
        "shopify-token",
        "a Shopify app token or secret",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"],
        "shp(?:at|ca|pa|ss|ua)_[0-9A-Fa-f]{32}",
        SHORT,
        "https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens",
    ),
    token(
        "square-token",
        "a Square access token",
        &["eaaa", "sq0atp-"],
        "(?:EAAA[0-9A-Za-z_-]{58,64}|sq0atp-[0-9A-Za-z_-]{22})",
        RANDOM,
        "https://developer.squareup.com/docs/build-basics/access-tokens",
    ),
    token(
        "square-secret",
        "the OAuth secret of a Square app",
        &["sq0csp-"],
        "sq0csp-[0-9A-Za-z_-]{43}",
        RANDOM,
        "https://developer.squareup.com/docs/oauth-api/overview",
    ),
    token(
        "paypal-braintree-token",
        "a PayPal Braintree access token",
        &["access_token$"],
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
        RANDOM,
        "https://developer.paypal.com/braintree/docs/guides/authorization/overview",
    ),
    token(
        "shippo-token",
        "a Shippo token",
        &["shippo_"],
        "shippo_(?:live|test)_[0-9a-f]{40}",
        SHORT,
        "https://docs.goshippo.com/docs/guides_general/authentication/",
    ),
    token(
        "easypost-key",
        "an EasyPost key",
        &["ezak", "eztk"],
        "EZ[AT]K[0-9A-Za-z]{54}",
        RANDOM,
        "https://docs.easypost.com/docs/authentication",
    ),
    token(
        "flutterwave-key",
        "a Flutterwave secret key",
        &["flwseck"],
        "FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,40}(?:-X)?",
        SHORT,
        "https://developer.flutterwave.com/v3.0.0/docs/authentication",
    ),
];
