//! What a server says about a failure.

use serde_json::Value;

/// The most characters of a server's message that are shown.
const MOST_CHARS: usize = 300;

/// Returns the message in the body of a failure, on one line; empty if there is none.
///
/// Vendors write `{"error": {"message": …}}`, `{"error": …}`, `{"detail": …}` or `{"message": …}`. A body that is not JSON is a page
/// for a browser, and not shown.
pub(crate) fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return String::new() };
    let places = ["/error/message", "/error", "/detail", "/message"];
    let found = places.iter().find_map(|place| value.pointer(place)?.as_str());
    let line: String = found.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_found_where_each_vendor_writes_it() {
        let check = |body: &str, expected: &str| assert_eq!(message(body), expected, "{body}");
        check(r#"{"error":{"message":"too\nlong","type":"x"}}"#, "too long");
        check(r#"{"error":"model not found"}"#, "model not found");
        check(r#"{"detail":"batch too large"}"#, "batch too large");
        check(r#"{"message":"no"}"#, "no");
        check("<html>teapot</html>", "");
        assert_eq!(message(&format!(r#"{{"error":"{}"}}"#, "x".repeat(1000))).len(), MOST_CHARS);
    }
}
