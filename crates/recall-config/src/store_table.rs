//! The table of a shared store in the configuration, and the stores that a team shares.

use std::collections::BTreeMap;
use std::time::Duration;

use recall_core::Scope;
use toml::{Table, Value};

use crate::table::{Expected, Kind, Shape};
use crate::value::{count, duration};

/// The name of a tenant, if the configuration has none.
const TENANT: &str = "default";

/// How long a search waits for a store, if the configuration does not say.
const DEADLINE: Duration = Duration::from_millis(300);

/// How long a request of a publication may take, if the configuration does not say. Creating an index of a million vectors takes
/// minutes.
const PUBLISH_DEADLINE: Duration = Duration::from_mins(30);

/// The keys of the table of every store, for messages.
const KEYS: &str = "kind, address, tenant, deadline, publish_deadline";

/// The keys of a store on PostgreSQL alone, and of one on Qdrant.
const OF_POSTGRES: &[&str] = &["read", "authentication"];
const OF_QDRANT: &[&str] = &["shards", "replicas", "write_consistency"];

/// The most shards of a collection, and the most servers that each may be on.
const MOST_SHARDS: u32 = 4_096;
const MOST_REPLICAS: u32 = 64;

/// Returns whether a store may have this name: it is part of paths and of a variable's name.
fn is_store_name(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_plain && !name.is_empty() && name.parse::<Scope>().is_err()
}

/// Parses the table of one store. Its name is given for messages.
pub(crate) fn store(name: String) -> Kind<StoreConfig> {
    Kind::new(Shape::Table(Box::new(Shape::Text)), move |value| {
        if !is_store_name(&name) {
            return Err("a name of lower-case letters, digits and hyphens that is not a scope".to_owned());
        }
        read(value.as_table().ok_or_else(|| format!("a table with {KEYS}"))?)
    })
}

fn read(table: &Table) -> Result<StoreConfig, Expected> {
    let mut rest: BTreeMap<&str, &Value> = table.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let kind = match rest.remove("kind").and_then(Value::as_str) {
        Some("postgres") => StoreKind::Postgres,
        Some("qdrant") => StoreKind::Qdrant,
        _ => return Err("a table with kind = \"postgres\" or kind = \"qdrant\"".to_owned()),
    };
    let own_keys = match kind {
        StoreKind::Postgres => OF_POSTGRES,
        StoreKind::Qdrant => OF_QDRANT,
    };
    let of_others =
        rest.keys().find(|key| (OF_POSTGRES.contains(key) || OF_QDRANT.contains(key)) && !own_keys.contains(key));
    if let Some(key) = of_others {
        return Err(unknown(key, own_keys));
    }
    let address = rest.remove("address").and_then(Value::as_str);
    let address = match kind {
        StoreKind::Postgres => address
            .filter(|address| is_database(address))
            .ok_or("address = \"postgres://user@host/database\", without a password")?,
        StoreKind::Qdrant => address
            .filter(|address| is_server(address))
            .ok_or("address = \"https://host:6334\", with the port of gRPC and without a key")?,
    };
    let tenant = match rest.remove("tenant") {
        None => TENANT.to_owned(),
        Some(value) => {
            let name = value.as_str().filter(|name| !name.is_empty() && name.len() <= 64 && is_plain(name));
            name.ok_or("tenant: at most 64 letters, digits, hyphens and underscores")?.to_owned()
        }
    };
    let mut time = |key: &str, default, least| match rest.remove(key) {
        None => Ok(default),
        Some(value) => {
            let most = Duration::from_hours(24);
            duration(least..=most).parse(value).map_err(|expected| format!("{key}: {expected}"))
        }
    };
    let deadline = time("deadline", DEADLINE, Duration::from_millis(1))?;
    let publish_deadline = time("publish_deadline", PUBLISH_DEADLINE, Duration::from_secs(1))?;
    let read = match rest.remove("read").map(Value::as_str) {
        None | Some(Some("any")) => ReadFrom::Any,
        Some(Some("primary")) => ReadFrom::Primary,
        Some(_) => return Err("read = \"any\" or \"primary\"".to_owned()),
    };
    let authentication = match rest.remove("authentication").map(Value::as_str) {
        None | Some(Some("scram")) => PasswordMethod::Scram,
        Some(Some("any")) => PasswordMethod::Any,
        Some(_) => return Err("authentication = \"scram\" or \"any\"".to_owned()),
    };
    let mut number = |key: &str, most| match rest.remove(key) {
        None => Ok(None),
        Some(value) => count(1..=most).parse(value).map(Some).map_err(|expected| format!("{key}: {expected}")),
    };
    let spread = SpreadConfig {
        shards: number("shards", MOST_SHARDS)?,
        replicas: number("replicas", MOST_REPLICAS)?,
        write_consistency: number("write_consistency", MOST_REPLICAS)?,
    };
    if spread.write_consistency > spread.replicas {
        return Err("write_consistency: at most as many as `replicas`".to_owned());
    }
    if let Some(key) = rest.keys().next() {
        return Err(unknown(key, own_keys));
    }
    let address = address.to_owned();
    Ok(StoreConfig { kind, address, tenant, deadline, publish_deadline, read, authentication, spread })
}

fn unknown(key: &str, own_keys: &[&str]) -> Expected {
    format!("the keys {KEYS}, {}, not `{key}`", own_keys.join(", "))
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Returns whether a text is the address of a server of Qdrant: a host and a port.
fn is_server(address: &str) -> bool {
    let Some(host) = ["http://", "https://"].iter().find_map(|scheme| address.strip_prefix(scheme)) else {
        return false;
    };
    let Some((name, port)) = host.trim_end_matches('/').rsplit_once(':') else { return false };
    !name.is_empty()
        && port.parse::<u16>().is_ok()
        && !name.contains(['@', '/', '?'])
        && !name.contains(char::is_whitespace)
}

/// Returns whether a text is an address of a database without a password, which would be shown wherever settings are.
fn is_database(address: &str) -> bool {
    let schemes = ["postgres://", "postgresql://"];
    let Some(rest) = schemes.iter().find_map(|scheme| address.strip_prefix(scheme)) else { return false };
    let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
    !rest.is_empty() && !user.contains(':') && !address.contains("password=") && !rest.contains(char::is_whitespace)
}

/// A store that a team shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreConfig {
    /// What kind of server it is.
    pub kind: StoreKind,
    /// Its address, without a password.
    pub address: String,
    /// The tenant, whose documents alone are read and written.
    pub tenant: String,
    /// How long a search waits for it.
    pub deadline: Duration,
    /// How long one request of a publication may take, with its repeats.
    pub publish_deadline: Duration,
    /// Which of several servers of PostgreSQL a search asks.
    pub read: ReadFrom,
    /// How a server of PostgreSQL may ask for the password.
    pub authentication: PasswordMethod,
    /// How new collections of Qdrant are spread over the servers of a cluster.
    pub spread: SpreadConfig,
}

/// How new collections are spread over the servers of a cluster. What is `None` is decided by the server's configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpreadConfig {
    /// The number of shards of a collection.
    pub shards: Option<u32>,
    /// On how many servers each shard is.
    pub replicas: Option<u32>,
    /// How many of these must have stored a write before it is confirmed.
    pub write_consistency: Option<u32>,
}

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// PostgreSQL with pgvector.
    Postgres,
    /// Qdrant, over gRPC.
    Qdrant,
}

/// How a server of PostgreSQL may ask for the password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PasswordMethod {
    /// By SCRAM, which does not show it.
    #[default]
    Scram,
    /// By any method, also for the password itself.
    Any,
}

/// Which of several servers a search asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadFrom {
    /// The first that answers, a standby too.
    #[default]
    Any,
    /// The one that accepts writes.
    Primary,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<StoreConfig, Expected> {
        let table: Table = text.parse().expect("valid TOML");
        store("platform".to_owned()).parse(&Value::Table(table))
    }

    #[test]
    fn a_store_needs_a_kind_and_an_address() {
        let store = parsed("kind = \"postgres\"\naddress = \"postgres://recall@db/team\"\n").expect("valid");
        assert_eq!((store.tenant.as_str(), store.deadline.as_millis()), ("default", 300));
        let text = "kind = \"postgres\"\naddress = \"postgres://a,b/team\"\nread = \"primary\"\ndeadline = \"1s\"\n";
        let store = parsed(text).expect("valid");
        assert_eq!((store.kind, store.read, store.deadline.as_secs()), (StoreKind::Postgres, ReadFrom::Primary, 1));
        for wrong in [
            "",
            "kind = \"redis\"\naddress = \"redis://x\"",
            "kind = \"postgres\"",
            "kind = \"postgres\"\naddress = \"https://db\"",
            "kind = \"postgres\"\naddress = \"postgres://a:secret@db/team\"",
            "kind = \"postgres\"\naddress = \"postgres://db/team?password=x\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\ntenant = \"a b\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\nkey = \"secret\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\nread = \"standby\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\nauthentication = \"md5\"",
            "kind = \"qdrant\"\naddress = \"https://db:6334\"\nauthentication = \"any\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\nshards = 2",
            "kind = \"qdrant\"\naddress = \"postgres://db\"",
            "kind = \"qdrant\"\naddress = \"https://db\"",
            "kind = \"qdrant\"\naddress = \"https://key@db:6334\"",
            "kind = \"qdrant\"\naddress = \"https://db:6334/team\"",
            "kind = \"qdrant\"\naddress = \"https://db:6334\"\nread = \"any\"",
            "kind = \"qdrant\"\naddress = \"https://db:6334\"\nshards = 0",
            "kind = \"qdrant\"\naddress = \"https://db:6334\"\nreplicas = 2\nwrite_consistency = 3",
            "kind = \"qdrant\"\naddress = \"https://db:6334\"\nwrite_consistency = 1",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_store_on_qdrant_may_say_how_it_is_spread() {
        let store = parsed("kind = \"qdrant\"\naddress = \"https://db.example.org:6334\"\n").expect("valid");
        assert_eq!((store.kind, store.spread), (StoreKind::Qdrant, SpreadConfig::default()));
        let text =
            "kind = \"qdrant\"\naddress = \"http://[::1]:6334/\"\nshards = 12\nreplicas = 3\nwrite_consistency = 2\n";
        let spread = parsed(text).expect("valid").spread;
        assert_eq!(spread, SpreadConfig { shards: Some(12), replicas: Some(3), write_consistency: Some(2) });
    }

    #[test]
    fn an_error_names_what_is_expected() {
        let error = |text: &str| parsed(text).expect_err("invalid");
        assert_eq!(error("kind = \"redis\""), "a table with kind = \"postgres\" or kind = \"qdrant\"");
        let foreign = error("kind = \"qdrant\"\naddress = \"https://db:6334\"\nread = \"any\"");
        assert!(foreign.contains("write_consistency, not `read`"), "{foreign}");
    }

    #[test]
    fn a_name_is_part_of_paths_and_variables() {
        for (name, is_valid) in [("platform", true), ("team-2", true), ("All", false), ("global", false), ("", false)] {
            assert_eq!(is_store_name(name), is_valid, "{name}");
        }
    }
}
