//! Embeds the collection `tests/collections/payments`, which `recall eval` takes without a dataset.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    // Asked at run time: a target folder that two clones share may hold this program as the other one built it.
    let here = env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo sets CARGO_MANIFEST_DIR for build scripts")?;
    let folder = Path::new(&here).join("../../tests/collections/payments").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut list = String::from("[\n");
    for file in &files {
        let below = file.strip_prefix(&folder)?.to_string_lossy().replace('\\', "/");
        writeln!(list, "    ({below:?}, include_bytes!({:?}) as &[u8]),", file.display().to_string())?;
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?;
    fs::write(Path::new(&out).join("payments.rs"), list)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
