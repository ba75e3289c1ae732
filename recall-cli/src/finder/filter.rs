//! The filters of the finder, each of which a key changes.

use std::cmp::Reverse;

use recall_api::v1;

/// A filter by one property of documents: none, or one of the values that occur.
///
/// The first values are those of the command line, which may be several. After them come the values that the last answer without
/// this filter counted, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// The values of the command line; empty for none.
    given: Vec<String>,
    /// The values to choose from.
    choices: Vec<String>,
    chosen: Choice,
}

/// What a filter lets pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Choice {
    /// Everything.
    #[default]
    Any,
    /// The values of the command line.
    Given,
    /// One value.
    One(String),
}

impl Filter {
    /// Creates a filter with the values of the command line.
    pub(super) fn new(given: Vec<String>) -> Self {
        let chosen = if given.is_empty() { Choice::Any } else { Choice::Given };
        Self { given, choices: Vec::new(), chosen }
    }

    /// Returns the values that pass; empty for all.
    pub(super) fn values(&self) -> Vec<String> {
        match &self.chosen {
            Choice::Any => Vec::new(),
            Choice::Given => self.given.clone(),
            Choice::One(value) => vec![value.clone()],
        }
    }

    /// Returns the values that pass, for a person.
    pub(super) fn name(&self) -> String {
        let values = self.values();
        if values.is_empty() { "any".to_owned() } else { values.join(", ") }
    }

    /// Whether something does not pass.
    pub(super) fn is_set(&self) -> bool {
        self.chosen != Choice::Any
    }

    /// Takes the counts of an answer. Those of a filtered answer have no other values, and are ignored.
    pub(super) fn offer(&mut self, facet: Option<&v1::Facet>) {
        let Some(facet) = facet.filter(|_| self.chosen == Choice::Any) else { return };
        let mut counts: Vec<_> = facet.counts.iter().collect();
        counts.sort_by_key(|(value, count)| (Reverse(**count), (*value).clone()));
        self.choices = counts.into_iter().map(|(value, _)| value.clone()).collect();
    }

    /// Chooses the next value; after the last one, everything passes.
    pub(super) fn advance(&mut self) {
        let next = match &self.chosen {
            Choice::Any if !self.given.is_empty() => {
                self.chosen = Choice::Given;
                return;
            }
            Choice::Any | Choice::Given => 0,
            Choice::One(value) => self.choices.iter().position(|choice| choice == value).map_or(0, |at| at + 1),
        };
        self.chosen = self.choices.get(next).map_or(Choice::Any, |value| Choice::One(value.clone()));
    }
}

/// The projects that are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ProjectFilter {
    /// The project of the working directory.
    #[default]
    This,
    /// Every project of this user that has an index.
    All,
}

impl ProjectFilter {
    /// Returns the other choice.
    pub(super) fn other(self) -> Self {
        match self {
            Self::This => Self::All,
            Self::All => Self::This,
        }
    }

    /// Returns its name for a person.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::This => "this",
            Self::All => "all",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(filter: &mut Filter) -> String {
        filter.advance();
        filter.name()
    }

    #[test]
    fn a_filter_goes_through_what_occurs_and_what_was_given() {
        let facet = v1::Facet { counts: [("rust".to_owned(), 3), ("go".to_owned(), 5)].into(), left_out: 0 };
        let mut filter = Filter::default();
        filter.advance();
        assert_eq!(filter.name(), "any", "there is nothing to choose yet");
        filter.offer(Some(&facet));
        assert_eq!([(); 4].map(|()| next(&mut filter)), ["go", "rust", "any", "go"]);
        let mut filter = Filter::new(vec!["c".to_owned(), "cpp".to_owned()]);
        filter.offer(Some(&facet));
        assert_eq!(filter.values(), ["c", "cpp"], "a filtered answer offers nothing");
        assert_eq!([(); 2].map(|()| next(&mut filter)), ["any", "c, cpp"]);
    }
}
