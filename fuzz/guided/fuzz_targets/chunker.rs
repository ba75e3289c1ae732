#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| recall_fuzz::with_parse_stack(|| recall_fuzz::chunker(bytes)));
