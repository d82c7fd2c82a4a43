//! TLS with a real nginx, whose log tells what was agreed on.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::driver::{Run, plan, run_plan, run_until, step};
use crate::nginx::Nginx;

/// An authority with certificates for a server and a client, in files.
pub struct Certificates(TempDir);

impl Certificates {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let authority = params.self_signed(&key).expect("a certificate");
        fs::write(folder.path().join("ca.pem"), authority.pem()).expect("a file");
        let issuer = Issuer::new(params, key);
        for (name, host) in [("server", "127.0.0.1"), ("client", "somebody")] {
            let key = KeyPair::generate().expect("a key");
            let mut params = CertificateParams::new(vec![host.into()]).expect("parameters");
            params.distinguished_name.push(DnType::CommonName, name);
            let certificate = params.signed_by(&key, &issuer).expect("a certificate");
            fs::write(folder.path().join(format!("{name}.pem")), certificate.pem()).expect("a file");
            fs::write(folder.path().join(format!("{name}.key")), key.serialize_pem()).expect("a file");
        }
        Self(folder)
    }

    /// The path of one of its files.
    pub fn path(&self, name: &str) -> String {
        Path::join(self.0.path(), name).display().to_string()
    }

    /// nginx with these certificates and more directives.
    pub fn nginx(&self, directives: &str) -> Nginx {
        Nginx::encrypted(
            &format!(
                "ssl_certificate {}; ssl_certificate_key {}; ssl_client_certificate {}; {directives}",
                self.path("server.pem"),
                self.path("server.key"),
                self.path("ca.pem"),
            ),
            &[("index.html", "<h1>Welcome</h1>"), ("large.html", &"<p>Welcome</p>".repeat(10_000))],
        )
    }
}

/// Two steps per iteration, the second a page of many records; every iteration has a new connection.
fn tls_plan(nginx: &Nginx, tls: Value) -> Value {
    let mut plan = plan(&nginx.target());
    plan["tls"] = tls;
    plan["steps"] = vec![step("small", "/"), step("large", "/large.html")].into();
    plan["steps"][1]["expect"]["marker"] = "Welcome</p><p>Welcome".into();
    plan["limits"]["body_bytes"] = 200_000.into();
    plan["phases"]["measure_ms"] = 1_500.into();
    plan["phases"]["drain_ms"] = 10_000.into();
    plan
}

fn tls_failed(run: &Run) -> bool {
    run.errors()["tls"].as_u64() > Some(2)
}

fn responses(run: &Run) -> u64 {
    run.valid("small") + run.valid("large")
}

/// Runs and expects that nothing fails; what nginx tells of at least five requests.
fn run_against(directives: &str, tls: impl Fn(&Certificates) -> Value) -> (Run, Vec<Value>) {
    let certificates = Certificates::new();
    let nginx = certificates.nginx(directives);
    let plan = tls_plan(&nginx, tls(&certificates));
    let run = run_until(&plan, || nginx.forget(), |run| responses(run) > 5);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!((run.errors(), run.stderr.as_str()), (&json!({}), ""));
    (run, nginx.end())
}

fn all<'a>(logged: &'a [Value], key: &str) -> HashSet<&'a str> {
    logged.iter().map(|request| request[key].as_str().expect("a text")).collect()
}

#[test]
fn the_highest_version_that_both_allow_is_spoken() {
    for (limits, spoken) in [
        (json!({}), "TLSv1.3"),
        (json!({"maximum": "1.2"}), "TLSv1.2"),
        (json!({"minimum": "1.3"}), "TLSv1.3"),
    ] {
        let (_, logged) = run_against("ssl_protocols TLSv1.2 TLSv1.3;", |certificates| {
            let mut tls = limits.clone();
            tls["ca"] = certificates.path("ca.pem").into();
            tls
        });
        assert_eq!(all(&logged, "tls"), HashSet::from([spoken]), "{limits}");
    }
}

#[test]
fn a_user_resumes_its_session_on_its_next_connection_if_that_is_wanted() {
    let server = "ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:s:1m;";
    for version in ["1.2", "1.3"] {
        for resumption in ["user", "none"] {
            let (_, logged) = run_against(server, |certificates| {
                let ca = certificates.path("ca.pem");
                json!({"ca": ca, "minimum": version, "maximum": version, "resumption": resumption})
            });
            let first = logged[0]["connection"].clone();
            for request in &logged {
                let expected = if resumption == "user" && request["connection"] != first { "r" } else { "." };
                assert_eq!(request["resumed"], expected, "{version} {resumption}");
            }
        }
    }
}

/// Handshakes by version, cipher and kind over all intervals, and connections.
fn handshakes(run: &Run) -> (Vec<(String, String, u64, u64)>, u64) {
    let mut sums: Vec<(String, String, u64, u64)> = Vec::new();
    let mut connections = 0;
    for line in run.of("interval") {
        connections += line["connections"].as_u64().expect("a count");
        for suite in line["tls"].as_array().unwrap_or(&Vec::new()) {
            let [version, cipher] =
                ["version", "cipher"].map(|key| suite[key].as_str().expect("a text").to_owned());
            let [full, resumed] = ["full", "resumed"].map(|key| suite[key].as_u64().expect("a count"));
            match sums.iter_mut().find(|sum| (&sum.0, &sum.1) == (&version, &cipher)) {
                Some(sum) => (sum.2, sum.3) = (sum.2 + full, sum.3 + resumed),
                None => sums.push((version, cipher, full, resumed)),
            }
        }
    }
    (sums, connections)
}

#[test]
fn handshakes_are_counted_as_the_server_sees_them_by_how_long_sessions_are_remembered() {
    let server = "ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:s:1m;";
    for (version, cipher) in
        [("1.2", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"), ("1.3", "TLS13_AES_256_GCM_SHA384")]
    {
        for resumption in ["user", "iteration", "none"] {
            let certificates = Certificates::new();
            let nginx = certificates.nginx(server);
            let ca = certificates.path("ca.pem");
            let tls = json!({"ca": ca, "minimum": version, "maximum": version, "resumption": resumption});
            let mut plan = tls_plan(&nginx, tls);
            // Two connections in each iteration.
            plan["connections"] = "per-request".into();
            let run = run_until(&plan, || nginx.forget(), |run| responses(run) > 9);
            assert_eq!(run.errors(), &json!({}));
            let (sums, connections) = handshakes(&run);
            let [(spoken, agreed, full, resumed)] = sums.as_slice() else { panic!("{sums:?}") };
            assert_eq!((spoken.as_str(), agreed.as_str()), (version, cipher));
            assert_eq!(full + resumed, connections);
            let logged = nginx.end();
            let seen = logged.iter().filter(|request| request["resumed"] == "r").count() as u64;
            assert_eq!(*resumed, seen, "{version} {resumption}");
            let expected = match resumption {
                "user" => connections - 1,
                "iteration" => run.valid("large"),
                _ => 0,
            };
            assert_eq!(*resumed, expected, "{version} {resumption}");
        }
    }
}

#[test]
fn a_client_shows_its_certificate() {
    let (_, logged) = run_against("ssl_verify_client on;", |certificates| {
        let [ca, certificate, key] =
            ["ca.pem", "client.pem", "client.key"].map(|name| certificates.path(name));
        json!({"ca": ca, "certificate": certificate, "key": key})
    });
    assert_eq!(all(&logged, "client"), HashSet::from(["CN=client"]));
}

#[test]
fn an_encrypted_connection_is_kept_and_costs_one_handshake() {
    let certificates = Certificates::new();
    let nginx = certificates.nginx("");
    let mut plan = tls_plan(&nginx, json!({"ca": certificates.path("ca.pem")}));
    plan["connections"] = "keep".into();
    let run = run_until(&plan, || nginx.forget(), |run| responses(run) > 5);
    assert_eq!(run.errors(), &json!({}));
    let logged = nginx.end();
    assert_eq!(all(&logged, "connection").len(), 1, "{logged:?}");
}

#[test]
fn the_kernel_stamps_encrypted_responses_too() {
    let certificates = Certificates::new();
    let nginx = certificates.nginx("");
    let mut plan = tls_plan(&nginx, json!({"ca": certificates.path("ca.pem")}));
    plan["receive_stamps"] = true.into();
    let run = run_until(&plan, || {}, |run| responses(run) > 5);
    assert_eq!((run.errors(), run.stderr.as_str()), (&json!({}), ""));
    let audit = run.one("self_audit");
    let stamped = audit["receive_lag_ms"]["count"].as_u64().expect("a count");
    assert!(stamped > 0 && stamped <= audit["valid"].as_u64().expect("a count"), "{audit}");
}

#[test]
fn an_unknown_authority_is_the_error_tls_unless_anybody_will_do() {
    let (certificates, others) = (Certificates::new(), Certificates::new());
    let nginx = certificates.nginx("");
    let run = run_until(&tls_plan(&nginx, json!({"ca": others.path("ca.pem")})), || {}, tls_failed);
    assert_eq!(run.one("end")["unanswered"], 0, "nothing was sent");
    assert_eq!(run.stderr.lines().count(), 1, "told once: {}", run.stderr);
    assert!(run.stderr.contains("what tls.ca names does not vouch for it"), "{}", run.stderr);
    assert_eq!(run_plan(&tls_plan(&nginx, json!({"insecure": true}))).errors(), &json!({}));
}

#[test]
fn a_certificate_that_is_its_own_authority_is_trusted_where_it_is_named() {
    let mut params = CertificateParams::new(vec!["127.0.0.1".into()]).expect("parameters");
    // As `openssl req -x509` makes it.
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    for (last_year, host, trusted) in
        [(2096, "127.0.0.1", true), (2001, "127.0.0.1", false), (2096, "shop.test", false)]
    {
        let certificates = Certificates::new();
        let key = KeyPair::generate().expect("a key");
        params.subject_alt_names =
            CertificateParams::new(vec![host.into()]).expect("a name").subject_alt_names;
        params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        let own = params.self_signed(&key).expect("a certificate");
        fs::write(certificates.path("server.pem"), own.pem()).expect("a file");
        fs::write(certificates.path("server.key"), key.serialize_pem()).expect("a file");
        let nginx = certificates.nginx("");
        let plan = tls_plan(&nginx, json!({"ca": certificates.path("server.pem")}));
        if trusted {
            assert_eq!(run_plan(&plan).errors(), &json!({}));
        } else {
            run_until(&plan, || {}, tls_failed);
        }
        assert_eq!(run_plan(&tls_plan(&nginx, json!({"insecure": true}))).errors(), &json!({}));
    }
}

#[test]
fn versions_that_do_not_meet_and_servers_without_tls_are_the_error_tls() {
    let certificates = Certificates::new();
    let old = certificates.nginx("ssl_protocols TLSv1.2;");
    let plan = tls_plan(&old, json!({"ca": certificates.path("ca.pem"), "minimum": "1.3"}));
    run_until(&plan, || {}, tls_failed);
    let bare = Nginx::start();
    let mut plan = tls_plan(&bare, json!({"insecure": true}));
    plan["targets"] = json!([bare.target().replace("http://", "https://")]);
    run_until(&plan, || {}, tls_failed);
}

#[test]
fn a_connection_that_the_server_has_ended_politely_is_made_anew() {
    let certificates = Certificates::new();
    let nginx = certificates.nginx("keepalive_timeout 1s;");
    for method in ["GET", "POST"] {
        let mut plan = tls_plan(&nginx, json!({"ca": certificates.path("ca.pem")}));
        plan["connections"] = "keep".into();
        plan["think"] = json!({"constant_ms": 1_500});
        plan["phases"]["measure_ms"] = 5_000.into();
        plan["steps"][0]["method"] = method.into();
        // A file answers a POST like this.
        plan["steps"][0]["expect"]["status"] = if method == "POST" { 405 } else { 200 }.into();
        let run = run_plan(&plan);
        assert_eq!(run.errors(), &json!({}));
        let sum = |key: &str| -> u64 {
            run.of("interval").iter().map(|line| line[key].as_u64().expect("a count")).sum()
        };
        assert_eq!(sum("reconnected"), sum("connections") - 1);
        assert!(sum("reconnected") >= 2);
    }
}
