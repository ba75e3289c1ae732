//! The launch agent of the daemon.
//!
//! The text is the file in `launchd/`, which can be installed by hand as well.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::service::sealed_file::{Comment, SealedFile};
use crate::service::service_plan::{PlanError, ServiceInput, ServicePlan, StopTime, words};

const AGENT: &str = include_str!("../../../launchd/dev.recall.recalld.plist");

/// The arguments in the template.
const TEMPLATE_ARGUMENTS: &str = r#"    <!-- launchd does not expand variables; the shell does, and then executes the daemon in its place. -->
    <key>ProgramArguments</key>
    <array>
        <string>/bin/sh</string>
        <string>-c</string>
        <string>exec "$HOME/.cargo/bin/recalld"</string>
"#;

/// The last variable in the template.
const TEMPLATE_VARIABLE: &str = "        <string>never</string>\n";

/// The lines before the program's path.
const ARGUMENTS: &str = "    <key>ProgramArguments</key>\n    <array>\n        <string>";

/// Returns the plan of the service.
///
/// # Errors
/// A value cannot be written in a property list.
pub(crate) fn plan(input: ServiceInput<'_>) -> Result<ServicePlan, PlanError> {
    let path = input.folder.join("dev.recall.recalld.plist");
    let (user, agent) = (input.user, path.display().to_string());
    let service = format!("gui/{user}/dev.recall.recalld");
    let launchctl = |words: &[&str]| [&["launchctl"], words].concat().into_iter().map(ToOwned::to_owned).collect();
    Ok(ServicePlan {
        files: vec![SealedFile::new(path, &text(input)?, Comment::Xml)],
        enable: vec![launchctl(&["bootstrap", &format!("gui/{user}"), &agent])],
        disable: vec![launchctl(&["bootout", &service])],
        reload: Vec::new(),
        is_enabled: words(&format!("launchctl print {service}")),
        is_active: words(&format!("launchctl print {service}")),
        stop: StopTime::BeforeEnable,
    })
}

/// Returns the program that a launch agent starts; `None` if the agent is not of this module.
pub(crate) fn program(agent: &str) -> Option<PathBuf> {
    let (_, rest) = agent.split_once(ARGUMENTS)?;
    let (path, _) = rest.split_once("</string>")?;
    Some(PathBuf::from(path.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")))
}

fn text(input: ServiceInput<'_>) -> Result<String, PlanError> {
    let program = escape(input.program.as_os_str())?;
    let mut variables = TEMPLATE_VARIABLE.to_owned();
    for (name, value) in input.variables {
        let value = escape(value)?;
        let _ = write!(variables, "        <key>{name}</key>\n        <string>{value}</string>\n");
    }
    let arguments = format!("{ARGUMENTS}{program}</string>\n        <string>--foreground</string>\n");
    Ok(AGENT.replace(TEMPLATE_ARGUMENTS, &arguments).replace(TEMPLATE_VARIABLE, &variables))
}

/// Escapes a value for XML.
fn escape(value: &OsStr) -> Result<String, PlanError> {
    let text = value.to_str().filter(|text| !text.contains(char::is_control));
    let text = text.ok_or_else(|| PlanError::NotText { value: value.into() })?;
    Ok(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn input(program: &str) -> ServiceInput<'_> {
        ServiceInput { program: Path::new(program), variables: &[], folder: Path::new("/agents"), user: 501 }
    }

    #[test]
    fn the_agent_starts_the_program() {
        let variables = [("XDG_DATA_HOME".to_owned(), "/a&b".into())];
        let plan = plan(ServiceInput { variables: &variables, ..input("/a <b> & \"c\"/recalld") }).expect("text");
        let content = &plan.files[0].content;
        assert!(content.contains("<string>/a &lt;b&gt; &amp; \"c\"/recalld</string>"), "{content}");
        assert!(content.contains("<key>XDG_DATA_HOME</key>\n        <string>/a&amp;b</string>"), "{content}");
        assert!(!content.contains("/bin/sh"), "{content}");
        assert_eq!(program(content).as_deref(), Some(Path::new("/a <b> & \"c\"/recalld")));
        assert_eq!(
            plan.enable,
            [["launchctl", "bootstrap", "gui/501", "/agents/dev.recall.recalld.plist"].map(ToOwned::to_owned)]
        );
        assert_eq!(plan.disable, [words("launchctl bootout gui/501/dev.recall.recalld")]);
    }

    #[test]
    fn a_path_that_xml_cannot_express_is_rejected() {
        assert!(matches!(plan(input("/a\u{1}/recalld")), Err(PlanError::NotText { .. })));
    }
}
