use std::fs;

use super::*;

/// Writes files below a home folder, in which `@` stands for that folder, and returns the ignore file below it.
fn check(files: &[(&str, &str)], expected: Option<&str>) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = dunce::canonicalize(folder.path()).expect("there");
    for (path, text) in files {
        let file = home.join(path);
        fs::create_dir_all(file.parent().expect("below")).expect("made");
        fs::write(file, text.replace('@', home.to_str().expect("text"))).expect("written");
    }
    let config = UserConfig { home: Some(home.clone()), config_home: None };
    let path = config.ignore_file().path;
    assert_eq!(path, expected.map(|expected| home.join(expected)), "{files:?}");
}

#[test]
fn the_ignore_file_is_the_configured_one_or_the_default() {
    check(&[], Some(".config/git/ignore"));
    check(&[(".gitconfig", "[user]\n\tname = x\n")], Some(".config/git/ignore"));
    for text in [
        "[core]\n\texcludesFile = ~/gi\n",
        "[core]\nexcludesfile=@/gi",
        "[CORE] EXCLUDESFILE = \"~/gi\" # mine",
        "[core]\n  autocrlf = input\n  excludesFile = ~/g\\\ni ; mine\n[core \"x\"]\nexcludesFile = ~/other\n",
        "\u{FEFF}# excludesFile = ~/other\n[core]\nexcludesFile = ~/other\nexcludesFile = ~/gi\n",
    ] {
        check(&[(".gitconfig", text)], Some("gi"));
    }
    check(&[(".config/git/config", "[core]\nexcludesFile = ~/gi\n")], Some("gi"));
    check(
        &[
            (".config/git/config", "[core]\nexcludesFile = ~/first\n"),
            (".gitconfig", "[core]\nexcludesFile = ~/second\n"),
        ],
        Some("second"),
    );
}

#[test]
fn an_empty_or_relative_name_means_no_ignore_file() {
    check(&[(".gitconfig", "[core]\nexcludesFile =\n")], None);
    check(&[(".gitconfig", "[core]\nexcludesFile = gi\n")], None);
}

#[test]
fn included_files_count_where_they_are_included() {
    let included = (".config/mine", "[core]\nexcludesFile = ~/gi\n");
    check(&[(".gitconfig", "[include]\npath = .config/mine\n"), included], Some("gi"));
    check(&[(".gitconfig", "[include]\npath = ~/.config/mine\n"), included], Some("gi"));
    let then = "[include]\npath = @/.config/mine\n[core]\nexcludesFile = ~/later\n";
    check(&[(".gitconfig", then), included], Some("later"));
    let circle = "[include]\npath = .gitconfig\n[core]\nexcludesFile = ~/gi\n";
    check(&[(".gitconfig", circle)], Some("gi"));
}

#[test]
fn the_folder_of_configuration_may_be_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = UserConfig { home: None, config_home: Some(folder.path().to_owned()) };
    assert_eq!(config.ignore_file().path, Some(folder.path().join("git/ignore")));
    assert_eq!(UserConfig::default().ignore_file(), UserIgnoreFile::default());
}
