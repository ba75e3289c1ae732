//! Loading of what the age of an item says about it.

use std::collections::BTreeMap;

use recall_core::{DocumentType, Freshness};
use toml::Value;

use crate::ConfigError;
use crate::kind::{Kind, Shape};
use crate::read::Reader;
use crate::table::Reach;
use crate::value::{count, or_word, yes_or_no};

/// A hundred years.
const MOST_DAYS: u32 = 36_500;

/// Reads the section. A repository must not decide that nobody sees what no longer holds, or that memories are deprecated.
pub(crate) fn freshness(from: &mut Reader, default: Freshness) -> Result<Freshness, ConfigError> {
    let Freshness { stale_after_days, auto_deprecate_after_days, check_on_search } = default;
    let days = or_word("never", count(1..=MOST_DAYS));
    Ok(Freshness {
        stale_after_days: from.key("freshness.stale_after_days", Reach::Project, stale_after_days, &days_by_type())?,
        auto_deprecate_after_days: from.key(
            "freshness.auto_deprecate_after_days",
            Reach::Search,
            auto_deprecate_after_days,
            &days,
        )?,
        check_on_search: from.key("freshness.check_on_search", Reach::Search, check_on_search, &yes_or_no())?,
    })
}

/// Parses a table from types to days; `None` is never.
fn days_by_type() -> Kind<BTreeMap<DocumentType, Option<u32>>> {
    let days = or_word("never", count(1..=MOST_DAYS));
    Kind::new(Shape::Table(Box::new(days.shape().clone())), move |value: &Value| {
        let one =
            |(name, value): (&String, &Value)| Some((name.parse::<DocumentType>().ok()?, days.parse(value).ok()?));
        let read = value.as_table().and_then(|table| table.iter().map(one).collect());
        read.ok_or_else(|| {
            let types = DocumentType::ALL.map(DocumentType::as_str).join(", ");
            format!(
                "a table from types to days from 1 to {MOST_DAYS} or \"never\", such as {{ adr = 365, decision = \
                 \"never\" }}; the types are {types}"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_days() {
        let parse = |text: &str| days_by_type().parse(&Value::Table(text.parse().expect("TOML")));
        let expected = BTreeMap::from([(DocumentType::Adr, Some(365)), (DocumentType::Decision, None)]);
        assert_eq!(parse("adr = 365\ndecision = \"never\""), Ok(expected));
        for wrong in ["adr = 0", "adr = \"soon\"", "essay = 3", "adr = -1"] {
            assert!(parse(wrong).is_err_and(|expected| expected.contains("the types are code, ")), "{wrong}");
        }
    }
}
