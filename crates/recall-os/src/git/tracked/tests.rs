use super::*;

#[test]
fn files_and_folders_are_found_by_their_paths() {
    let tracked = TrackedFiles::from_sorted(["a-b/c", "a/b", "a/c/d", "b"].into_iter());
    assert_eq!(tracked.len(), 4);
    for (path, is_file, is_folder) in [
        ("a", false, true),
        ("a-b", false, true),
        ("a/b", true, false),
        ("a/c", false, true),
        ("a/c/d", true, false),
        ("b", true, false),
        ("c", false, false),
        ("", false, false),
    ] {
        assert_eq!((tracked.contains(path), tracked.has_below(path)), (is_file, is_folder), "{path}");
    }
    assert!(TrackedFiles::default().is_empty() && !TrackedFiles::default().contains(""));
}

/// Builds an index of version 2 with one entry for each path.
fn index(paths: &[&str]) -> Vec<u8> {
    let mut bytes = [&b"DIRC"[..], &2_u32.to_be_bytes(), &(paths.len() as u32).to_be_bytes()].concat();
    for path in paths {
        let mut entry = vec![0; 62];
        entry[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
        entry[60..62].copy_from_slice(&(path.len() as u16).to_be_bytes());
        entry.extend_from_slice(path.as_bytes());
        entry.resize((entry.len() + 1).next_multiple_of(8), 0);
        bytes.extend(entry);
    }
    bytes.extend([0; 20]);
    bytes
}

/// Damage of any byte, or a missing end, may lose paths, but neither panics nor reserves memory.
#[test]
fn a_damaged_index_is_survived() {
    let bytes = index(&["one", "two/three"]);
    let expected = ["one", "two/three"].map(|path| Some(path.to_owned())).to_vec();
    assert_eq!(Index::parse(&bytes).expect("an index").paths, expected);
    for at in 0..bytes.len() {
        let _ = Index::parse(&bytes[..at]);
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let _ = Index::parse(&damaged);
        }
    }
    assert_eq!(Index::parse(b"DIRC"), None);
    assert_eq!(Index::parse(&[&b"DIRC\0\0\0\x02\xff\xff\xff\xff"[..], &[0; 20]].concat()), None);
}
