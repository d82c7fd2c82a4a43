//! Pages of all kinds, cut in all ways.

use super::*;

fn found(pieces: &[&[u8]]) -> Vec<String> {
    let mut scanner = ReferenceScanner::default();
    let mut seen = Vec::new();
    scanner.restart();
    for piece in pieces {
        scanner.look_at(piece, |reference| {
            seen.push(match reference {
                Reference::SubResource(address) => String::from_utf8_lossy(address).into_owned(),
                Reference::Base(address) => format!("base {}", String::from_utf8_lossy(address)),
                Reference::TooLong => "too long".into(),
            });
        });
    }
    seen
}

const PAGE: &[u8] = b"<!DOCTYPE html><html><head><base href='/app/'><title>a <img src=no1> b</title>
    <LINK REL=StyleSheet HREF=\"/style.css?a=1&amp;b=2\"><link href=icon.png rel='shortcut icon'>
    <link rel=alternate href=feed><link rel='alternate stylesheet' href=dark.css>
    <script>if (a<b && '</scr' + \"<img src='no2'>\") x();</script ><script src = 'app.js' async></script>
    <!-- <img src=no3> --><!--> <img src=yes0> <!--- <img src=no4> --><style>a{}</style></head>
    <body class=\"<img src=no5>\" onload='a>b'><p a=\"x>\"><img alt='>' src=one.png><IMG\nsrc='two.png'/>
    <img/src=three.png><img src><img src=''><img data-src=no6 src=four.png src=no7 / ><img src=a&#38;b>
    <noscript><img src=no8></noscript><textarea><img src=no9></textarea><a href=no10>a < b</a>
    <imgx src=no11></img src=no12><img alt src=\" five.png \"><? <img src=six.png>";

const EXPECTED: [&str; 11] = [
    "base /app/",
    "/style.css?a=1&b=2",
    "icon.png",
    "app.js",
    "yes0",
    "one.png",
    "two.png",
    "three.png",
    "four.png",
    "a&b",
    "five.png",
];

#[test]
fn everything_a_browser_fetches_with_a_page_is_found() {
    assert_eq!(found(&[PAGE]), EXPECTED);
}

#[test]
fn references_are_found_however_the_page_is_cut() {
    for first in 0..=PAGE.len() {
        assert_eq!(found(&[&PAGE[..first], &PAGE[first..]]), EXPECTED, "cut at {first}");
    }
    let bytes: Vec<&[u8]> = PAGE.chunks(1).collect();
    assert_eq!(found(&bytes), EXPECTED);
}

#[test]
fn an_image_with_a_source_set_is_fetched_once() {
    let page = b"<img src=low.png srcset='high.png 2x'><img srcset='a.png?x&amp;y 1x,b.png 2x' src=no>
        <img srcset=c.png,><script src=d.js srcset=no></script><img src=e.png srcset='no1 100w, no2 200w'>";
    let expected = ["low.png", "a.png?x&y", "c.png", "d.js", "e.png"];
    assert_eq!(found(&[page]), expected);
    let bytes: Vec<&[u8]> = page.chunks(1).collect();
    assert_eq!(found(&bytes), expected);
    let long = format!("<img src=f.png srcset='g.png, {} 2x'>", "h".repeat(LONGEST_ADDRESS));
    assert_eq!(found(&[long.as_bytes()]), ["g.png"]);
}

#[test]
fn what_never_ends_keeps_no_more_than_one_address() {
    let mut scanner = ReferenceScanner::default();
    scanner.look_at(b"<img src=\"", |_| panic!("nothing yet"));
    for _ in 0..1_000 {
        scanner.look_at(&[b'x'; 1_000], |_| panic!("nothing yet"));
    }
    assert!(scanner.value.capacity() <= 2 * LONGEST_ADDRESS);
    let mut seen = 0;
    scanner.look_at(b"\"><img src=a>", |reference| {
        assert_eq!(reference, [Reference::TooLong, Reference::SubResource(b"a")][seen]);
        seen += 1;
    });
    assert_eq!(seen, 2);
    let picture = [b"<img src=\"data:image/png;base64,".as_slice(), &[b'A'; 9_000], b"\">"].concat();
    assert!(found(&[&picture]).is_empty());
}

#[test]
fn bytes_of_no_sense_are_read_to_their_end() {
    const BYTES: &[u8] = b"<<<>>!--/=='\"  imgsrclnk\x00\xff&;#";
    let mut seed = 1_u32;
    for _ in 0..2_000 {
        let page: Vec<u8> = (0..200)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                BYTES[(seed >> 8) as usize % BYTES.len()]
            })
            .collect();
        let whole = found(&[&page]);
        let bytes: Vec<&[u8]> = page.chunks(1).collect();
        assert_eq!(found(&bytes), whole);
    }
}
