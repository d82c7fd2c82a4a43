//! Who sends a step: basic and bearer authentication, against a real nginx where it can judge.

use base64::Engine as _;
use serde_json::json;

use crate::driver::{plan, run_plan, run_until, step};
use crate::nginx::Nginx;
use crate::server::{Server, page, response};

#[test]
fn a_server_that_asks_for_user_and_password_lets_the_user_in() {
    // The password is `sesame` in a form that every nginx understands.
    let nginx = Nginx::with(
        "error_log refused.log; auth_basic members; auth_basic_user_file users;",
        &[("index.html", "fine"), ("../users", "uid-3:{PLAIN}sesame\n")],
    );
    let mut plan = plan(&nginx.target());
    plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 3, "to": 4}}]);
    plan["authentication"] = json!({"basic": ["uid-${n}", "sesame"]});
    let mut stranger = step("stranger", "/");
    stranger["authentication"] = json!({"basic": ["uid-3", "guess"]});
    stranger["expect"]["status"] = 401.into();
    plan["steps"] = json!([step("member", "/"), stranger]);
    let run = run_until(&plan, || nginx.forget(), |run| run.valid("stranger") > 0);
    assert_eq!(run.errors(), &json!({}));
    let sent = base64::engine::general_purpose::STANDARD.encode("uid-3:sesame");
    assert!(nginx.end().iter().any(|request| request["authorization"] == format!("Basic {sent}")));
}

#[test]
fn a_token_that_was_captured_is_sent_with_the_steps_that_name_it() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/login" => page("{\"token\":\"t0k+en/=\"}"),
        _ if request.header("Authorization") == Some("Bearer t0k+en/=") => page("welcome"),
        _ => response("401 Unauthorized", "", ""),
    });
    let mut plan = plan(&server.target());
    let mut login = step("login", "/login");
    login["capture"] = json!([{"name": "token", "json": "/token"}]);
    let mut home = step("home", "/");
    home["authentication"] = json!({"bearer": "${token}"});
    let mut own = step("own", "/");
    own["headers"] = json!([["authorization", "Bearer ${token}"]]);
    plan["steps"] = json!([login, home, own]);
    let run = run_until(&plan, || server.forget(), |run| run.valid("own") > 0);
    assert_eq!(run.errors(), &json!({}));
    let seen = server.seen();
    assert!(
        seen.iter()
            .filter(|request| request.path == "/login")
            .all(|login| login.header("Authorization").is_none())
    );
}

#[test]
fn an_authentication_said_twice_or_with_a_colon_in_the_user_is_refused() {
    for (authentication, headers, expected) in [
        (
            json!({"basic": ["a:b", "c"]}),
            json!([]),
            "step `home`: authentication: the user of `basic` holds a colon",
        ),
        (json!({"bearer": "${nothing}"}), json!([]), "step `home`: authentication: `${nothing}` is neither"),
        (
            json!({"bearer": "t"}),
            json!([["Authorization", "x"]]),
            "step `home`: authentication: `headers` holds `Authorization` already",
        ),
    ] {
        let mut plan = plan("http://127.0.0.1:1");
        plan["steps"][0]["authentication"] = authentication;
        plan["steps"][0]["headers"] = headers;
        let run = run_plan(&plan);
        assert_eq!(run.status, Some(2));
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
