//! A driver that mutates seeds, for runs without libFuzzer. It knows nothing about coverage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// The stack of the thread that runs a target: what the chunker asks for.
const STACK_BYTES: usize = recall_chunk::PARSE_STACK_BYTES;

/// The longest input.
const INPUT_BYTES: usize = 64 * 1024;

/// How often the target runs to make a failing input smaller.
const ATTEMPTS: usize = 300;

/// Pieces that a random byte seldom makes: characters of every length, separators, numbers at their bounds.
const PIECES: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\0",
    b"\t",
    b" ",
    b"\"",
    b"\\",
    b"'",
    b"`",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"<",
    b">",
    b":",
    b"/",
    b"#",
    b"```",
    b"\"\"\"",
    b"/*",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    "é".as_bytes(),
    "漢".as_bytes(),
    "\u{10FFFF}".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{2028}".as_bytes(),
    "İ".as_bytes(),
    b"0",
    b"-1",
    b"1e999",
    b"null",
    b"18446744073709551616",
    b"-9223372036854775808",
    b"\\u0000",
    b"\\ud800",
];

/// How long a target runs, and with which inputs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The time after which no new input is tried.
    pub time: Duration,
    /// The number of the first mutated input. Each input depends on its number and the seeds only.
    pub first: u64,
    /// A file that gets each input before it is tried: if the process dies, it has the last one.
    pub last_input: Option<PathBuf>,
}

/// Runs a target with the seeds and with mutations of them. Returns the number of inputs.
///
/// # Panics
/// If the target panics: with the number of the input, and with a smaller input that fails too.
pub fn fuzz(target: fn(&[u8]), seeds: &[Vec<u8>], plan: &Plan) -> u64 {
    with_parse_stack(|| {
        let start = Instant::now();
        for seed in seeds {
            check(target, seed, "a seed", plan);
        }
        let mut tried = 0;
        while start.elapsed() < plan.time {
            let number = plan.first.wrapping_add(tried);
            check(target, &input(seeds, number), &format!("input {number}"), plan);
            tried += 1;
        }
        tried + seeds.len() as u64
    })
}

/// Runs a function on a thread with the stack that the chunker asks for, which is more than a main thread has by default.
///
/// # Panics
/// If the function does.
pub fn with_parse_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run).expect("a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn check(target: fn(&[u8]), input: &[u8], name: &str, plan: &Plan) {
    if let Some(path) = &plan.last_input {
        std::fs::write(path, input).expect("the input is kept");
    }
    if fails(target, input) {
        let small = minimise(target, input.to_vec());
        panic!("{name} fails; smaller: b\"{}\"", small.escape_ascii());
    }
}

fn fails(target: fn(&[u8]), input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| target(input))).is_err()
}

/// Removes parts while the target still fails.
fn minimise(target: fn(&[u8]), mut input: Vec<u8>) -> Vec<u8> {
    let mut part = input.len() / 2;
    let mut attempts = 0;
    while part > 0 {
        let mut at = 0;
        while at < input.len() && attempts < ATTEMPTS {
            let shorter = [&input[..at], &input[(at + part).min(input.len())..]].concat();
            attempts += 1;
            if fails(target, &shorter) {
                input = shorter;
            } else {
                at += part;
            }
        }
        part /= 2;
    }
    input
}

/// Makes the input with that number.
fn input(seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(number);
    let mut input = seeds[rng.usize(..seeds.len())].clone();
    for _ in 0..rng.usize(1..8) {
        let other = &seeds[rng.usize(..seeds.len())];
        mutate(&mut input, other, &mut rng);
        input.truncate(INPUT_BYTES);
    }
    input
}

/// Changes an input once.
fn mutate(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.usize(..=input.len());
    let end = (at + 1 + rng.usize(..=input.len()) / (1 << rng.u32(..8))).min(input.len());
    match rng.u32(..9) {
        0 => input.truncate(at),
        1 => drop(input.drain(at..end)),
        2 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << rng.u32(..8)),
        3 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte = rng.u8(..)),
        4 => drop(input.splice(at..at, rng.choice(PIECES).expect("pieces").iter().copied())),
        5 => {
            let part = input[at..end].repeat(1 + rng.usize(..64));
            drop(input.splice(at..at, part));
        }
        6 => {
            let part = input[at..end].to_vec();
            let to = rng.usize(..=input.len());
            drop(input.splice(to..to, part));
        }
        7 => {
            let from = rng.usize(..=other.len());
            let part = &other[from..(from + rng.usize(..=64)).min(other.len())];
            drop(input.splice(at..at, part.iter().copied()));
        }
        _ => {
            let piece = rng.choice(PIECES).expect("pieces").repeat(rng.usize(..1_000));
            drop(input.splice(at..at, piece));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_input_and_a_smaller_one() {
        let target = |bytes: &[u8]| assert!(!bytes.contains(&b'!'), "found");
        let plan = Plan { time: Duration::ZERO, first: 0, last_input: None };
        assert_eq!(fuzz(target, &[b"seed".to_vec()], &plan), 1);
        let failure = catch_unwind(|| fuzz(target, &[b"a seed! of several words".to_vec()], &plan));
        let message = *failure.expect_err("it fails").downcast::<String>().expect("a text");
        assert_eq!(message, "a seed fails; smaller: b\"!\"");
    }

    #[test]
    fn an_input_depends_on_its_number() {
        let seeds = [b"one two three".to_vec(), b"{\"a\": 1}".to_vec()];
        assert!((0..500).all(|number| input(&seeds, number) == input(&seeds, number)));
        assert!((0..500).any(|number| input(&seeds, number) != input(&seeds, number + 1)));
    }
}
