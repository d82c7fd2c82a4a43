//! Times to the first byte and of pages without their objects, where the plan asks for them.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Played, decoded, plan, play, play_until, step};
use crate::server::{Server, Then, answer};

const PAUSE: Duration = Duration::from_millis(60);
/// What is left of a pause where a busy machine sees late what came before it.
const LEAST_MS: f64 = 30.0;

/// A page whose second half comes a pause after the first, with an image that takes a pause too; a redirect leads to it.
fn slow() -> Server {
    Server::talking(|request, stream| {
        let page = answer("200 OK", "Content-Type: text/html\r\n", "<h1>Welcome</h1><img src=/image>");
        match request.path.as_str() {
            "/" => {
                std::thread::sleep(PAUSE);
                let _ = stream.write_all(answer("302 Found", "Location: /page\r\n", "").as_bytes());
            }
            "/page" => {
                let (first, rest) = page.split_at(page.len() / 2);
                let _ = stream.write_all(first.as_bytes());
                std::thread::sleep(PAUSE);
                let _ = stream.write_all(rest.as_bytes());
            }
            _ => {
                std::thread::sleep(PAUSE);
                let _ = stream.write_all(answer("200 OK", "", "image").as_bytes());
            }
        }
        Then::Keep
    })
}

fn split(server: &Server) -> Value {
    let mut plan = plan(&server.target());
    plan["split_times"] = true.into();
    plan["steps"] = vec![step("home", "/")].into();
    plan["timeouts_ms"]["answer"] = 20_000.into();
    plan["phases"]["drain_ms"] = 20_000.into();
    plan
}

/// Means of a transaction over the whole run, in milliseconds.
fn mean_ms(played: &Played, key: &str) -> f64 {
    let times = played.of("interval").into_iter().map(|line| decoded(&line["transactions"]["home"][key]));
    let sum = times.reduce(|mut sum, times| {
        sum.add(times).expect("it grows as it must");
        sum
    });
    let sum = sum.expect("an interval");
    assert_eq!(sum.len(), played.valid("home"), "{key}: one for each valid transaction");
    sum.mean() / 1_000.0
}

#[test]
fn the_first_byte_comes_before_the_page_and_the_page_before_its_objects() {
    let server = slow();
    let mut plan = split(&server);
    plan["page_objects"] = json!({"cache": "none"});
    let played = play_until(&plan, || {}, |played| played.valid("home") > 0);
    assert_eq!(played.errors(), &json!({}));
    let [first, page, whole] = ["first_byte", "page", "histogram"].map(|key| mean_ms(&played, key));
    // The redirect belongs to the time to the first byte of what it leads to.
    assert!(
        first >= LEAST_MS && page - first >= LEAST_MS && whole - page >= LEAST_MS,
        "{first} {page} {whole}"
    );
}

#[test]
fn times_are_split_in_the_open_model_too_and_count_from_when_a_transaction_was_meant_to_begin() {
    let server = slow();
    let mut plan = split(&server);
    // More arrivals than one user can take: they wait.
    plan["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": "requests", "rate": 20, "users": 1});
    let played = play_until(&plan, || {}, |played| played.valid("home") > 1);
    let [first, whole, service] = ["first_byte", "histogram", "service"].map(|key| mean_ms(&played, key));
    assert!(whole - first >= LEAST_MS, "{first} {whole}");
    assert!(first > service - (whole - first), "{first}: the wait for a free user counts, {service}");
}

#[test]
fn nobody_pays_for_times_that_are_not_asked_for() {
    let server = Server::answering(|_| answer("200 OK", "", ""));
    let mut plan = split(&server);
    plan["split_times"] = false.into();
    let home = &play(&plan).of("interval")[0]["transactions"]["home"].clone();
    assert!(home.get("first_byte").is_none() && home.get("page").is_none(), "{home}");
    plan["split_times"] = true.into();
    let home = &play(&plan).of("interval")[0]["transactions"]["home"].clone();
    assert!(
        home.get("first_byte").is_some() && home.get("page").is_none(),
        "no objects: a page is all there is"
    );
}
