//! Words in a run without spaces.
//!
//! The dictionary decides where words begin: of all ways to cut a run, the one with the fewest words and the fewest letters that are
//! in no word. Function words are in the dictionary too, so that a particle does not join the noun before it.

use recall_text::words::letters;

use super::dictionary::{Dictionary, Meaning};

/// What a word of several letters costs.
const WORD: u32 = 10;

/// What a word of one letter costs: one letter belongs to a longer word more often than it is one.
const LETTER: u32 = 16;

/// What a letter in no word costs: more than a word of one letter.
const UNKNOWN_LETTER: u32 = 22;

/// The best way to cut a run up to one of its letters.
#[derive(Clone, Copy)]
struct Cut {
    cost: u32,
    /// Where its last word begins, in letters.
    from: usize,
}

/// Cuts a run in its folded form into words, in order, with their meaning; `None` for neighbouring letters that are in no word.
pub(super) fn words<'run, 'dictionary>(
    run: &'run str,
    dictionary: &'dictionary Dictionary,
) -> Vec<(&'run str, Option<Meaning<'dictionary>>)> {
    let ends: Vec<usize> = letters(run)
        .scan(0, |end, letter| {
            *end += letter.len();
            Some(*end)
        })
        .collect();
    let starts_at = |letter: usize| letter.checked_sub(1).map_or(0, |before| ends[before]);
    let mut best = vec![Cut { cost: 0, from: 0 }];
    for to in 1..=ends.len() {
        let unknown = Cut { cost: best[to - 1].cost + UNKNOWN_LETTER, from: to - 1 };
        let cuts = (to.saturating_sub(dictionary.longest())..to).filter_map(|from| {
            dictionary.exactly(&run[starts_at(from)..ends[to - 1]])?;
            Some(Cut { cost: best[from].cost + if to - from == 1 { LETTER } else { WORD }, from })
        });
        best.push(cuts.chain([unknown]).min_by_key(|cut| cut.cost).unwrap_or(unknown));
    }
    let mut words: Vec<(&str, Option<Meaning<'_>>)> = Vec::new();
    let mut to = ends.len();
    // From the end, because each cut knows the word before it.
    let mut end = run.len();
    while to > 0 {
        let from = best[to].from;
        let meaning = dictionary.exactly(&run[starts_at(from)..starts_at(to)]);
        if meaning.is_none() && words.last().is_some_and(|(_, meaning)| meaning.is_none()) {
            words.pop();
        } else {
            end = starts_at(to);
        }
        words.push((&run[starts_at(from)..end], meaning));
        to = from;
    }
    words.reverse();
    words
}
