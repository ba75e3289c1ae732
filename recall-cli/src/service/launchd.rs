//! The launch agent of the daemon.
//!
//! The text is the file in `launchd/`, which can be installed by hand as well.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::service::sealed_file::{Comment, SealedFile};
use crate::service::{PlanError, ServiceInput, ServicePlan, StopTime, words};

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

/// The lines after the sockets.
const AFTER_SOCKETS: &str = "    <key>RunAtLoad</key>\n";

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
        folders: input.socket.and_then(Path::parent).map(Path::to_owned).into_iter().collect(),
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
    let sockets = input.socket.map_or_else(|| Ok(String::new()), sockets)?;
    let agent = AGENT.replace(TEMPLATE_ARGUMENTS, &arguments).replace(TEMPLATE_VARIABLE, &variables);
    Ok(agent.replace(AFTER_SOCKETS, &format!("{sockets}{AFTER_SOCKETS}")))
}

/// Returns the socket on which launchd listens, so that a client waits for the daemon instead of starting another one. The name
/// is the one that the daemon asks for; 384 is the mode 0600.
fn sockets(path: &Path) -> Result<String, PlanError> {
    let path = escape(path.as_os_str())?;
    Ok(format!(
        "    <key>Sockets</key>
    <dict>
        <key>Listener</key>
        <dict>
            <key>SockPathName</key>
            <string>{path}</string>
            <key>SockPathMode</key>
            <integer>384</integer>
        </dict>
    </dict>

"
    ))
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
        let (program, folder) = (Path::new(program), Path::new("/agents"));
        ServiceInput { program, variables: &[], folder, user: 501, socket: None }
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
    fn launchd_listens_on_the_socket_in_a_folder_of_its_own() {
        let socket = Path::new("/home/a/Library/Application Support/dev.recall/service/recalld.sock");
        let with_socket = plan(ServiceInput { socket: Some(socket), ..input("/recalld") }).expect("text");
        let content = &with_socket.files[0].content;
        let expected = "<key>SockPathName</key>\n            <string>/home/a/Library/Application Support/dev.recall/service/recalld.sock</string>";
        assert!(content.contains(expected), "{content}");
        assert_eq!(content.matches("<dict>").count(), content.matches("</dict>").count(), "{content}");
        assert_eq!(with_socket.folders, [socket.parent().expect("in a folder")]);
        let without = plan(input("/recalld")).expect("text");
        assert!(!without.files[0].content.contains("Sockets") && without.folders.is_empty());
    }

    #[test]
    fn a_path_that_xml_cannot_express_is_rejected() {
        assert!(matches!(plan(input("/a\u{1}/recalld")), Err(PlanError::NotText { .. })));
    }
}
