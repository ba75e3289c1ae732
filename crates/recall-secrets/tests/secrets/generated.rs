//! Generated look-alikes: random-looking text that is not a secret.

use oorandom::Rand32;
use recall_secrets::{Masker, Settings};

use crate::samples::filled;

/// Seeds that were not used to develop the rules.
const UNSEEN_SEEDS: [u64; 2] = [0x10_0ca1, 0xdec0_4de5];

/// The number of samples of each form and seed.
const SAMPLES: u64 = 40;

/// The largest share of look-alikes that may be masked.
const MOST_MASKED: f64 = 0.005;

const LOOKALIKES: &[&str] = &[
    // Hashes and ids.
    "commit {hex:40}",
    "Merge branch 'x' of {hex:7}..{hex:7}",
    "    uses: actions/checkout@{hex:40} # v4",
    "image: registry.acme.io/app@sha256:{hex:64}",
    "sha256 = \"{hex:64}\"",
    "checksum = \"{hex:64}\"",
    "{hex:64}  release.tar.gz",
    "\"integrity\": \"sha512-{b64:86}==\",",
    "      integrity: sha512-{b64:86}==",
    "github.com/acme/app v1.2.3 h1:{b64:43}=",
    "ETag: \"{hex:32}\"",
    "id: {uuid}",
    "\"requestId\": \"{uuid}\"",
    "trace_id={hex:32} span_id={hex:16}",
    "traceparent: 00-{hex:32}-{hex:16}-01",
    "<Project Guid=\"{uuid}\">",
    "#[doc(alias = \"{hex:16}\")]",
    "revision {d:6}, build {d:10}",
    "fingerprint SHA256:{b64:43}",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64:43} me@host",
    "-----BEGIN CERTIFICATE-----\n{lines:12}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{lines:4}\n-----END PUBLIC KEY-----",
    "-----BEGIN PGP SIGNATURE-----\n\n{lines:6}\n-----END PGP SIGNATURE-----",
    "PublicKey = {b64:43}=",
    "public_key: \"{b64:43}=\"",
    "STRIPE_PUBLISHABLE_KEY=pk_live_{an:24}",
    "csrf_token = \"{an:32}\"",
    "next_page_token: \"{an:40}\"",
    "cursor={url:24}",
    "key_id: {hex:16}",
    "\"kid\": \"{url:22}\"",
    "{\"kty\":\"RSA\",\"n\":\"{url:342}\",\"e\":\"AQAB\"}",
    "password_hash = \"$argon2id$v=19$m=65536,t=3,p=4${b64:22}${b64:43}\"",
    "assert_eq!(hash, \"{hex:64}\");",
    "const SEED: u64 = 0x{hex:16};",
    "etherscan 0x{hex:40}",
    "Subproject commit {hex:40}",
    "@generated SignedSource<<{hex:32}>>",
    // Pictures, fonts, styles, code.
    "src=\"data:image/png;base64,{b64:400}==\"",
    "url(data:font/woff2;base64,{b64:300})",
    "color: #{hex:6}; background: #{hex:3};",
    "var a{d:2}=function(e,t){return e[\"{la:4}\"]+t.{la:3}}(b{d:1},c);",
    "webpackChunk_{hex:8}.push([[{d:3}],{{d:4}:function(e){}}]);",
    "<script src=\"/static/js/main.{hex:8}.chunk.js\">",
    "//# sourceMappingURL=data:application/json;base64,{b64:200}",
    "M{d:2}.{d:2} {d:2}.{d:2}C{d:2}.{d:1} {d:2} {d:2} {d:2}z",
    "test_parses_{la:4}_into_{la:6}_{d:3}",
    "0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2},",
    "\\u{hex:4}\\u{hex:4}",
    "Lorem-{d:4}-ipsum_{d:2}",
    // References to secrets and placeholders.
    "password: ${DB_PASSWORD_{ua:4}}",
    "PASSWORD=$PASS_{ua:3}",
    "token: ${{ secrets.TOKEN_{ua:4} }}",
    "api_key = os.environ[\"API_KEY_{ua:4}\"]",
    "password = getpass(prompt{d:1})",
    "secret = vault.read(\"secret/data/{la:6}\")",
    "client_secret: <your-{la:5}-secret>",
    "API_KEY={{ api_key_{la:3} }}",
    "let token = next_token(stream{d:1});",
    "token = tokens[{d:2}]",
    "password: string; // {d:2}",
    "mysql -u root -p shop{d:2}",
    "mysql -u root -p$MYSQL_PASSWORD shop{d:2}",
    "curl -u $USER:$PASS https://x{d:2}.io",
    "curl -u \"${USER}:${PASS}\" https://x{d:2}.io",
    "curl -u user:password https://x{d:2}.io",
    "sshpass -p \"$PW{d:1}\" ssh h",
    "redis-cli -a \"$REDIS_PASSWORD\" -n {d:1}",
    "docker run -p {d:4}:{d:4} --user {d:4}:{d:4} app",
    "mongod --port {d:5} -p",
    "kind: Secret\nmetadata:\n  name: s{d:3}\ndata:\n  password: {{ .Values.password | b64enc }}\n",
    "kind: ConfigMap\ndata:\n  revision: {hex:40}\n",
    "kind: SecretStore\ndata:\n  x: {hex:40}\n",
    "machine {la:8}.acme.io login deploy password $PASSWORD",
    "X-Api-Key: <key-{d:3}>",
    "X-Request-Id: {uuid}",
    "Authorization: Bearer $TOKEN_{d:2}",
    "Cookie: theme=dark; lang=en; _ga=GA1.2.{d:9}.{d:10}",
    "Cookie: sessionid=$SESSION{d:2}",
    "http://user:pass@host{d:2}:8080/",
    "https://host:{d:4}/a@{la:4}",
    "<password>${env.PW{d:1}}</password>",
    "<add key=\"PageSize\" value=\"{d:4}\" />",
    "<add key=\"ApiKey\" value=\"#{ApiKey{d:1}}#\" />",
    "echo \"::add-mask::$TOKEN{d:1}\"",
    "pass: {d:3} fail: {d:2}",
    "tests: {d:3} pass, {d:2} fail",
    "The password is at least {d:1} characters long and rotates every {d:2} days.",
    "The password for test {d:2} is optional and the token for run {d:1} is new",
    "The secret of step {d:1} is src/lib{d:1}.rs, as ever",
    "cat <<EOF | sudo -S tee f{d:2}",
    "the token is valid for {d:4} seconds",
    "see secret manager v{d:1}.{d:2}",
    "E_{ua:6}_TOKEN = 0x{HEX:8}u32",
    "STATUS_WRONG_PASSWORD: NTSTATUS = 0x{HEX:8}_u32 as _;",
    "https://codecov.io/gh/acme/app/branch/main/graph/badge.svg?token={ua:10}",
    "md-{la:5}-{la:5} key-{la:5} sk-{la:4} hf_{la:5} pat-{la:4}",
    "compass: {la:9}{d:1}, bypass = {la:8}{d:1}",
    "zip -r out{d:2}.zip data; unzip -p a.zip x{d:1}.txt",
    "openssl rsa -in key{d:1}.pem -passin env:PASS",
    "connect ECONNREFUSED 127.0.0.1:{d:5}",
    "wmic path Win32_{la:8} get Name",
];

#[test]
fn at_most_half_a_percent_of_generated_lookalikes_is_masked() {
    let masker = Masker::new(Settings::default()).unwrap();
    let (mut all, mut findings) = (0, Vec::new());
    for seed in UNSEEN_SEEDS {
        for (nth, form) in LOOKALIKES.iter().enumerate() {
            for sample in 0..SAMPLES {
                let text = filled(form, &mut Rand32::new(seed + nth as u64 * SAMPLES + sample)).text;
                all += 1;
                findings.extend(masker.find(&text).first().map(|found| format!("{}: {text}", found.rule)));
            }
        }
    }
    println!("{} forms of look-alikes, {} of {all} masked", LOOKALIKES.len(), findings.len());
    assert!(LOOKALIKES.len() >= 90);
    assert!(
        (findings.len() as f64) <= f64::from(all) * MOST_MASKED,
        "{} of {all}\n{}",
        findings.len(),
        findings.join("\n")
    );
}
