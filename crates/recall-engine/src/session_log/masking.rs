//! Masking of secrets in recorded events.

use recall_core::{EventDetails, Metadata, MetadataValue};

use crate::mask::Masking;

/// Masks the secrets in an event's details.
pub(crate) fn mask_details(details: EventDetails, masking: &mut Masking) -> EventDetails {
    let EventDetails { event_type, content, rationale, resolution, from_agent, to_agent, related_files, metadata } =
        details;
    EventDetails {
        event_type,
        content: masking.mask(&content),
        rationale: masking.mask_some(rationale.as_deref()),
        resolution: masking.mask_some(resolution.as_deref()),
        from_agent: masking.mask_some(from_agent.as_deref()),
        to_agent: masking.mask_some(to_agent.as_deref()),
        related_files: masking.mask_paths(related_files),
        metadata: mask_metadata(metadata, masking),
    }
}

/// Masks the secrets in a text.
pub(crate) fn masked_text(text: &str) -> String {
    Masking::default().mask(text)
}

fn mask_metadata(metadata: Metadata, masking: &mut Masking) -> Metadata {
    metadata
        .into_iter()
        .map(|(name, value)| {
            let value = mask_value(&name, value, masking);
            (masking.mask(&name), value)
        })
        .collect()
}

/// Masks a metadata value. Many secrets are recognised by the name before them, and the name of a list applies to each of its
/// values.
fn mask_value(name: &str, value: MetadataValue, masking: &mut Masking) -> MetadataValue {
    match value {
        MetadataValue::Text(text) => MetadataValue::Text(mask_named(name, &text, masking)),
        MetadataValue::List(values) => {
            MetadataValue::List(values.into_iter().map(|value| mask_value(name, value, masking)).collect())
        }
        MetadataValue::Map(values) => MetadataValue::Map(mask_metadata(values, masking)),
        value @ (MetadataValue::Null | MetadataValue::Bool(_) | MetadataValue::Number(_)) => value,
    }
}

/// Masks a text as the value of a setting, because the masking rules look at the name.
fn mask_named(name: &str, text: &str, masking: &mut Masking) -> String {
    let assigned = format!("{name} = \"{text}\"");
    let masked = masking.mask(&assigned);
    if masked == assigned {
        return masking.mask(text);
    }
    let begin = format!("{name} = \"");
    let value = masked.strip_prefix(&begin).map(|rest| rest.strip_suffix('"').unwrap_or(rest));
    value.map_or_else(|| masking.mask(text), str::to_owned)
}

#[cfg(test)]
mod tests {
    use recall_core::SessionEventType;

    use super::*;

    #[test]
    fn a_secret_is_masked_in_every_field() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
        let text = || MetadataValue::Text(format!("uses {token}"));
        let inner = Metadata::from([("deep".to_owned(), MetadataValue::List(vec![text()]))]);
        let details = EventDetails {
            rationale: Some(token.clone()),
            resolution: Some(token.clone()),
            from_agent: Some(token.clone()),
            to_agent: Some(token.clone()),
            metadata: Metadata::from([("a".to_owned(), text()), ("b".to_owned(), MetadataValue::Map(inner))]),
            ..EventDetails::new(SessionEventType::Error, format!("refused: {token}"))
        };
        let mut masking = Masking::default();
        let told = format!("{:?}", mask_details(details, &mut masking));
        assert!(!told.contains(&token) && told.matches("[secret: ").count() == 7, "{told}");
        assert_eq!(masking.rules.len(), 1);
    }

    #[test]
    fn a_password_is_known_by_its_name() {
        let password = "tR7!kq9Zw2Lx";
        let metadata = Metadata::from([("db_password".to_owned(), MetadataValue::Text(password.to_owned()))]);
        let details = EventDetails { metadata, ..EventDetails::new(SessionEventType::Observation, "x") };
        let told = format!("{:?}", mask_details(details, &mut Masking::default()).metadata);
        assert!(!told.contains(password), "{told}");
    }
}
