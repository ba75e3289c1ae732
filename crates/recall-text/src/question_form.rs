//! Forms of questions that are told by their words alone, in any order.

/// A form of a question: a word of each group occurs, and all other words are allowed or say nothing. Lists are separated by blanks.
pub(crate) struct QuestionForm<T> {
    /// What such a question asks for.
    pub(crate) asks: T,
    /// Each group must have a word in the question.
    pub(crate) needs: &'static [&'static str],
    /// Further words that may occur.
    pub(crate) allows: &'static str,
}

/// Words that say nothing about what is asked: the project itself, and the grammar of a question.
const FILLERS: &str = "a an and app application are be best can code codebase command commands did do does for from get here how i in \
    instructions is it its library local locally me my need needed of on one package please program project repo \
    repository right should show software tell that the there these this to tool under us was way we what when where \
    which with would you your";

/// The most words of such a question. A longer one is about something in particular.
const MAX_WORDS: usize = 14;

/// Returns what a question of at least `fewest` words asks for: that of the first form that fits.
pub(crate) fn find<T: Copy>(forms: &[QuestionForm<T>], question: &str, fewest: usize) -> Option<T> {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    if words.len() < fewest || words.len() > MAX_WORDS {
        return None;
    }
    let fits = |form: &&QuestionForm<T>| {
        let is_said = |group: &&str| words.iter().any(|word| has(group, word));
        let is_needed = |word: &str| form.needs.iter().any(|group| has(group, word));
        form.needs.iter().all(is_said)
            && words.iter().all(|word| is_needed(word) || has(form.allows, word) || has(FILLERS, word))
    };
    forms.iter().find(fits).map(|form| form.asks)
}

/// Whether a list, separated by blanks, has a word.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}
