//! Tokens of code hosts: GitHub, GitLab, Bitbucket and others.

use crate::rule::{RANDOM, Rule, SHORT, token};

const GITHUB: &str =
    "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/";
const GITLAB: &str = "https://docs.gitlab.com/security/tokens/";
const ATLASSIAN: &str = "https://support.atlassian.com/bitbucket-cloud/docs/using-app-passwords/";

pub(super) const RULES: &[Rule] = &[
    token(
        "github-token",
        "a GitHub token: personal, OAuth, app or refresh",
        &["ghp_", "gho_", "ghu_", "ghr_"],
        "gh[pour]_[0-9A-Za-z]{36,255}",
        RANDOM,
        GITHUB,
    ),
    token(
        "github-app-token",
        "a GitHub app installation token, opaque or with an embedded JWT",
        &["ghs_"],
        r"ghs_(?:[0-9A-Za-z]{36}|[0-9A-Za-z]+_[0-9A-Za-z_-]{20,}\.[0-9A-Za-z_.-]{40,})",
        RANDOM,
        GITHUB,
    ),
    token(
        "github-fine-grained-token",
        "a fine-grained GitHub personal access token",
        &["github_pat_"],
        "github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{50,90}",
        RANDOM,
        GITHUB,
    ),
    token(
        "gitlab-token",
        "a GitLab token: personal, project, deploy, feed, incoming mail or cluster agent",
        &["glpat-", "gldt-", "glft-", "glimt-", "glsoat-", "glagent-", "gloas-", "glffct-", "glrtr-", "glwt-"],
        "gl(?:pat|dt|ft|imt|soat|agent|oas|ffct|rtr|wt)-[0-9A-Za-z_-]{20,300}(?:\\.[0-9a-z]{2}\\.?[0-9a-z]{7,9})?",
        RANDOM,
        GITLAB,
    ),
    token(
        "gitlab-ci-token",
        "a GitLab job, trigger or runner token",
        &["glcbt-", "glptt-", "glrt-"],
        "gl(?:cbt-[0-9A-Za-z]{1,5}_[0-9A-Za-z_-]{20,}|ptt-[0-9a-f]{40}|rt-(?:t[0-9]_)?[0-9A-Za-z_-]{20,300}(?:\\.[0-9a-z.]{9,12})?)",
        RANDOM,
        GITLAB,
    ),
    token(
        "gitlab-runner-token",
        "a GitLab runner registration token",
        &["gr1348941"],
        "GR1348941[0-9A-Za-z_-]{20}",
        RANDOM,
        GITLAB,
    ),
    token(
        "bitbucket-app-password",
        "a Bitbucket app password",
        &["atbb"],
        "ATBB[0-9A-Za-z]{24}[0-9A-F]{8}",
        RANDOM,
        ATLASSIAN,
    ),
    token(
        "atlassian-token",
        "an Atlassian token: Jira, Confluence, Bitbucket",
        &["atatt3", "atctt3"],
        "AT[AC]TT3[0-9A-Za-z_=-]{40,255}",
        RANDOM,
        "https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/",
    ),
    token(
        "sourcegraph-token",
        "a Sourcegraph access token",
        &["sgp_"],
        "sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}",
        SHORT,
        "https://sourcegraph.com/docs/cli/how-tos/creating_an_access_token",
    ),
];
