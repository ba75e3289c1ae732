//! Lines that import something: `from shop.cart import Cart`, `import { Cart } from "./cart.js"`, `#include <shop/cart.h>`.

/// What a line imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportLine {
    /// The paths of the files that the module may be: `shop/cart.py`.
    pub paths: Vec<String>,
    /// The names that the line takes from the module.
    pub names: Vec<String>,
}

/// The most names of a line that count.
const MOST_NAMES: usize = 4;

/// Returns what a query imports if it is a line of Python, JavaScript, Ruby, C or Rust that does; `None` if it is anything else. `quoted` is
/// what it has in double quotation marks, which `line` may lack.
///
/// Full names of classes with points, as in Java, are no matter of the line.
pub fn import_line(line: &str, quoted: Option<&str>) -> Option<ImportLine> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_of_module = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    match words[..] {
        ["from", module, "import", _, ..] if module.chars().all(is_of_module) => {
            let (_, names) = line.split_once(" import ")?;
            ImportLine::read(&module.trim_start_matches('.').replace('.', "/"), &[".py"], names)
        }
        ["import", module] | ["import", module, "as", _]
            if quoted.is_none()
                && module.contains('.')
                && module.chars().all(|c| is_of_module(c) && !c.is_uppercase()) =>
        {
            ImportLine::read(&module.replace('.', "/"), &[".py"], "")
        }
        ["use", ..] | ["pub", "use", ..] => {
            let (module, names) = line.split_once("use ")?.1.split_once("::{")?;
            ImportLine::read(&module.replace("::", "/"), &[".rs"], names)
        }
        ["import" | "export" | "const" | "let" | "var" | "require" | "require_relative" | "#include", ..] => {
            let module = quoted.or_else(|| single_quoted(line))?;
            let extensions: &[&str] = match words[0] {
                "#include" => &[""],
                "require" | "require_relative" => &[".rb"],
                "const" | "let" | "var" if !line.contains("require(") => return None,
                _ => &[".ts", ".tsx", ".js", ".mjs", ""],
            };
            let module = module.trim_start_matches(['.', '/']);
            let module = module.strip_suffix(".js").or_else(|| module.strip_suffix(".mjs")).unwrap_or(module);
            let names =
                line.split_once('{').and_then(|(_, names)| names.split_once('}')).map_or("", |(names, _)| names);
            ImportLine::read(module, extensions, names)
        }
        _ => None,
    }
}

/// Returns what a line has in single quotation marks or angle brackets at its end.
fn single_quoted(line: &str) -> Option<&str> {
    let line = line.trim_end_matches(')');
    let inner = line.strip_suffix('\'').and_then(|line| line.rsplit_once('\''));
    inner.or_else(|| line.strip_suffix('>')?.rsplit_once('<')).map(|(_, module)| module)
}

impl ImportLine {
    /// Returns what a line imports from a module whose file has one of the extensions. `None` for no path.
    fn read(module: &str, extensions: &[&str], names: &str) -> Option<Self> {
        if module.is_empty() || module.contains(char::is_whitespace) {
            return None;
        }
        let paths = extensions.iter().map(|extension| format!("{module}{extension}")).collect();
        Some(Self { paths, names: names.split(',').filter_map(imported_name).take(MOST_NAMES).collect() })
    }
}

/// Returns the name in a part of a list: `Cart` of `type Cart as C`.
fn imported_name(part: &str) -> Option<String> {
    let name = part.split_whitespace().find(|word| *word != "type")?;
    let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    (!name.is_empty() && name != "self").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_module_and_what_it_takes() {
        let check = |line: &str, quoted: Option<&str>, expected: Option<(&str, &[&str])>| {
            let found = import_line(line, quoted);
            let found = found
                .as_ref()
                .map(|found| (&*found.paths[0], found.names.iter().map(|name| &**name).collect::<Vec<_>>()));
            assert_eq!(found, expected.map(|(path, names)| (path, names.to_vec())), "{line}");
        };
        check("from shop.cart import Cart, total as sum", None, Some(("shop/cart.py", &["Cart", "total"])));
        check("from .cart import (Cart)", None, Some(("cart.py", &["Cart"])));
        check("import shop.cart as c", None, Some(("shop/cart.py", &[])));
        check("import { Cart, type Item } from ./cart.js;", Some("./cart.js"), Some(("cart.ts", &["Cart", "Item"])));
        check("const cart = require('../shop/cart')", None, Some(("shop/cart.ts", &[])));
        check("require 'shop/cart'", None, Some(("shop/cart.rb", &[])));
        check("#include <shop/cart.h>", None, Some(("shop/cart.h", &[])));
        check("use shop_core::cart::{self, Cart};", None, Some(("shop_core/cart.rs", &["Cart"])));
        for line in [
            "from the cart import prices",
            "import com.acme.shop.Cart;",
            "import users from csv",
            "use a cart",
            "import the cart",
            "require a login",
            "export data",
            "from cart",
        ] {
            check(line, None, None);
        }
    }
}
