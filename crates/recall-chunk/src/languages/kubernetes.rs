//! Kubernetes objects in YAML: `Deployment/web`, and what refers to them.
//!
//! An object is a document with `apiVersion`, `kind` and `metadata.name`. A selector selects pods by their labels, so it refers to the
//! objects of the same file whose pods have them; if there are none, to those that are called like a label that names an application.

use std::collections::BTreeMap;
use std::ops::Range;

use recall_core::Edge;
use tree_sitter::Node;

use super::{Named, child_of_kind, text_of};

/// The deepest value that is read. No object nests deeper.
const MOST_DEPTH: usize = 48;

/// The longest name of an object.
const MOST_NAME_BYTES: usize = 253;

/// The kinds whose objects create pods.
const WORKLOADS: &[&str] = &[
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "ReplicaSet",
    "ReplicationController",
    "Rollout",
    "StatefulSet",
];

/// The labels whose value is usually the name of the object that creates the pods.
const NAMING_LABELS: &[&str] =
    &["app", "app.kubernetes.io/instance", "app.kubernetes.io/name", "component", "k8s-app", "name", "service"];

/// Keys whose value is the name of an object, with its kind.
const NAME_KEYS: &[(&str, &str)] = &[
    ("claimName", "PersistentVolumeClaim"),
    ("ingressClassName", "IngressClass"),
    ("namespace", "Namespace"),
    ("priorityClassName", "PriorityClass"),
    ("runtimeClassName", "RuntimeClass"),
    ("secretName", "Secret"),
    ("serviceAccount", "ServiceAccount"),
    ("serviceAccountName", "ServiceAccount"),
    ("serviceName", "Service"),
    ("storageClassName", "StorageClass"),
    ("volumeName", "PersistentVolume"),
];

/// Keys whose value, or each element of it, has a `name`, with the kind of what it names.
const REFERENCE_KEYS: &[(&str, &str)] = &[
    ("configMap", "ConfigMap"),
    ("configMapKeyRef", "ConfigMap"),
    ("configMapRef", "ConfigMap"),
    ("imagePullSecrets", "Secret"),
    ("secret", "Secret"),
    ("secretKeyRef", "Secret"),
    ("secretRef", "Secret"),
    ("service", "Service"),
];

struct Object<'t> {
    kind: &'t str,
    name: &'t str,
    name_bytes: Range<usize>,
    /// Its outermost mapping.
    mapping: Vec<Pair<'t>>,
}

/// A key and its value.
struct Pair<'t> {
    key: &'t str,
    value: Node<'t>,
}

/// Names the document of an object by its address.
pub(super) fn object(document: Node<'_>, text: &str) -> Option<Named> {
    let Object { kind, name, name_bytes, .. } = object_of(document, text)?;
    let label = format!("{kind}/{name}");
    Some(Named { scope: Some(kind.to_owned()), ..Named::plain(name_bytes) }.with_label(label))
}

/// Appends what the objects of a file refer to.
pub(super) fn uses(root: Node<'_>, text: &str, found: &mut Vec<(u32, String)>) {
    let mut cursor = root.walk();
    let objects: Vec<Object<'_>> =
        root.named_children(&mut cursor).filter_map(|document| object_of(document, text)).collect();
    if objects.is_empty() {
        return;
    }
    let pods: Vec<Pods<'_>> = objects.iter().filter_map(|object| Pods::read(object, text)).collect();
    for object in &objects {
        let mut reader = ManifestReader { text, object, pods: &pods, found };
        for Pair { key, value } in &object.mapping {
            reader.value(key, *value, 0);
        }
    }
}

/// The labels of the pods that an object creates.
struct Pods<'t> {
    kind: &'t str,
    name: &'t str,
    labels: BTreeMap<&'t str, &'t str>,
}

impl<'t> Pods<'t> {
    fn read(object: &Object<'t>, text: &'t str) -> Option<Self> {
        let path: &[&str] = match object.kind {
            "Pod" => &["metadata", "labels"],
            "CronJob" => &["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
            kind if WORKLOADS.contains(&kind) => &["spec", "template", "metadata", "labels"],
            _ => return None,
        };
        let (first, rest) = path.split_first()?;
        let mut value = value_of(&object.mapping, first)?;
        for key in rest {
            value = value_of(&pairs(value, text), key)?;
        }
        Some(Self { kind: object.kind, name: object.name, labels: scalars(value, text) })
    }
}

struct ManifestReader<'a, 't> {
    text: &'t str,
    object: &'a Object<'t>,
    pods: &'a [Pods<'t>],
    found: &'a mut Vec<(u32, String)>,
}

impl<'t> ManifestReader<'_, 't> {
    /// Reads the value of a key and all below it.
    fn value(&mut self, key: &str, value: Node<'t>, depth: usize) {
        if depth == MOST_DEPTH {
            return;
        }
        if let Some(name) = scalar(value, self.text) {
            let kind = NAME_KEYS.iter().find(|(known, _)| *known == key).map(|(_, kind)| *kind);
            if let Some(kind) = kind {
                self.refer(value, kind, name);
            }
            return;
        }
        for element in elements(value) {
            self.value(key, element, depth + 1);
        }
        let mapping = pairs(value, self.text);
        let field = |name: &str| {
            let value = value_of(&mapping, name)?;
            Some((value, scalar(value, self.text)?))
        };
        let kind = field("kind").map(|(_, kind)| kind);
        let known = REFERENCE_KEYS.iter().find(|(known, _)| *known == key).map(|(_, kind)| *kind);
        let is_own = key == "metadata" || key == "template";
        if let Some((node, name)) = field("name").filter(|_| !is_own)
            && let Some(kind) = kind.or(known)
        {
            self.refer(node, kind, name);
        }
        if matches!(key, "selector" | "matchLabels" | "podSelector") {
            self.select(value);
        }
        for Pair { key, value } in &mapping {
            self.value(key, *value, depth + 1);
        }
    }

    fn refer(&mut self, at: Node<'_>, kind: &str, name: &str) {
        if (kind, name) != (self.object.kind, self.object.name) && is_name(name) {
            self.found.push((at.start_byte() as u32, Edge::qualify(kind, name)));
        }
    }

    /// Refers to what has the labels of a selector. A workload selects the pods that it creates itself.
    fn select(&mut self, selector: Node<'t>) {
        let labels = scalars(selector, self.text);
        if labels.is_empty() || WORKLOADS.contains(&self.object.kind) {
            return;
        }
        let has_labels = |pods: &&Pods<'_>| labels.iter().all(|(label, value)| pods.labels.get(label) == Some(value));
        let selected: Vec<&Pods<'_>> = self.pods.iter().filter(has_labels).collect();
        for Pods { kind, name, .. } in &selected {
            self.refer(selector, kind, name);
        }
        if !selected.is_empty() {
            return;
        }
        let names: Vec<&str> =
            labels.iter().filter(|(label, _)| NAMING_LABELS.contains(label)).map(|(_, value)| *value).collect();
        // A monitor selects services.
        let kinds = if self.object.kind == "ServiceMonitor" { &["Service"][..] } else { WORKLOADS };
        for name in names {
            for kind in kinds {
                self.refer(selector, kind, name);
            }
        }
    }
}

fn object_of<'t>(document: Node<'t>, text: &'t str) -> Option<Object<'t>> {
    let mapping = pairs(child_of_kind(document, &["block_node", "flow_node"])?, text);
    value_of(&mapping, "apiVersion")?;
    let kind = scalar(value_of(&mapping, "kind")?, text)
        .filter(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()))?;
    let value = value_of(&pairs(value_of(&mapping, "metadata")?, text), "name")?;
    let name = scalar(value, text).filter(|name| is_name(name))?;
    let start = value.start_byte() + text_of(value, text).find(name)?;
    Some(Object { kind, name, name_bytes: start..start + name.len(), mapping })
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MOST_NAME_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
}

/// The pairs of a mapping. Empty if the value is none.
fn pairs<'t>(value: Node<'t>, text: &'t str) -> Vec<Pair<'t>> {
    let Some(mapping) = child_of_kind(value, &["block_mapping", "flow_mapping"]) else { return Vec::new() };
    let mut cursor = mapping.walk();
    let pair = |pair: Node<'t>| {
        let key = scalar(pair.child_by_field_name("key")?, text)?;
        Some(Pair { key, value: pair.child_by_field_name("value")? })
    };
    mapping.named_children(&mut cursor).filter_map(pair).collect()
}

/// The elements of a sequence. Empty if the value is none.
fn elements<'t>(value: Node<'t>) -> Vec<Node<'t>> {
    let Some(sequence) = child_of_kind(value, &["block_sequence", "flow_sequence"]) else { return Vec::new() };
    let mut cursor = sequence.walk();
    let element = |item: Node<'t>| match item.kind() {
        "flow_node" => Some(item),
        _ => child_of_kind(item, &["block_node", "flow_node"]),
    };
    sequence.named_children(&mut cursor).filter_map(element).collect()
}

fn value_of<'t>(mapping: &[Pair<'t>], key: &str) -> Option<Node<'t>> {
    mapping.iter().find(|pair| pair.key == key).map(|pair| pair.value)
}

/// The pairs of a mapping whose values are scalars.
fn scalars<'t>(value: Node<'t>, text: &'t str) -> BTreeMap<&'t str, &'t str> {
    pairs(value, text).into_iter().filter_map(|pair| Some((pair.key, scalar(pair.value, text)?))).collect()
}

/// A scalar on one line, without its quotes.
fn scalar<'t>(value: Node<'t>, text: &'t str) -> Option<&'t str> {
    let scalar = child_of_kind(value, &["plain_scalar", "double_quote_scalar", "single_quote_scalar"])?;
    let written = text_of(scalar, text).trim_matches(['"', '\'']);
    (!written.contains('\n')).then_some(written)
}
