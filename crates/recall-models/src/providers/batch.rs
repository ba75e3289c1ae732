//! Batches of texts of similar length, within a number of texts and of tokens.

/// A text with its place in the caller's list and its estimated tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) place: usize,
    pub(crate) text: String,
    pub(crate) tokens: usize,
    /// How often the server refused it alone.
    pub(crate) refusals: u32,
}

/// Sorts texts by length, the longest first, and cuts them into batches. A text that exceeds the tokens is a batch of its own.
pub(crate) fn batches(mut items: Vec<Item>, most_texts: usize, most_tokens: usize) -> Vec<Vec<Item>> {
    items.sort_by(|one, other| other.tokens.cmp(&one.tokens).then(one.place.cmp(&other.place)));
    let mut batches: Vec<Vec<Item>> = Vec::new();
    let mut tokens = 0;
    for item in items {
        let fits = |batch: &&mut Vec<Item>| batch.len() < most_texts && tokens + item.tokens <= most_tokens;
        if let Some(batch) = batches.last_mut().filter(fits) {
            tokens += item.tokens;
            batch.push(item);
        } else {
            tokens = item.tokens;
            batches.push(vec![item]);
        }
    }
    batches
}

/// Cuts a text to `most_tokens` by estimate, at a character.
pub(crate) fn cut(text: &mut String, tokens: usize, most_tokens: usize) {
    if tokens > most_tokens {
        let most = text.len().saturating_mul(most_tokens) / tokens;
        text.truncate(text.floor_char_boundary(most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(place: usize, tokens: usize) -> Item {
        Item { place, text: String::new(), tokens, refusals: 0 }
    }

    #[test]
    fn batches_are_sorted_and_within_both_limits() {
        let items = [3, 9, 1, 4, 20, 4].into_iter().enumerate().map(|(place, tokens)| item(place, tokens)).collect();
        let batches = batches(items, 3, 14);
        let tokens: Vec<Vec<usize>> =
            batches.iter().map(|batch| batch.iter().map(|item| item.tokens).collect()).collect();
        assert_eq!(tokens, [vec![20], vec![9, 4], vec![4, 3, 1]]);
        let mut places: Vec<usize> = batches.into_iter().flatten().map(|item| item.place).collect();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4, 5], "no text is lost");
    }

    #[test]
    fn a_text_is_cut_at_a_character() {
        let mut text = "größer".repeat(10);
        cut(&mut text, 40, 10);
        assert!(text.len() <= 20 && text.starts_with("größer"), "{text}");
        let mut short = "short".to_owned();
        cut(&mut short, 2, 10);
        assert_eq!(short, "short");
    }
}
