//! Processes as `/proc` describes them.

pub(super) fn start_of(pid: u32) -> Option<u64> {
    start_in(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses field 22 of `/proc/PID/stat`; see `proc_pid_stat(5)`. A zombie counts as ended.
fn start_in(stat: &str) -> Option<u64> {
    // Field 2 is the program's name in parentheses, and may itself contain spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

pub(super) fn program_of(pid: u32) -> Option<String> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let name = path.file_name()?.to_str()?;
    // The program was replaced while it runs, for example by an upgrade.
    Some(name.strip_suffix(" (deleted)").unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stat: &str, expected: Option<u64>) {
        assert_eq!(start_in(stat), expected, "{stat}");
    }

    #[test]
    fn the_start_is_parsed_for_any_program_name() {
        let rest = "1 7 7 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 5 0 8813 1000 200 18446744073709551615";
        check(&format!("7 (recalld) S {rest}"), Some(8813));
        check(&format!("7 (a) S 9) R {rest}"), Some(8813));
        check(&format!("7 (recalld) Z {rest}"), None);
        check("7 (recalld) S 1 7", None);
        check("", None);
    }
}
