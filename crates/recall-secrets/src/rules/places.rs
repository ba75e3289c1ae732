//! Secrets recognized by their position: an argument of a command, a field of a line, an entry of a manifest.

use crate::rule::{RANDOM, Rule, SHORT, Shape, token};
use crate::shape::COMMANDS;

pub(super) const RULES: &[Rule] = &[
    token(
        "masked-value",
        "a value that a GitHub workflow masks",
        &["::add-mask::"],
        "::add-mask::([!#-&(-_a-z{-~]{6,512})",
        2.0,
        "https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions",
    ),
    token(
        "signify-key",
        "a signify or minisign secret key",
        &["rwrty0iy"],
        "RWRTY0Iy[0-9A-Za-z+/]{60,240}={0,2}",
        RANDOM,
        "https://man.openbsd.org/signify",
    ),
    token(
        "signed-url",
        "the signature of a presigned URL",
        &["x-amz-signature=", "x-goog-signature=", "&signature=", "x-amz-security-token="],
        "(?i:x-amz-signature|x-goog-signature|&signature|x-amz-security-token)=([0-9A-Za-z%+/=_.-]{32,})",
        SHORT,
        "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html",
    ),
    rule("command-password", "a password among the arguments of a command", COMMANDS, Shape::Command),
    rule(
        "piped-password",
        "a password piped into a command",
        &[
            "chpasswd",
            "sudo -s",
            "--password-stdin",
            "passwd --stdin",
            "kinit",
            "--with-token",
            "cryptsetup",
            "vncpasswd",
        ],
        Shape::Piped,
    ),
    rule(
        "call-password",
        "a password among the arguments of a function",
        &[
            "auth=(",
            "auth = (",
            "basicauth(",
            "basic_auth(",
            "networkcredential(",
            "getconnection(",
            "mysqli(",
            "mysql_connect(",
            "mysqli_connect(",
            "pg_connect(",
            ".login(",
            "ldap_bind(",
            "securestring \"",
            "securestring '",
            "send '",
            "new pdo(",
            "identified by ",
            "send \"",
        ],
        Shape::Call,
    ),
    rule(
        "data-source-password",
        "the password in a Go or Oracle data source name",
        &["@tcp(", "@unix(", "@tcp6(", "oracle:thin:", "oracle:oci:"],
        Shape::DataSource,
    ),
    rule("pgpass-password", "the password in a line of .pgpass", &[":5432:", ":5433:", ":6432:", ":*:"], Shape::PgPass),
    rule(
        "password-hash",
        "a password hash with its user, as in shadow and .htpasswd",
        &[
            ":$6$", ":$5$", ":$1$", ":$y$", ":$apr1$", ":$2y$", ":$2a$", ":$2b$", ":$7$", ":$argon2", ":{sha}",
            ":{ssha}",
        ],
        Shape::PasswordHash,
    ),
    rule("cookie", "the value of a session cookie", &["cookie:", "cookie\"", "cookie'", "--cookie "], Shape::Cookies),
    rule("web-key", "the private part of a JSON Web Key", &["\"kty\""], Shape::WebKey),
    rule(
        "kubernetes-secret",
        "a value of a Kubernetes Secret",
        &["kind: secret", "kind: \"secret\"", "\"kind\": \"secret\"", "\"kind\":\"secret\""],
        Shape::Kubernetes,
    ),
    // Found only by the name of a file.
    rule("secret-file", "the content of a file whose name announces a secret", &[], Shape::File),
];

const fn rule(id: &'static str, what: &'static str, keywords: &'static [&'static str], shape: Shape) -> Rule {
    Rule { id, what, documented: "", keywords, shape }
}
