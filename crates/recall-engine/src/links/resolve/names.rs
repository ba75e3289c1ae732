//! Imports of Ruby, PHP, Lua, Elixir and Haskell.

use crate::links::resolve::guess::{Guess, Reach, Thing, beside, guess, tail};

/// Resolves `require "a/b"` below a library directory, and `require_relative "../x"` next to the file.
pub(crate) fn ruby_guesses(from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["rb", "rake"]);
    let target = target.strip_suffix(".rb").unwrap_or(target);
    let mut found: Vec<Guess> = beside(from, target).into_iter().map(|path| guess(path, Reach::Here, FILES)).collect();
    if !target.starts_with('.') {
        found.push(guess(format!("lib/{target}"), Reach::Anywhere, FILES));
        if target.contains('/') {
            found.push(guess(target, Reach::Anywhere, FILES));
        }
    }
    found
}

/// Resolves `App\Models\User`, whose first parts map to a source directory (PSR-4), or the path of a file.
pub(crate) fn php_guesses(from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["php"]);
    if !target.contains('\\') {
        let path = beside(from, target.trim_start_matches('/'));
        return path.into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect();
    }
    let parts: Vec<&str> = target.split('\\').filter(|part| !part.is_empty()).collect();
    let mut found = vec![guess(tail(&parts, 0), Reach::Anywhere, FILES)];
    for start in 1..parts.len() {
        for source in ["src", "app", "lib"] {
            found.push(guess(format!("{source}/{}", tail(&parts, start)), Reach::Anywhere, FILES));
        }
        if parts.len() - start >= 2 {
            found.push(guess(tail(&parts, start), Reach::Anywhere, FILES));
        }
    }
    found
}

/// Resolves `require "a.b"` below a search directory.
pub(crate) fn lua_guesses(from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["lua"]);
    let path = target.strip_suffix(".lua").map_or_else(|| target.replace('.', "/"), str::to_owned);
    let mut found: Vec<Guess> = beside(from, &path).into_iter().map(|path| guess(path, Reach::Here, FILES)).collect();
    for source in ["lua", "src"] {
        found.push(guess(format!("{source}/{path}"), Reach::Anywhere, FILES));
    }
    let reach = if path.contains('/') { Reach::Anywhere } else { Reach::Here };
    found.push(guess(path, reach, FILES));
    found
}

/// `MyApp.Accounts.User` is defined in `my_app/accounts/user.ex`.
pub(crate) fn elixir_guesses(_from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["ex", "exs"]);
    let parts: Vec<String> = target.split('.').map(snake_case).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let mut found = vec![guess(tail(&parts, 0), Reach::Anywhere, FILES)];
    for start in 1..parts.len().saturating_sub(1) {
        found.push(guess(tail(&parts, start), Reach::Anywhere, FILES));
    }
    found
}

/// `Data.Map` is in `Data/Map.hs`.
pub(crate) fn haskell_guesses(_from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["hs", "lhs", "hsc", "chs"]);
    vec![guess(target.replace('.', "/"), Reach::Anywhere, FILES)]
}

/// `HTTPServer` becomes `http_server`, as Elixir's `Macro.underscore` has it.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let begins_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || letters.get(at + 1).is_some_and(|next| next.is_lowercase())
            });
        if begins_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
