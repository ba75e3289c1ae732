//! Secrets in shapes that were written down before the rules were tried on them, and their look-alikes.
//!
//! The forms of `places` are those for which rules exist, so that a share of them says how well a rule works, not how many shapes
//! have one. Here a name, a syntax and its surroundings are chosen by chance from lists that are longer than those of the rules.

use oorandom::Rand32;
use recall_secrets::{Masker, Settings};

use crate::samples::filled;

/// The number of generated samples, and of generated look-alikes.
const SAMPLES: u64 = 3_000;

/// Seeds that were not used to develop the rules.
const UNSEEN_SEEDS: [u64; 2] = [0xf4e5_4001, 0x00dd_ba11];

/// The least share of samples that are masked, and the largest share of look-alikes.
const LEAST_MASKED: f64 = 0.96;
const MOST_FALSE: f64 = 0.001;

/// Names of passwords, as they are written in code and settings.
const NAMES: &[&str] = &[
    "password",
    "db_password",
    "DB_PASSWORD",
    "adminPassword",
    "smtp_pass",
    "SMTP_PASSWORD",
    "passphrase",
    "rootPassword",
    "FTP_PASSWD",
    "ldap-password",
    "API_TOKEN",
    "apiKey",
    "client_secret",
    "auth_token",
    "ACCESS_KEY",
    "webhook_secret",
];

/// Syntaxes of settings and of code. `@` is the name, `V` the value.
const SYNTAXES: &[&str] = &[
    "const x = process.env.@ || \"V\";",
    "const x = process.env['@'] ?? 'V';",
    "let @ = process.env.T || 'V'",
    "@: import.meta.env.T ?? \"V\",",
    "x = os.getenv(\"@\") or \"V\"",
    "x = os.environ.get('@', 'V')",
    "@ = os.environ.get('T') or 'V'",
    "x = ENV[\"@\"] || \"V\"",
    "x = ENV.fetch('@', 'V')",
    "x = ENV.fetch(\"@\") { \"V\" }",
    "$x = getenv('@') ?: 'V';",
    "$x = $_ENV['@'] ?? 'V';",
    "$@ = $_SERVER['T'] ?? 'V';",
    "x=${@:-V}",
    ": \"${@:=V}\"",
    "let x = std::env::var(\"@\").unwrap_or(\"V\".to_owned());",
    "let x = env::var(\"@\").unwrap_or_else(|_| \"V\".into());",
    "val x = System.getenv(\"@\") ?: \"V\"",
    "String x = System.getenv().getOrDefault(\"@\", \"V\");",
    "var x = Environment.GetEnvironmentVariable(\"@\") ?? \"V\";",
    "x := getEnv(\"@\", \"V\")",
    "viper.SetDefault(\"@\", \"V\")",
    "parser.add_argument('--@', default='V')",
    "define('@', 'V');",
    "#define @ \"V\"",
    "set(@ \"V\")",
    "$env:@ = 'V'",
    "set -gx @ V",
    "setenv @ V",
    "@ ?= V",
    "(setq @ \"V\")",
    "{@, \"V\"},",
    ":@ \"V\"",
    ".@ = \"V\",",
    "@ => 'V',",
    "@: &pw V",
    "@ = \"V\"",
    "@: V",
    "@=V",
    "\"@\": \"V\",",
    "'@': 'V'",
    "<@ value=\"V\"/>",
    "<@ type=\"plain\">V</@>",
    "<@ name=\"x\" value='V' />",
    "<entry key=\"@\">V</entry>",
    "<property name=\"@\" value=\"V\"/>",
    "<tr><td>@</td><td>V</td></tr>",
    "| @ | V |",
    "| @ | `V` |",
    "| `@` | `V` | staging |",
    "| **@** | V | prod |",
    "| user | @ |\n|---|---|\n| admin | V |",
    "| host | @ | port |\n|:--|:-:|--:|\n| db1 | `V` | 5432 |\n| db2 | `V` | 5432 |",
    "user,@,active\nadmin,V,yes",
    "user;@\nadmin;V",
    "**@:** `V`",
    "**@**: V",
    "*@*: `V`",
    "@ — V",
    "@ → V",
    "@ (staging): V",
    "@ for the staging server: V",
    "The @ of staging is V.",
    "| @ | V",
    ":@: V",
    "Environment=\"@=V\"",
    "--@=V",
    "--@ V",
    "curl -d '{\"@\":\"V\"}' https://x.io",
    "level=info msg=login @=V user=app",
    "docker run -e @=V app",
    "docker build --build-arg @=V .",
    "ENV @ V",
    "ARG @=V",
    "export @='V'",
    "  - name: @\n    value: V",
    "  - name: @\n    value: \"V\"",
    "@: >-\n  V",
    "variable \"@\" {\n  default = \"V\"\n}",
];

/// Forms with names of their own.
const FORMS: &[&str] = &[
    "headers: { Authorization: 'Bearer ' + '⟦{an:40}⟧' }",
    "req.setHeader(\"Authorization\", \"Bearer \" + \"⟦{hex:40}⟧\");",
    "$h = \"Authorization: Bearer \" . \"⟦{an:32}⟧\";",
    "headers['Authorization'] = 'token ' + '⟦{an:36}⟧'",
    "pw: ⟦{pw:12}⟧",
    "PW = ⟦{pw:12}⟧",
    "mot de passe : ⟦{pw:12}⟧",
    "Mot de passe: ⟦{pw:12}⟧",
    "contraseña: ⟦{pw:12}⟧",
    "Contraseña = ⟦{pw:12}⟧",
    "senha: ⟦{pw:12}⟧",
    "Wachtwoord: ⟦{pw:12}⟧",
    "lösenord: ⟦{pw:12}⟧",
    "hasło: ⟦{pw:12}⟧",
    "heslo: ⟦{pw:12}⟧",
    "Kennwort: ⟦{pw:12}⟧",
    "das Passwort lautet ⟦{pw:12}⟧",
    "пароль: ⟦{pw:12}⟧",
    "密码：⟦{pw:12}⟧",
    "パスワード: ⟦{pw:12}⟧",
    "비밀번호: ⟦{pw:12}⟧",
    "credentials: admin:⟦{pw:12}⟧",
    "creds = \"deploy:⟦{pw:12}⟧\"",
    "Login: admin / ⟦{pw:12}⟧",
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{url:43}\",\"y\":\"{url:43}\",\"d\":\"⟦{url:43}⟧\"}",
    "\"d\": \"⟦{url:43}⟧\",",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"rsa-key\"\n⟦{lines:4}⟧\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "⟦pat{an:14}.{hex:64}⟧",
    "⟦API-{ua:27}⟧",
    "⟦tk-us-{url:48}⟧",
    "⟦sm_aat_{an:16}⟧",
    "⟦zpka_{la:32}_{hex:8}⟧",
    "⟦KEY0{HEX:31}_{an:22}⟧",
    "⟦{an:6}_{an:29}_mmk⟧",
    "⟦NRIQ-{url:32}⟧",
    "⟦llx-{an:48}⟧",
    "⟦fc-{hex:32}⟧",
    "⟦e2b_{hex:40}⟧",
    "⟦xaat-{uuid}⟧",
    "⟦xau_{an:38}⟧",
    "⟦mlsn.{hex:64}⟧",
    "⟦dnkey-{ua:26}-{ua:52}⟧",
    "⟦aio_{an:28}⟧",
    "⟦hbp_{an:36}⟧",
    "⟦rpa_{ua:40}⟧",
    "⟦polar_oat_{an:43}⟧",
    "⟦signkey-prod-{hex:64}⟧",
    "⟦dnsimple_a_{an:32}⟧",
    "⟦sk1_{hex:64}⟧",
    "⟦pa-{url:43}⟧",
    "⟦tr_prod_{an:20}⟧",
];

/// What surrounds a sample: nothing, bullets, comments, a quotation, a code block, other lines.
const AROUND: &[&str] = &[
    "X",
    "- X",
    "* X",
    "1. X",
    "> X",
    "# X",
    "// X",
    "    X",
    "- [ ] X",
    "• X",
    "```\nX\n```",
    "before it\nX\nand after it",
    "Deployed on Friday:\n\n  X\n",
];

/// Values of secrets in code and settings.
const VALUES: &[&str] = &["{pw:14}", "{an:24}", "{hex:32}", "{an:32}", "{ld:16}", "{sp:16}"];

/// Values that are none: words, variables, types, references, numbers.
const OTHERS: &[&str] = &[
    "string",
    "changeme",
    "required",
    "${SECRET_{ua:3}}",
    "<your-{la:5}>",
    "{{ vault_{la:4} }}",
    "see-the-wiki",
    "********",
    "null",
    "true",
    "{d:2}",
    "config.secrets.{la:4}",
    "/run/secrets/db_{la:3}",
    "your-password-here",
    "not-set",
    "REDACTED",
    "env.DB_{ua:4}",
    "https://wiki.acme.io/{la:6}",
    "placeholder",
];

/// Look-alikes with names of their own.
const LOOKALIKES: &[&str] = &[
    "fetch(url, { credentials: 'include' })",
    "credentials: same-origin",
    "credentials: user:password",
    "Login: see the wiki / page {d:2}",
    "headers: { Authorization: 'Bearer ' + token{d:1} }",
    "'Bearer ' + '<token-{d:2}>'",
    "<path d=\"M{d:2} {d:2}h{d:2}v{d:2}H0z\"/>",
    "\"d\": \"M{d:2}.{d:2} {d:2}l{d:1} {d:2}z\",",
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{url:43}\",\"y\":\"{url:43}\"}",
    "API-REFERENCE-{d:2}, API-{ua:4}, KEYBOARD_{d:2}, KEY0_{ua:3}",
    "pathological.patterns pat{la:5}.{la:6}",
    "| token | the token of the next page | {d:2} |",
    "| Password | at least {d:2} characters | yes |",
    "| commit | author |\n|---|---|\n| {hex:40} | Ada |",
    "| token | count |\n|---|---|\n| the | {d:4} |\n| ing | {d:3} |",
    "| name | password |\n|---|---|\n| bob | changed {d:1} days ago |",
    "name,password_hash_algorithm\nbob,argon2id",
    "id,token_count,name\n1,{d:4},a",
    "**Token:** required",
    "**Password** is checked in `login.rs:{d:3}`",
    "mot de passe : obligatoire",
    "la contraseña es obligatoria (mínimo {d:1})",
    "senha: string",
    "密码：必填",
    "the pass was at 10:{d:2} and {d:2} tests pass: all",
    "pw={d:3}px; ph={d:3}px",
    "password — see chapter {d:2}",
    "password → login → session{d:1}",
    "secret - a novel in {d:2} parts",
    "token for the parser: Ident{d:1}",
    "key: {la:5}, value: {la:7}",
    "---- BEGIN SSH2 PUBLIC KEY ----\n{lines:3}\n---- END SSH2 PUBLIC KEY ----",
    "- [x] password reset works in v{d:1}.{d:2}.{d:1}",
    "const password = form.password || form.pass{d:1} || \"\"",
    "const token = params.token ?? cookies.token{d:1}",
    "token = next(tokens) or 'end of file'",
    "password = input(\"Password: \") or 'default'",
];

/// Chooses an entry of a list.
fn one<'a>(list: &[&'a str], random: &mut Rand32) -> &'a str {
    list[random.rand_range(0..list.len() as u32) as usize]
}

/// Returns a form with a name and these values in chosen surroundings. Each value is a secret.
fn assignment(values: &[&str], random: &mut Rand32) -> String {
    let syntax = one(SYNTAXES, random).replace('@', one(NAMES, random));
    let value = format!("⟦{}⟧", one(values, random));
    // The name may contain the placeholder letter of the value.
    let parts: Vec<&str> = syntax.split('V').collect();
    let is_place = |at: usize| {
        let before = parts[at].bytes().last();
        let after = parts[at + 1].bytes().next();
        let is_letter = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        !is_letter(before) && !is_letter(after)
    };
    let mut form = parts[0].to_owned();
    for at in 0..parts.len() - 1 {
        form.push_str(if is_place(at) { &value } else { "V" });
        form.push_str(parts[at + 1]);
    }
    form
}

/// Puts a form into chosen surroundings. Its further lines are indented like the first one.
fn surrounded(form: &str, random: &mut Rand32) -> String {
    let around = one(AROUND, random);
    // A table or a key of several lines has its own lines.
    if form.contains('\n') && !around.contains('\n') { form.to_owned() } else { around.replacen('X', form, 1) }
}

#[test]
fn at_least_96_percent_of_fresh_shapes_are_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    let (mut all, mut missed) = (0, Vec::new());
    for seed in UNSEEN_SEEDS {
        for nth in 0..SAMPLES {
            let random = &mut Rand32::new(seed + nth);
            // A third has names of its own.
            let form = if nth % 3 == 0 { one(FORMS, random).to_owned() } else { assignment(VALUES, random) };
            let sample = filled(&surrounded(&form, random), random);
            let left = masker.mask(&sample.text);
            all += 1;
            let is_shown = |secret: &String| secret.lines().any(|line| left.contains(line));
            if sample.secrets.iter().any(is_shown) {
                missed.push(format!("{form}: {:?}", sample.text));
            }
        }
    }
    let share = 1.0 - missed.len() as f64 / f64::from(all);
    println!("fresh shapes: {} of {all} missed, {:.1} % masked", missed.len(), share * 100.0);
    missed.sort();
    assert!(share >= LEAST_MASKED, "{share}\n{}", missed.join("\n"));
}

#[test]
fn at_most_one_in_a_thousand_fresh_lookalikes_is_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    let (mut all, mut findings) = (0, Vec::new());
    for seed in UNSEEN_SEEDS {
        for nth in 0..SAMPLES {
            let random = &mut Rand32::new(seed + nth);
            let form = if nth % 3 == 0 { one(LOOKALIKES, random).to_owned() } else { assignment(OTHERS, random) };
            let text = filled(&surrounded(&form, random), random).text;
            all += 1;
            findings.extend(masker.find(&text).first().map(|found| format!("{}: {text:?}", found.rule)));
        }
    }
    println!("fresh look-alikes: {} of {all} masked", findings.len());
    findings.sort();
    assert!(findings.len() as f64 <= f64::from(all) * MOST_FALSE, "{}\n{}", findings.len(), findings.join("\n"));
}
