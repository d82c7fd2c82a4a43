//! Times to the first byte and of pages without their sub-resources, where the plan asks for them.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Run, decoded, plan, run_plan, run_until, step};
use crate::server::{Server, Then, response};

const PAUSE: Duration = Duration::from_millis(60);
/// What is left of a pause where a busy machine sees late what came before it.
const MIN_MS: f64 = 30.0;

/// A page whose second half comes a pause after the first, with an image that takes a pause too; a redirect leads to it.
fn slow() -> Server {
    Server::talking(|request, stream| {
        let page = response("200 OK", "Content-Type: text/html\r\n", "<h1>Welcome</h1><img src=/image>");
        match request.path.as_str() {
            "/" => {
                std::thread::sleep(PAUSE);
                let _ = stream.write_all(response("302 Found", "Location: /page\r\n", "").as_bytes());
            }
            "/page" => {
                let (first, rest) = page.split_at(page.len() / 2);
                let _ = stream.write_all(first.as_bytes());
                std::thread::sleep(PAUSE);
                let _ = stream.write_all(rest.as_bytes());
            }
            _ => {
                std::thread::sleep(PAUSE);
                let _ = stream.write_all(response("200 OK", "", "image").as_bytes());
            }
        }
        Then::Keep
    })
}

fn split(server: &Server) -> Value {
    let mut plan = plan(&server.target());
    plan["split_times"] = true.into();
    plan["steps"] = vec![step("home", "/")].into();
    plan["timeouts_ms"]["response"] = 20_000.into();
    plan["phases"]["drain_ms"] = 20_000.into();
    plan
}

/// Means of a transaction over the whole run, in milliseconds.
fn mean_ms(run: &Run, key: &str) -> f64 {
    let times = run.of("interval").into_iter().map(|line| decoded(&line["transactions"]["home"][key]));
    let sum = times.reduce(|mut sum, times| {
        sum.add(times).expect("it grows as it must");
        sum
    });
    let sum = sum.expect("an interval");
    assert_eq!(sum.len(), run.valid("home"), "{key}: one for each valid transaction");
    sum.mean() / 1_000.0
}

#[test]
fn the_first_byte_comes_before_the_page_and_the_page_before_its_sub_resources() {
    let server = slow();
    let mut plan = split(&server);
    plan["sub_resources"] = json!({"cache": "none"});
    let run = run_until(&plan, || {}, |run| run.valid("home") > 0);
    assert_eq!(run.errors(), &json!({}));
    let [first, page, whole] = ["first_byte", "page", "histogram"].map(|key| mean_ms(&run, key));
    // The redirect belongs to the time to the first byte of what it leads to.
    assert!(first >= MIN_MS && page - first >= MIN_MS && whole - page >= MIN_MS, "{first} {page} {whole}");
}

#[test]
fn times_are_split_in_the_open_model_too_and_count_from_when_a_transaction_was_meant_to_begin() {
    let server = slow();
    let mut plan = split(&server);
    // More arrivals than one user can take: they wait.
    plan["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": "requests", "rate": 20, "users": 1});
    let run = run_until(&plan, || {}, |run| run.valid("home") > 1);
    let [first, whole, service] = ["first_byte", "histogram", "service"].map(|key| mean_ms(&run, key));
    assert!(whole - first >= MIN_MS, "{first} {whole}");
    assert!(first > service - (whole - first), "{first}: the wait for a free user counts, {service}");
}

#[test]
fn nobody_pays_for_times_that_are_not_asked_for() {
    let server = Server::responding(|_| response("200 OK", "", ""));
    let mut plan = split(&server);
    plan["split_times"] = false.into();
    let home = &run_plan(&plan).of("interval")[0]["transactions"]["home"].clone();
    assert!(home.get("first_byte").is_none() && home.get("page").is_none(), "{home}");
    plan["split_times"] = true.into();
    let home = &run_plan(&plan).of("interval")[0]["transactions"]["home"].clone();
    assert!(
        home.get("first_byte").is_some() && home.get("page").is_none(),
        "no sub-resources: a page is all there is"
    );
}
