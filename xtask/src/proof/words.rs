//! The words of a question, for programs that are given words: grep, and the keywords of a memory.

/// Words that every text has.
const STOP: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "because", "been", "before", "but", "can", "does", "for",
    "from", "get", "has", "have", "how", "into", "its", "may", "more", "must", "not", "now", "one", "only", "other",
    "our", "should", "some", "than", "that", "the", "their", "them", "then", "there", "they", "this", "use", "used",
    "uses", "was", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "would",
    "you", "your",
];

/// Returns the distinct words of at least three letters, in lower case and in their order, without stop words.
pub(crate) fn split_question(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let word = word.trim_matches('_').to_lowercase();
        if word.chars().count() >= 3 && !STOP.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct_and_say_something() {
        assert_eq!(split_question("How does the `read_file` of Lock wait? LOCK, is it"), ["read_file", "lock", "wait"]);
    }
}
