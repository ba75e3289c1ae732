//! Tells the program which system it was built for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=RECALL_DIST_HOST={}", std::env::var("TARGET").expect("cargo sets it"));
}
