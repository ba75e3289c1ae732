//! The bill of materials: what the programs are made of, for tools that look for known weaknesses.
//!
//! Format: [CycloneDX 1.6](https://cyclonedx.org/docs/1.6/json/).

use serde_json::{Value, json};

use crate::Package;
use crate::dependencies::Library;
use crate::release::{LICENCE, Release, VERSION};

/// Makes the bill of the programs of a system.
pub(crate) fn package(release: &Release) -> Package {
    let components: Vec<Value> = release.dependencies.iter().map(component).collect();
    let bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "recall",
                "name": "recall",
                "version": VERSION,
                "licenses": [{ "expression": LICENCE }],
            },
        },
        "components": components,
    });
    let name = format!("{}.cdx.json", release.system.archive_name());
    Package { name, bytes: format!("{bill:#}\n").into_bytes() }
}

fn component(library: &Library) -> Value {
    let Library { name, version, licence, checksum, manifest: _ } = library;
    let purl = format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"));
    let mut component = json!({ "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "scope": "required" });
    if !checksum.is_empty() {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if !licence.is_empty() {
        // Older manifests separate licences by a slash.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    component
}
