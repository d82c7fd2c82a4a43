//! A server of TLS 1.3 that sends session tickets without end, which it may do at any time: it costs the driver one
//! connection, and other users go on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rcgen::generate_simple_self_signed;
use rustls::crypto::cipher::{OutboundChunks, OutboundPlainMessage};
use rustls::crypto::ring;
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::pki_types::PrivateKeyDer;
use rustls::version::TLS13;
use rustls::{
    ConnectionTrafficSecrets, ContentType, ProtocolVersion, ServerConfig, ServerConnection, StreamOwned,
};
use serde_json::{Value, json};

use crate::driver::run_plan;
use crate::endless::{cases, expect_bounded};
use crate::server::{Server, page};

/// Without end, for a driver that has a limit; a driver without one comes to its end, so that the test fails.
const MAX_BYTES: usize = 32 << 20;

/// As much of a ticket as a server without memory needs.
const TICKET: [u8; 200] = [b't'; 200];

/// Who gets tickets without end.
const IDLE: &str = "/0";
const WAITING: &str = "/1";

/// A server with one cipher, so that its keys have one form, and no tickets but ours.
fn config() -> Arc<ServerConfig> {
    let own = generate_simple_self_signed(vec!["127.0.0.1".into()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).expect("a key");
    let mut provider = ring::default_provider();
    provider.cipher_suites = vec![TLS13_AES_128_GCM_SHA256];
    let builder = ServerConfig::builder_with_provider(Arc::new(provider)).with_protocol_versions(&[&TLS13]);
    let builder = builder.expect("a version").with_no_client_auth();
    let mut config =
        builder.with_single_cert(vec![own.cert.der().clone()], key).expect("they belong together");
    config.enable_secret_extraction = true;
    config.send_tls13_tickets = 0;
    Arc::new(config)
}

/// A message `NewSessionTicket`: RFC 8446, 4.6.1. It is good for an hour.
fn ticket() -> Vec<u8> {
    let length = u16::try_from(TICKET.len()).expect("it fits");
    let mut body = [3_600_u32.to_be_bytes(), [0; 4]].concat();
    body.extend([1, 0]); // a nonce of one byte
    body.extend(length.to_be_bytes());
    body.extend(TICKET);
    body.extend([0; 2]); // no extensions
    let [_, sizes @ ..] = u32::try_from(body.len()).expect("it fits").to_be_bytes();
    [&[4], &sizes[..], &body].concat()
}

/// Sends tickets until nobody takes them. True when all were taken.
fn send_tickets(mut talk: StreamOwned<ServerConnection, TcpStream>) -> bool {
    talk.flush().expect("the response is sent");
    let (session, mut stream) = talk.into_parts();
    let (mut number, keys) = session.dangerous_extract_secrets().expect("they were asked for").tx;
    let ConnectionTrafficSecrets::Aes128Gcm { key, iv } = keys else { panic!("another cipher") };
    let mut cipher = TLS13_AES_128_GCM_SHA256.tls13().expect("of this version").aead_alg.encrypter(key, iv);
    let message = ticket();
    // As many as a record holds: to write them is cheap, to read each is not.
    let record = message.repeat((1 << 14) / message.len());
    for _ in 0..MAX_BYTES / record.len() {
        let plain = OutboundPlainMessage {
            typ: ContentType::Handshake,
            version: ProtocolVersion::TLSv1_3,
            payload: OutboundChunks::Single(&record),
        };
        let sealed = cipher.encrypt(plain, number).expect("it can be encrypted").encode();
        number += 1;
        if stream.write_all(&sealed).is_err() {
            return false;
        }
    }
    true
}

/// Answers like any server, and sends tickets when it is their turn. True when as many were taken as there are.
fn serve(config: Arc<ServerConfig>, stream: TcpStream) -> bool {
    let session = ServerConnection::new(config).expect("a session");
    let mut talk = StreamOwned::new(session, stream);
    let mut request = [0; 2_000];
    while let Ok(1..) = talk.read(&mut request) {
        let waits = request.starts_with(format!("GET {WAITING} ").as_bytes());
        if !waits && talk.write_all(page("").as_bytes()).is_err() {
            return false;
        }
        if waits || request.starts_with(format!("GET {IDLE} ").as_bytes()) {
            return send_tickets(talk);
        }
    }
    false
}

/// Three users, whose connections stay: idle, waiting, and one whose server does nothing odd.
fn tickets_plan(server: &Server) -> Value {
    let mut plan = cases(&server.target().replace("http:", "https:"), 2);
    plan["connections"] = "keep".into();
    plan["tls"] = json!({"insecure": true});
    plan["per_client"] = true.into();
    plan
}

#[test]
fn tickets_without_end_cost_their_connection_whether_it_idles_or_waits_for_a_response() {
    let (config, all_were_taken) = (config(), Arc::new(AtomicBool::new(false)));
    let taken = Arc::clone(&all_were_taken);
    let server = Server::raw(move |_, stream| {
        if serve(Arc::clone(&config), stream) {
            taken.store(true, Ordering::SeqCst);
        }
    });
    let run = run_plan(&tickets_plan(&server));
    expect_bounded(&run);
    assert!(!all_were_taken.load(Ordering::SeqCst), "a connection took {MAX_BYTES} bytes of tickets");
    let reported: Vec<&String> = run.errors().as_object().expect("kinds").keys().collect();
    assert_eq!(reported, ["tls"], "what came was no response");
    let reconnected = run.of("interval").iter().filter_map(|line| line["reconnected"].as_u64()).sum::<u64>();
    assert!(reconnected > 0, "an idle connection with more than there may be is made anew");
    let clients = run.one("clients")["clients"].as_array().expect("users").clone();
    let count = |user: usize, key: &str| clients[user][key].as_u64().expect("a count");
    assert!(count(0, "transactions") > 0 && count(0, "errors") == 0, "{clients:?}");
    assert!(count(1, "transactions") == 0 && count(1, "errors") > 0, "{clients:?}");
    assert!(count(2, "transactions") > 0 && count(2, "errors") == 0, "{clients:?}");
}
