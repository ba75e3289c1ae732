#!/bin/bash -eu
# Builds each target of fuzz/guided, and limits their inputs. OSS-Fuzz sets SRC and OUT and runs this in its own container.
cd "$SRC/recall"

cargo fuzz build --fuzz-dir fuzz/guided --release
for source in fuzz/guided/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    cp "fuzz/guided/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    # The longest input of the tests, which are enough for every limit of the readers.
    printf '[libfuzzer]\nmax_len = 65536\n' > "$OUT/$target.options"
done
