//! The systemd units of the daemon.
//!
//! The texts are the files in `systemd/`, which can be installed by hand as well.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::service::sealed_file::{Comment, SealedFile};
use crate::service::{ServiceInput, ServicePlan, StopTime, words};

const SERVICE: &str = include_str!("../../../systemd/recalld.service");
const SOCKET: &str = include_str!("../../../systemd/recalld.socket");

/// The line of the template that is replaced.
const TEMPLATE_START: &str = "ExecStart=%h/.cargo/bin/recalld --foreground\n";

/// What precedes a program whose path systemd does not accept as the name of a program.
const VIA_ENV: &str = "/usr/bin/env ";

/// The end of the line that starts the daemon.
const ARGUMENTS: &str = " --foreground";

/// Returns the plan of the service.
pub(crate) fn plan(input: ServiceInput<'_>) -> ServicePlan {
    let file = |name: &str, text: &str| SealedFile::new(input.folder.join(name), text, Comment::Hash);
    ServicePlan {
        files: vec![file("recalld.service", &service(input)), file("recalld.socket", SOCKET)],
        folders: Vec::new(),
        enable: vec![words("systemctl --user daemon-reload"), words("systemctl --user enable --now recalld.socket")],
        disable: vec![words("systemctl --user disable --now recalld.socket recalld.service")],
        reload: vec![words("systemctl --user daemon-reload")],
        is_enabled: words("systemctl --user --quiet is-enabled recalld.socket"),
        is_active: words("systemctl --user --quiet is-active recalld.socket"),
        stop: StopTime::AfterEnable,
    }
}

/// Returns the program that a unit starts; `None` if the unit is not of this module.
pub(crate) fn program(service: &str) -> Option<PathBuf> {
    let line = service.lines().find_map(|line| line.strip_prefix("ExecStart=:"))?;
    let quoted = line.strip_suffix(ARGUMENTS)?;
    unquote(quoted.strip_prefix(VIA_ENV).unwrap_or(quoted)).map(PathBuf::from)
}

fn service(input: ServiceInput<'_>) -> String {
    let program = input.program.as_os_str();
    let is_plain = program.to_str().is_some_and(|path| !path.contains(|c: char| "\"'\\".contains(c) || c.is_control()));
    let via = if is_plain { "" } else { VIA_ENV };
    // The colon keeps systemd from replacing `$NAME`.
    let mut start = format!("ExecStart=:{via}{}{ARGUMENTS}\n", quote(program));
    if !input.variables.is_empty() {
        start += "# Clients with these variables use the data of this daemon.\n";
    }
    for (name, value) in input.variables {
        let assignment = [OsStr::new(name), OsStr::new("="), value.as_os_str()].into_iter().collect::<OsString>();
        let _ = writeln!(start, "Environment={}", quote(&assignment));
    }
    SERVICE.replace(TEMPLATE_START, &start)
}

/// Quotes a word for a unit: C-style escapes, and `%%` for a percent sign, which introduces a specifier.
fn quote(word: &OsStr) -> String {
    let mut quoted = "\"".to_owned();
    for chunk in word.as_encoded_bytes().utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '%' => quoted += "%%",
                '"' | '\\' => quoted.extend(['\\', char]),
                _ if char.is_ascii_control() => {
                    let _ = write!(quoted, "\\x{:02x}", u32::from(char));
                }
                _ => quoted.push(char),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted + "\""
}

/// Returns the word that [`quote`] quoted.
fn unquote(quoted: &str) -> Option<OsString> {
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let mut bytes = Vec::new();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                (u8::from_str_radix(std::str::from_utf8(&[*high, *low]).ok()?, 16).ok()?, after)
            }
            (b'\\', [escaped, after @ ..]) => (*escaped, after),
            (b'%', [b'%', after @ ..]) => (b'%', after),
            (b'\\' | b'%', _) => return None,
            (byte, after) => (byte, after),
        };
        bytes.push(byte);
        rest = after;
    }
    from_bytes(bytes)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other platforms have no paths of bytes")]
fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    use super::*;

    fn check(path: &[u8], expected: &str) {
        let path = Path::new(OsStr::from_bytes(path));
        let variables = [("XDG_DATA_HOME".to_owned(), OsString::from("/a 100%"))];
        let input =
            ServiceInput { program: path, variables: &variables, folder: Path::new("/u"), user: 7, socket: None };
        let text = service(input);
        assert!(text.contains(&format!("\nExecStart=:{expected} --foreground\n")), "{text}");
        assert!(text.contains("\nEnvironment=\"XDG_DATA_HOME=/a 100%%\"\n"), "{text}");
        assert!(!text.contains(TEMPLATE_START), "{text}");
        assert_eq!(program(&text).as_deref(), Some(path));
    }

    #[test]
    fn paths_are_quoted_as_systemd_reads_them() {
        check(b"/usr/bin/recalld", r#""/usr/bin/recalld""#);
        check(b"/a b/100%h/$HOME/recalld", r#""/a b/100%%h/$HOME/recalld""#);
        check("/über/recalld".as_bytes(), r#""/über/recalld""#);
        check(br#"/a"b'c\d/recalld"#, r#"/usr/bin/env "/a\"b'c\\d/recalld""#);
        check(b"/x\xff\n/recalld", r#"/usr/bin/env "/x\xff\x0a/recalld""#);
    }

    #[test]
    fn a_unit_of_another_origin_names_no_program() {
        assert_eq!(program(SERVICE), None);
    }
}
