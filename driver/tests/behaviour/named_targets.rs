//! Steps that name where they go: a plain and a TLS listener in one session, each with processes of its own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::driver::{plan, run_until, step};
use crate::nginx::Nginx;
use crate::server::{Server, page};
use crate::tls::Certificates;

/// A step that goes to the targets of this name.
fn step_at(target: &str, id: &str, path: &str) -> Value {
    let mut step = step(id, path);
    step["target"] = target.into();
    step
}

#[test]
fn one_session_asks_a_plain_and_a_tls_listener_over_a_connection_to_each() {
    let certificates = Certificates::new();
    let (bare, encrypted) = (Nginx::start(), certificates.nginx("ssl_protocols TLSv1.3;"));
    let mut plan = plan(&bare.target());
    plan["named_targets"] = json!({"https": [encrypted.target()]});
    plan["tls"] = json!({"ca": certificates.path("ca.pem")});
    plan["connections"] = "keep".into();
    plan["steps"] = vec![step("file", "/"), step_at("https", "order", "/"), step("thanks", "/?2")].into();
    let forget = || [&bare, &encrypted].iter().for_each(|nginx| nginx.forget());
    let run = run_until(&plan, forget, |run| run.valid("thanks") > 5);
    assert_eq!((run.errors(), run.stderr.as_str()), (&json!({}), ""));
    for (nginx, addresses, version) in [(bare, "/ /?2", ""), (encrypted, "/", "TLSv1.3")] {
        let requests = nginx.end();
        let texts = |key: &str| -> BTreeSet<&str> {
            requests.iter().map(|request| request[key].as_str().expect("a text")).collect()
        };
        assert_eq!(texts("connection").len(), 1, "kept: {requests:?}");
        assert_eq!(texts("tls"), BTreeSet::from([version]));
        assert_eq!(texts("uri"), addresses.split(' ').collect());
    }
}

#[test]
fn iterations_take_turns_among_the_targets_of_a_name_and_leave_the_others_alone() {
    let servers: Vec<Server> = (0..5).map(|_| Server::responding(|_| page(""))).collect();
    let mut plan = plan(&servers[0].target());
    let addresses = |some: &[Server]| some.iter().map(Server::target).collect::<Vec<_>>();
    plan["targets"] = addresses(&servers[..2]).into();
    plan["named_targets"] = json!({"a": addresses(&servers[2..3]), "b": addresses(&servers[3..])});
    plan["steps"] =
        vec![step("any", "/any"), step_at("a", "one", "/one"), step_at("b", "two", "/two")].into();
    let forget = || servers.iter().for_each(Server::forget);
    let run = run_until(&plan, forget, |run| run.valid("two") > 10);
    assert_eq!(run.errors(), &json!({}));
    for (server, path) in servers.iter().zip(["/any", "/any", "/one", "/two", "/two"]) {
        let seen = server.seen();
        assert!(seen.len() >= 5, "{path}: {}", seen.len());
        assert!(seen.iter().all(|request| request.path == path), "{path}: {seen:?}");
    }
}

#[test]
fn targets_without_a_name_are_needed_only_by_steps_without_one() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["targets"] = json!([]);
    plan["named_targets"] = json!({"only": [server.target()]});
    plan["steps"] = vec![step_at("only", "home", "/")].into();
    let run = run_until(&plan, || server.forget(), |run| run.valid("home") > 3);
    assert_eq!(run.errors(), &json!({}));
}
