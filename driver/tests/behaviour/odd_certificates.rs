//! Odd certificates, shown by `openssl s_server`: what `tls.insecure` and `tls.ca` make of them.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DnType, IsCa, Issuer, KeyPair, date_time_ymd,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::driver::{Run, plan, run_until};

/// A folder with `server.pem`, `server.key` and perhaps more.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file");
    }

    fn openssl(&self, arguments: &str) {
        let mut openssl = Command::new("openssl");
        let output = openssl.args(arguments.split(' ')).current_dir(self.0.path()).output();
        let output = output.expect("openssl runs");
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A certificate that has signed itself.
    fn of(params: &CertificateParams) -> Self {
        let (folder, key) = (Self::new(), KeyPair::generate().expect("a key"));
        folder.write("server.pem", params.self_signed(&key).expect("a certificate").pem());
        folder.write("server.key", key.serialize_pem());
        folder
    }

    fn by_openssl(arguments: &str) -> Self {
        let folder = Self::new();
        folder.openssl(&format!(
            "req -x509 -nodes -keyout server.key -out server.pem -subj /CN=127.0.0.1 -days 9 {arguments}"
        ));
        folder
    }
}

/// `openssl s_server`, which answers each GET with a page.
struct TlsServer {
    child: Child,
    target: String,
}

impl TlsServer {
    fn start(folder: &Folder) -> Self {
        let mut openssl = Command::new("openssl");
        openssl.args(["s_server", "-accept", "127.0.0.1:0", "-www", "-cipher", "DEFAULT@SECLEVEL=0"]);
        openssl.args(["-cert", "server.pem", "-cert_chain", "server.pem", "-key", "server.key"]);
        openssl.current_dir(folder.0.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = openssl.stderr(Stdio::null()).spawn().expect("openssl runs");
        let lines = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        let accepting =
            lines.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("ACCEPT ")?.to_owned()));
        Self { child, target: format!("https://{}", accepting.expect("it accepts")) }
    }

    fn run(&self, tls: Value) -> Run {
        let mut plan = plan(&self.target);
        plan["tls"] = tls;
        plan["timeouts_ms"] = json!({"connect": 20_000, "response": 20_000});
        plan["phases"]["drain_ms"] = 20_000.into();
        plan["think"] = json!({"constant_ms": 20});
        run_until(
            &plan,
            || {},
            |run| run.valid("home") > 0 || !run.errors().as_object().expect("kinds").is_empty(),
        )
    }

    /// Whether curl takes its certificate; nothing without curl.
    fn curl_takes(&self, arguments: &[&str]) -> Option<bool> {
        let mut curl = Command::new("curl");
        curl.args(["-s", "-o", "/dev/null", "-m", "20", &self.target]).args(arguments);
        curl.status().ok().map(|status| status.success())
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_trusted(run: &Run) -> bool {
    let errors = run.errors().as_object().expect("kinds");
    assert!(errors.keys().all(|kind| kind == "tls"), "{errors:?}: {}", run.stderr);
    errors.is_empty()
}

fn params(names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
    CertificateParams::new(names).expect("parameters")
}

/// Odd certificates, and whether `tls.ca` with the certificate itself makes them trusted.
fn odd() -> Vec<(&'static str, Folder, bool)> {
    let changed = |change: &dyn Fn(&mut CertificateParams)| {
        let mut params = params(&["127.0.0.1"]);
        change(&mut params);
        Folder::of(&params)
    };
    let mut named_only_in_cn = params(&[]);
    named_only_in_cn.distinguished_name.push(DnType::CommonName, "127.0.0.1");
    let old = Folder::new();
    old.openssl("req -new -nodes -newkey rsa:2048 -keyout server.key -out request.pem -subj /CN=127.0.0.1");
    old.openssl("x509 -req -in request.pem -signkey server.key -out server.pem -days 9");
    let of_host = "-addext subjectAltName=IP:127.0.0.1";
    vec![
        ("version 1", old, false),
        ("expired", changed(&|params| params.not_after = date_time_ymd(2001, 1, 1)), false),
        ("not yet valid", changed(&|params| params.not_before = date_time_ymd(2090, 1, 1)), false),
        ("wrong host", Folder::of(&params(&["shop.test"])), false),
        ("no name", Folder::of(&params(&[])), false),
        ("address in the common name", Folder::of(&named_only_in_cn), false),
        (
            "of an authority",
            changed(&|params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained)),
            true,
        ),
        (
            "unknown critical extension",
            changed(&|params| {
                let mut unknown =
                    CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 99_999, 1], vec![5, 0]);
                unknown.set_criticality(true);
                params.custom_extensions.push(unknown);
            }),
            false,
        ),
        ("SHA-1", Folder::by_openssl(&format!("-newkey rsa:2048 -sha1 {of_host}")), true),
        ("RSA of 1,024 bits", Folder::by_openssl(&format!("-newkey rsa:1024 {of_host}")), false),
        (
            "P-521",
            Folder::by_openssl(&format!("-newkey ec -pkeyopt ec_paramgen_curve:P-521 {of_host}")),
            false,
        ),
        ("Ed448", Folder::by_openssl(&format!("-newkey ed448 {of_host}")), false),
    ]
}

#[test]
fn insecure_takes_what_curl_takes_and_a_named_certificate_must_be_in_order() {
    for (name, folder, trusted_by_ca) in odd() {
        let server = TlsServer::start(&folder);
        if server.curl_takes(&["-k"]) == Some(false) {
            continue;
        }
        // In version 1.2 a curve must also be one for the exchange of keys, and rustls has none of these.
        let versions = if matches!(name, "P-521" | "Ed448") { &["1.3"][..] } else { &["1.2", "1.3"] };
        for version in versions {
            let run = server.run(json!({"insecure": true, "minimum": version, "maximum": version}));
            assert!(is_trusted(&run), "{name} over {version}: {}", run.stderr);
        }
        let run = server.run(json!({"ca": folder.path("server.pem")}));
        assert_eq!(is_trusted(&run), trusted_by_ca, "{name}: {}", run.stderr);
        assert!(!run.stderr.contains("name its authority in tls.ca"), "{name}: {}", run.stderr);
        assert!(run.stderr.lines().count() <= 1, "{name}: {}", run.stderr);
    }
}

#[test]
fn any_certificate_of_a_chain_may_be_named() {
    let folder = Folder::new();
    let authority = |name: &str| {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        (params, KeyPair::generate().expect("a key"))
    };
    let (root, root_key) = authority("root");
    folder.write("root.pem", root.self_signed(&root_key).expect("a certificate").pem());
    let root = Issuer::new(root, root_key);
    let (between, between_key) = authority("between");
    let signed = between.signed_by(&between_key, &root).expect("a certificate");
    folder.write("between.pem", signed.pem());
    folder.write("between.der", signed.der());
    let between = Issuer::new(between, between_key);
    let key = KeyPair::generate().expect("a key");
    let leaf = params(&["127.0.0.1"]).signed_by(&key, &between).expect("a certificate");
    folder.write("leaf.pem", leaf.pem());
    folder.write("server.pem", leaf.pem() + &signed.pem());
    folder.write("server.key", key.serialize_pem());
    let bundle = format!("\u{feff}# comment\r\n{}\r\nmore words\r\n{}", leaf.pem(), signed.pem());
    folder.write("bundle.pem", bundle.replace('\n', "\r\n").replace("\r\r", "\r"));
    folder.write("empty.pem", "no certificate\n");
    let server = TlsServer::start(&folder);
    for name in ["root.pem", "between.pem", "leaf.pem", "bundle.pem"] {
        let ca = folder.path(name);
        assert!(is_trusted(&server.run(json!({"ca": ca}))), "{name}");
        let curl = server.curl_takes(&["--cacert", ca.to_str().expect("a path")]);
        assert_ne!(curl, Some(false), "{name}");
    }
    for (name, why) in [("empty.pem", "nothing found"), ("between.der", "looks like DER; convert it")] {
        let mut plan = plan(&server.target);
        plan["tls"] = json!({"ca": folder.path(name)});
        let run = crate::driver::run_plan(&plan);
        assert_eq!((run.status, run.stderr.lines().count()), (Some(2), 1), "{name}: {}", run.stderr);
        assert!(run.stderr.contains("tls.ca") && run.stderr.contains(why), "{}", run.stderr);
    }
    assert!(is_trusted(&server.run(json!({"insecure": true}))), "whoever has signed it");
}
