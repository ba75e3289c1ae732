//! How much of what could be told fits into a budget?

use recall_core::tokens::estimate;

use crate::mask;
use crate::session::briefing::answer::{Briefing, BriefingSection, SectionKind};

/// What could be told in a section, what matters first.
pub(crate) struct Draft {
    pub(crate) kind: SectionKind,
    pub(crate) entries: Vec<Entry>,
}

/// One thing that could be told.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Whole lines.
    pub(crate) text: String,
    /// The ids and places that it stands on.
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

/// Which part of the budget a section has for itself. What one does not need the others share, in this order.
const SHARES: [(SectionKind, f64); 5] = [
    (SectionKind::Decisions, 0.35),
    (SectionKind::Changes, 0.15),
    (SectionKind::History, 0.25),
    (SectionKind::Tasks, 0.10),
    (SectionKind::Profile, 0.15),
];

/// An entry is cut rather than left out where at least so many tokens of it remain: enough to know what it is about.
const LEAST_TOKENS: u32 = 40;

/// A section while it is filled.
struct Filled {
    kind: SectionKind,
    heading: String,
    entries: Vec<Entry>,
    used: usize,
    tokens: u32,
    kept: Vec<Entry>,
}

/// Puts together what fits: whole entries in their order, and of the first that does not fit a part.
///
/// Tokens of lines add up, so that the sum of what was taken is what the text takes.
pub(crate) fn pack(opening: &str, drafts: Vec<Draft>, budget_tokens: u32) -> Briefing {
    let mut left = budget_tokens.saturating_sub(estimate(opening));
    if estimate(opening) > budget_tokens {
        return Briefing { text: String::new(), used_tokens: 0, sections: Vec::new(), warnings: Vec::new() };
    }
    let room = f64::from(left);
    let mut sections: Vec<Filled> = drafts.into_iter().map(Filled::of).collect();
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

impl Filled {
    fn of(Draft { kind, entries }: Draft) -> Self {
        Self { kind, heading: format!("\n## {}\n\n", kind.title()), entries, used: 0, tokens: 0, kept: Vec::new() }
    }

    /// Takes entries that fit into so many tokens beside those that were taken; tells how many they take. Where none fits, and
    /// it may be, the next one is cut.
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
            if may_cut && self.kept.is_empty() && room >= LEAST_TOKENS {
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

/// The beginning of a text of lines, of no more than so many tokens: whole lines, and of the next one whole words.
fn cut(text: &str, budget: u32) -> String {
    /// The mark of what is left out, and the end of its line.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPENING: &str = "# Briefing: shop\n";

    fn draft(kind: SectionKind, entries: &[&str]) -> Draft {
        Draft { kind, entries: entries.iter().map(|text| Entry::new(*text, vec![(*text).to_owned()])).collect() }
    }

    #[test]
    fn what_a_section_does_not_need_others_get() {
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
            let mut drafts: Vec<Draft> =
                [SectionKind::Profile, SectionKind::History, SectionKind::Tasks, SectionKind::Decisions, SectionKind::Changes]
                    .map(|kind| Draft { kind, entries: Vec::new() })
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
