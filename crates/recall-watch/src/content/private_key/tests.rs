use super::*;

/// Base64 that is not a key.
const BODY: &str = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";

#[test]
fn a_key_is_found_in_every_notation() {
    for text in [
        format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END PRIVATE KEY-----\n"),
        format!("-----BEGIN RSA PRIVATE KEY-----\r\n{BODY}\r\n-----END RSA PRIVATE KEY-----"),
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}"),
        format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{BODY}\n"),
        format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCD\n\n{BODY}\n"),
        format!("const KEY: &str = \"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n-----END PRIVATE KEY-----\";"),
        format!("key: |\n  -----BEGIN EC PRIVATE KEY-----\n  {}\n  {}\n", &BODY[..32], &BODY[32..]),
        format!("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 8\n{BODY}\n"),
    ] {
        assert!(contains_key(&text), "{text}");
        assert!(contains_key(&format!("{}{text}", "words ".repeat(1000))), "after other text: {text}");
    }
}

#[test]
fn text_about_keys_is_not_a_key() {
    for text in [
        "",
        "if line.starts_with(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Secret); }",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----",
        "Files that begin with `-----BEGIN PRIVATE KEY-----` are never indexed, whatever their names are, because nobody \
         wants to find them in an answer to a question about something else entirely.",
        &format!("-----BEGIN PUBLIC KEY-----\n{BODY}\n-----END PUBLIC KEY-----"),
        &format!("-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----"),
        &format!(
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n{}sha256 {BODY}",
            "and more words ".repeat(50)
        ),
    ] {
        assert!(!contains_key(text), "{text}");
    }
}
