//! Tokens of planning, writing and design tools.

use crate::rule::{RANDOM, Rule, SHORT, token};

pub(super) const RULES: &[Rule] = &[
    token(
        "linear-token",
        "a Linear key or OAuth token",
        &["lin_api_", "lin_oauth_"],
        "lin_(?:api|oauth)_[0-9A-Za-z]{40,64}",
        RANDOM,
        "https://linear.app/developers/graphql",
    ),
    token(
        "notion-token",
        "a Notion integration token",
        &["ntn_", "secret_"],
        "(?:ntn_[0-9A-Za-z]{40,60}|secret_[0-9A-Za-z]{43})",
        RANDOM,
        "https://developers.notion.com/docs/authorization",
    ),
    token(
        "figma-token",
        "a Figma token: personal, OAuth or refresh",
        &["figd_", "figo_", "figor_"],
        "fig(?:d|o|or)_[0-9A-Za-z_-]{36,60}",
        RANDOM,
        "https://developers.figma.com/docs/rest-api/authentication/",
    ),
    token(
        "postman-key",
        "a Postman key",
        &["pmak-"],
        "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
        SHORT,
        "https://learning.postman.com/docs/developer/postman-api/authentication/",
    ),
    token(
        "typeform-token",
        "a Typeform token",
        &["tfp_"],
        r"tfp_[0-9A-Za-z_.-]{40,60}",
        RANDOM,
        "https://www.typeform.com/developers/get-started/personal-access-token/",
    ),
    token(
        "readme-key",
        "a ReadMe key",
        &["rdme_"],
        "rdme_[0-9a-z]{70}",
        RANDOM,
        "https://docs.readme.com/main/reference/intro/authentication",
    ),
    token(
        "adobe-client-secret",
        "the client secret of an Adobe app",
        &["p8e-"],
        "p8e-[0-9A-Za-z_-]{32}",
        RANDOM,
        "https://developer.adobe.com/developer-console/docs/guides/authentication/",
    ),
];
