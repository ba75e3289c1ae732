//! A briefing with its sections, and selection of its entries within a token budget.

use recall_text::tokens::estimate;

use crate::mask;
use crate::warning::Warning;

/// The candidate entries of a section, the most important first.
pub(crate) struct SectionDraft {
    pub(crate) kind: SectionKind,
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Whole lines.
    pub(crate) text: String,
    /// The ids and paths of its sources.
    pub(crate) citations: Vec<String>,
}

impl Entry {
    pub(crate) fn new(text: impl Into<String>, citations: Vec<String>) -> Self {
        let mut text = text.into();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        mask::text(&mut text);
        let citations = citations.into_iter().map(mask::shown_path).collect();
        Self { text, citations }
    }
}

/// The share of the budget that is reserved for each section. Unused shares go to the other sections, in this order. A briefing
/// about a session has neither history nor profile.
const SHARES: [(SectionKind, f64); 6] = [
    (SectionKind::Session, 0.5),
    (SectionKind::Decisions, 0.35),
    (SectionKind::Changes, 0.15),
    (SectionKind::History, 0.25),
    (SectionKind::Tasks, 0.10),
    (SectionKind::Profile, 0.15),
];

/// An entry is cut rather than left out if at least this many tokens of it remain, which is enough to see what it is about.
const MIN_CUT_TOKENS: u32 = 40;

/// A section while entries are added to it.
struct SectionBuilder {
    kind: SectionKind,
    heading: String,
    entries: Vec<Entry>,
    used: usize,
    tokens: u32,
    kept: Vec<Entry>,
}

/// Builds the briefing from the entries that fit: whole entries in their order, and the beginning of the first one that does
/// not fit.
///
/// The token estimate is additive over lines, so the sum over the entries is the estimate of the text.
pub(crate) fn pack(opening: &str, drafts: Vec<SectionDraft>, budget_tokens: u32) -> Briefing {
    let mut left = budget_tokens.saturating_sub(estimate(opening));
    if estimate(opening) > budget_tokens {
        return Briefing { text: String::new(), used_tokens: 0, sections: Vec::new(), warnings: Vec::new() };
    }
    let room = f64::from(left);
    let mut sections: Vec<SectionBuilder> = drafts.into_iter().map(SectionBuilder::new).collect();
    for (kind, share) in SHARES {
        if let Some(section) = sections.iter_mut().find(|section| section.kind == kind) {
            let own = ((room * share) as u32).min(left);
            left -= section.take(own, true);
        }
    }
    for (kind, _) in SHARES {
        if let Some(section) = sections.iter_mut().find(|section| section.kind == kind) {
            left -= section.take(left, false);
        }
    }
    let mut text = opening.to_owned();
    let mut told = Vec::new();
    for section in sections.into_iter().filter(|section| !section.kept.is_empty()) {
        text.push_str(&section.heading);
        let body: String = section.kept.iter().map(|entry| entry.text.as_str()).collect();
        text.push_str(&body);
        let mut citations: Vec<String> = Vec::new();
        for citation in section.kept.into_iter().flat_map(|entry| entry.citations) {
            if !citations.contains(&citation) {
                citations.push(citation);
            }
        }
        told.push(BriefingSection { kind: section.kind, title: section.kind.title(), text: body, citations });
    }
    let used_tokens = estimate(&text);
    debug_assert!(used_tokens <= budget_tokens, "the tokens of lines add up");
    Briefing { text, used_tokens, sections: told, warnings: Vec::new() }
}

impl SectionBuilder {
    fn new(SectionDraft { kind, entries }: SectionDraft) -> Self {
        Self { kind, heading: format!("\n## {}\n\n", kind.title()), entries, used: 0, tokens: 0, kept: Vec::new() }
    }

    /// Adds entries within a further budget of tokens. Returns how many tokens they take. If the section is empty, the first
    /// one does not fit and `may_cut` is set, that entry is cut.
    fn take(&mut self, budget: u32, may_cut: bool) -> u32 {
        let mut taken = 0;
        while let Some(entry) = self.entries.get(self.used) {
            let heading = if self.kept.is_empty() { estimate(&self.heading) } else { 0 };
            let tokens = heading + estimate(&entry.text);
            let left = budget - taken;
            if tokens <= left {
                self.kept.push(entry.clone());
                self.used += 1;
                taken += tokens;
                continue;
            }
            let room = left.saturating_sub(heading);
            if may_cut && self.kept.is_empty() && room >= MIN_CUT_TOKENS {
                let text = cut(&entry.text, room);
                taken += heading + estimate(&text);
                self.kept.push(Entry { text, citations: entry.citations.clone() });
                self.used += 1;
            }
            break;
        }
        self.tokens += taken;
        taken
    }
}

/// Returns the beginning of a text within a token budget: whole lines, then whole words of the next line.
pub(crate) fn cut(text: &str, budget: u32) -> String {
    /// The mark of a cut, and the end of its line.
    const END: &str = " …\n";
    let budget = budget - estimate(END).min(budget);
    let mut kept = String::new();
    let mut used = 0;
    for line in text.split_inclusive('\n') {
        let tokens = estimate(line);
        if used + tokens <= budget {
            kept.push_str(line);
            used += tokens;
            continue;
        }
        let mut end = 0;
        for (at, _) in line.match_indices(' ') {
            if used + estimate(&line[..at]) > budget {
                break;
            }
            end = at;
        }
        kept.push_str(line[..end].trim_end());
        break;
    }
    let kept = kept.trim_end();
    if kept.is_empty() { String::new() } else { format!("{kept}{END}") }
}

/// The briefing of a new session.
#[derive(Clone, Debug, PartialEq)]
pub struct Briefing {
    /// The whole text, for a model to read.
    pub text: String,
    /// The estimated tokens of the text; never above the budget.
    pub used_tokens: u32,
    /// Its sections, in the order of the text.
    pub sections: Vec<BriefingSection>,
    /// Conditions that affect the briefing.
    pub warnings: Vec<Warning>,
}

/// One section, with its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefingSection {
    /// What it is about.
    pub kind: SectionKind,
    /// The heading, as the text has it.
    pub title: &'static str,
    /// Its text, without the heading.
    pub text: String,
    /// The ids and paths of its sources, in order.
    pub citations: Vec<String>,
}

/// What a section of a briefing is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// What this session did so far.
    Session,
    /// The user, the project and its conventions.
    Profile,
    /// What the earlier sessions did.
    History,
    /// What they left open.
    Tasks,
    /// Memories about the current work.
    Decisions,
    /// What changed, and which memories may no longer hold.
    Changes,
}

impl SectionKind {
    /// The kind's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Profile => "profile",
            Self::History => "history",
            Self::Tasks => "tasks",
            Self::Decisions => "decisions",
            Self::Changes => "changes",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Session => "What this session did",
            Self::Profile => "Profile",
            Self::History => "Recent sessions",
            Self::Tasks => "Left open",
            Self::Decisions => "Decisions and lessons",
            Self::Changes => "Changes",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPENING: &str = "# Briefing: shop\n";

    fn draft(kind: SectionKind, entries: &[&str]) -> SectionDraft {
        SectionDraft { kind, entries: entries.iter().map(|text| Entry::new(*text, vec![(*text).to_owned()])).collect() }
    }

    #[test]
    fn unused_shares_go_to_other_sections() {
        let long: Vec<String> = (0..50).map(|n| format!("- decision {n} of many")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let drafts = || vec![draft(SectionKind::History, &["- one session"]), draft(SectionKind::Decisions, &long)];
        let packed = pack(OPENING, drafts(), 200);
        assert!(packed.used_tokens <= 200 && packed.used_tokens > 180, "{packed:?}");
        assert_eq!(packed.sections[0].text, "- one session\n");
        assert!(packed.sections[1].citations.len() > 15, "{packed:?}");
        assert_eq!(pack(OPENING, drafts(), 3).text, "");
        let text = &packed.text;
        assert!(
            text.starts_with("# Briefing: shop\n\n## Recent sessions\n\n- one session\n\n## Decisions and lessons\n")
        );
    }

    #[test]
    fn an_entry_that_is_too_long_is_cut_between_words() {
        let text = "- first line\n  > ".to_owned() + &"word ".repeat(500);
        let packed = pack(OPENING, vec![draft(SectionKind::Decisions, &[&text])], 300);
        assert!(packed.used_tokens <= 300 && packed.text.ends_with("word …\n"), "{packed:?}");
        let room = estimate("- a\n") + estimate("  >") + estimate(" …\n");
        assert_eq!(cut("- a\n  > verylongwordwithoutend", room), "- a\n  > …\n");
    }

    proptest! {
        #[test]
        fn the_budget_is_held(
            budget in 0_u32..600,
            entries in prop::collection::vec((0_usize..5, "[ -~\n]{0,200}|\\PC{0,40}"), 0..40),
        ) {
            let mut drafts: Vec<SectionDraft> =
                [SectionKind::Profile, SectionKind::History, SectionKind::Tasks, SectionKind::Decisions, SectionKind::Changes]
                    .map(|kind| SectionDraft { kind, entries: Vec::new() })
                    .into();
            for (section, text) in entries {
                drafts[section].entries.push(Entry::new(text, Vec::new()));
            }
            let packed = pack(OPENING, drafts, budget);
            prop_assert!(estimate(&packed.text) <= budget);
            prop_assert_eq!(packed.used_tokens, estimate(&packed.text));
        }
    }
}
