//! The scheduled task that starts the daemon at logon on Windows.
//!
//! The task runs `recall daemon start`, which starts the daemon without a console and ends. A task that ran the daemon itself would
//! keep a console window open.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::service::sealed_file::{Comment, SealedFile};
use crate::service::{PlanError, ServiceInput, ServicePlan, StopTime};

/// The name of the task, in a folder of its own.
const TASK: &str = r"\recall\recalld";

/// The lines before the program's path.
const BEFORE_PROGRAM: &str = "    <Exec>\n      <Command>";

/// The start of the task's definition. Its encoding is UTF-8 by default; other characters than those of ASCII are written as
/// numbers, so that no reader can mistake them.
const START: &str = r#"<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Starts recalld, the daemon of recall, at logon.</Description>
    <URI>\recall\recalld</URI>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
"#;

/// Between the user of the trigger and that of the principal.
const MIDDLE: &str = r"    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal>
";

/// Between the principal and the program.
const SETTINGS: &str = r"      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT1M</ExecutionTimeLimit>
  </Settings>
  <Actions>
";

/// After the program.
const END: &str = "</Command>
      <Arguments>daemon start</Arguments>
    </Exec>
  </Actions>
</Task>
";

/// Returns the plan of the service. The program is `recall`.
///
/// # Errors
/// A value cannot be written in XML.
pub(crate) fn plan(input: ServiceInput<'_>, account: &str) -> Result<ServicePlan, PlanError> {
    let path = input.folder.join("recalld-task.xml");
    let schtasks = |words: &[&str]| [&["schtasks"], words].concat().into_iter().map(ToOwned::to_owned).collect();
    let file = path.display().to_string();
    Ok(ServicePlan {
        files: vec![SealedFile::new(path, &text(input, account)?, Comment::Xml)],
        folders: Vec::new(),
        enable: vec![schtasks(&["/Create", "/TN", TASK, "/XML", &file, "/F"]), schtasks(&["/Run", "/TN", TASK])],
        disable: vec![schtasks(&["/Delete", "/TN", TASK, "/F"])],
        reload: Vec::new(),
        is_enabled: schtasks(&["/Query", "/TN", TASK]),
        is_active: schtasks(&["/Query", "/TN", TASK]),
        stop: StopTime::BeforeEnable,
    })
}

/// Returns the program that a task starts; `None` if the definition is not of this module.
pub(crate) fn program(task: &str) -> Option<PathBuf> {
    let (_, rest) = task.split_once(BEFORE_PROGRAM)?;
    let (path, _) = rest.split_once("</Command>")?;
    unescape(path).map(PathBuf::from)
}

fn text(input: ServiceInput<'_>, account: &str) -> Result<String, PlanError> {
    let program = escape(input.program.as_os_str())?;
    // The task of one user, who need not be an administrator.
    let user = format!("      <UserId>{}</UserId>\n", escape(OsStr::new(account))?);
    Ok(format!("{START}{user}{MIDDLE}{user}{SETTINGS}{BEFORE_PROGRAM}{program}{END}"))
}

/// Escapes a value for XML in ASCII.
fn escape(value: &OsStr) -> Result<String, PlanError> {
    let text = value.to_str().filter(|text| !text.contains(char::is_control));
    let text = text.ok_or_else(|| PlanError::NotText { value: value.into() })?;
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            _ if char.is_ascii() => escaped.push(char),
            _ => drop(write!(escaped, "&#{};", u32::from(char))),
        }
    }
    Ok(escaped)
}

/// Returns the value that [`escape`] escaped.
fn unescape(escaped: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('&') {
        let (name, after) = after.split_once(';')?;
        text += before;
        text.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            _ => char::from_u32(name.strip_prefix('#')?.parse().ok()?)?,
        });
        rest = after;
    }
    Some(text + rest)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn input(program: &str) -> ServiceInput<'_> {
        ServiceInput { program: Path::new(program), variables: &[], folder: Path::new("folder"), user: 0, socket: None }
    }

    fn check(program_path: &str, escaped: &str) {
        let plan = plan(input(program_path), "S-1-5-21-7").expect("text");
        let content = &plan.files[0].content;
        assert!(content.contains(&format!("<Command>{escaped}</Command>")), "{content}");
        assert!(content.is_ascii());
        assert_eq!(program(content).as_deref(), Some(Path::new(program_path)));
    }

    #[test]
    fn the_task_starts_the_program() {
        check(r"C:\Program Files\recall\recall.exe", r"C:\Program Files\recall\recall.exe");
        check(r"C:\Users\Zoë & Jörg\recall.exe", r"C:\Users\Zo&#235; &amp; J&#246;rg\recall.exe");
        check(r"C:\ö&#7;<x>\🦀\recall.exe", r"C:\&#246;&amp;#7;&lt;x&gt;\&#129408;\recall.exe");
    }

    #[test]
    fn the_task_is_of_one_user_and_needs_no_rights() {
        let plan = plan(input(r"C:\recall.exe"), "S-1-5-21-7").expect("text");
        let content = &plan.files[0].content;
        assert_eq!(content.matches("<UserId>S-1-5-21-7</UserId>").count(), 2, "{content}");
        assert!(content.contains("<RunLevel>LeastPrivilege</RunLevel>"), "{content}");
        assert_eq!(plan.enable[0][..4], ["schtasks", "/Create", "/TN", r"\recall\recalld"]);
        assert_eq!(plan.disable, [["schtasks", "/Delete", "/TN", r"\recall\recalld", "/F"]]);
    }

    #[test]
    fn a_path_that_xml_cannot_express_is_rejected() {
        assert!(matches!(plan(input("C:\\a\u{1}"), "S-1"), Err(PlanError::NotText { .. })));
    }

    #[test]
    fn a_task_of_another_origin_names_no_program() {
        assert_eq!(program("<Task><Exec><Command>C:\\x.exe</Command></Exec></Task>"), None);
    }
}
