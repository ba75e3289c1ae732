//! Generation of secrets from their formats, so that the repository contains none.

use oorandom::Rand32;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// A text with secrets, and the secrets.
pub(crate) struct Sample {
    pub(crate) text: String,
    pub(crate) secrets: Vec<String>,
}

/// Fills a form: `{an:36}` becomes 36 random letters and digits, and the text between `⟦` and `⟧` is a secret.
///
/// Alphabets: `an` letters and digits, `la` lower-case letters and digits, `ua` upper-case letters and digits, `b32`
/// base32, `hex`, `HEX`, `d` digits, `b64` base64, `url` URL-safe base64, `pw`, `ld` and `sp` password alphabets,
/// `salt` all printable characters. `lines:n` gives `n` lines of 64 base64 digits, and `uuid` gives a UUID.
pub(crate) fn filled(form: &str, random: &mut Rand32) -> Sample {
    let (text, _) = fill(form, random);
    let mut secrets = Vec::new();
    for part in text.split('⟦').skip(1) {
        secrets.push(part.split('⟧').next().expect("a first part").to_owned());
    }
    Sample { text: text.replace(['⟦', '⟧'], ""), secrets }
}

/// Returns the form with `x` in place of all random characters.
pub(crate) fn blanked(form: &str) -> String {
    let mut blank = String::new();
    for part in form.split('{') {
        match part.split_once('}') {
            Some((field, rest)) if is_field(field) => {
                let length = field.split_once(':').map_or(8, |(_, length)| length.parse().expect("a length"));
                blank.push_str(&"x".repeat(length));
                blank.push_str(rest);
            }
            _ => blank.push_str(part),
        }
    }
    blank.replace(['⟦', '⟧'], "")
}

fn is_field(field: &str) -> bool {
    field == "uuid" || field.split_once(':').is_some_and(|(_, length)| length.parse::<usize>().is_ok())
}

fn fill(form: &str, random: &mut Rand32) -> (String, usize) {
    let mut text = String::new();
    let mut fields = 0;
    for (nth, part) in form.split('{').enumerate() {
        match part.split_once('}') {
            Some((field, rest)) if is_field(field) => {
                fields += 1;
                text.push_str(&value(field, random));
                text.push_str(rest);
            }
            _ => {
                text.push_str(if nth == 0 { "" } else { "{" });
                text.push_str(part);
            }
        }
    }
    (text, fields)
}

fn value(field: &str, random: &mut Rand32) -> String {
    let Some((alphabet, length)) = field.split_once(':') else {
        return ["hex:8", "hex:4", "hex:4", "hex:4", "hex:12"].map(|field| value(field, random)).join("-");
    };
    let length: usize = length.parse().expect("a length");
    if alphabet == "lines" {
        return (0..length).map(|_| value("b64:64", random)).collect::<Vec<_>>().join("\n");
    }
    let alphabet = match alphabet {
        "an" => [UPPER, LOWER, DIGITS].concat(),
        "la" => [LOWER, DIGITS].concat(),
        "ua" => [UPPER, DIGITS].concat(),
        "b32" => [UPPER, "234567"].concat(),
        "hex" => [DIGITS, "abcdef"].concat(),
        "HEX" => [DIGITS, "ABCDEF"].concat(),
        "d" => "123456789".to_owned(),
        "b64" => [UPPER, LOWER, DIGITS, "+/"].concat(),
        "url" => [UPPER, LOWER, DIGITS, "-_"].concat(),
        // The characters of salt generators, except those that would end a quoted string.
        "ld" => [LOWER, DIGITS, DIGITS].concat(),
        "sp" => [UPPER, LOWER, DIGITS, DIGITS, "!%*+=~^_-?"].concat(),
        "salt" => [UPPER, LOWER, DIGITS, "!@#$%^&*()-_ []{}<>~+=,.;:/?|"].concat(),
        // The password contains each of the first four kinds, as many sites require.
        "pw" => {
            let kinds = [LOWER, UPPER, DIGITS, "!%*+=~"];
            let take = |at: usize, random: &mut Rand32| pick(kinds[at % 4], random);
            return (0..length).map(|at| take(at, random)).collect();
        }
        other => panic!("no alphabet {other}"),
    };
    (0..length).map(|_| pick(&alphabet, random)).collect()
}

fn pick(alphabet: &str, random: &mut Rand32) -> char {
    let at = random.rand_range(0..alphabet.len() as u32) as usize;
    char::from(alphabet.as_bytes()[at])
}
