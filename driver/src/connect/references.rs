//! Finds what a page refers to (images, style sheets, icons, scripts) while its HTML streams by.
//!
//! The states are those of the tokenizer in the HTML standard (13.2.5) that matter for this: comments and raw text hold
//! no references, and a `>` in a quoted value does not end a tag. Nothing is kept but the one value being read.

use memchr::{memchr, memchr2};

use super::entities;
use super::source_set::{self, Choice};

/// Longest address that is read; a `data:` address may be longer, because nobody fetches it.
const LONGEST_ADDRESS: usize = 2_048;

/// Longest name of a tag or an attribute that matters.
const LONGEST_NAME: usize = 10;

/// Elements whose content is text, not tags; those of `noscript` and `template` show only without scripts.
const RAW_TEXTS: [&[u8]; 9] =
    [b"script", b"style", b"textarea", b"title", b"noscript", b"iframe", b"noframes", b"template", b"xmp"];

/// Something the page refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A sub-resource that a browser fetches with the page: its address as it stands there, entities resolved.
    SubResource(&'a [u8]),
    /// What the addresses that follow are relative to.
    Base(&'a [u8]),
    /// A sub-resource whose address is longer than anybody may ask for.
    TooLong,
}

/// Reads one page after the other, piece by piece.
#[derive(Debug, Default)]
pub struct ReferenceScanner {
    state: State,
    tag: Tag,
    /// Name of the tag or attribute being read; longer ones than matter are cut.
    name: Name,
    value: Vec<u8>,
    too_long: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After `<`.
    Open,
    /// After `<!`, with so many `-` behind it.
    Declaration(u8),
    /// In a comment, after so many `-`, two at most.
    Comment(u8),
    /// Up to the next `>`.
    Bogus,
    TagName,
    BeforeAttribute,
    AttributeName,
    AfterAttributeName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
    /// In the content of the element of this index, whose `</` and name have come so far.
    Raw(usize, u8),
}

/// The tag being read.
#[derive(Debug, Default)]
struct Tag {
    kind: Kind,
    /// Index of its raw text.
    raw: Option<usize>,
    address: Option<Vec<u8>>,
    address_too_long: bool,
    /// Of an image.
    source_set: Option<Vec<u8>>,
    is_fetched_link: bool,
    /// `rel` was there: only the first one of a tag counts.
    has_rel: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Other,
    /// `img`: what `src` or `srcset` names is fetched.
    Image,
    /// `script`: what `src` names is fetched.
    Source,
    /// `link`: what `href` names is fetched when it is a style sheet or an icon.
    Link,
    /// `base`.
    Base,
}

#[derive(Clone, Copy, Debug, Default)]
struct Name {
    bytes: [u8; LONGEST_NAME],
    length: usize,
}

impl Name {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte.to_ascii_lowercase();
        }
        self.length = self.length.saturating_add(1);
    }

    /// The name in lower case; empty when it is longer than any that matters.
    fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl ReferenceScanner {
    /// Begins a new page.
    pub fn restart(&mut self) {
        self.state = State::Text;
    }

    /// Looks at the next piece of the page and tells each reference in it.
    pub fn look_at(&mut self, piece: &[u8], mut found: impl FnMut(Reference<'_>)) {
        let mut at = 0;
        while at < piece.len() {
            let rest = &piece[at..];
            // Long stretches in which only one or two bytes matter are not read byte by byte.
            let skipped = match self.state {
                State::Text | State::Raw(_, 0) => memchr(b'<', rest),
                State::Comment(0) => memchr(b'-', rest),
                State::Bogus => memchr(b'>', rest),
                State::Quoted(quote) => {
                    let end = memchr(quote, rest);
                    self.keep(&rest[..end.unwrap_or(rest.len())]);
                    end
                }
                State::BeforeAttribute if self.tag.kind == Kind::Other => memchr2(b'>', b'=', rest),
                _ => Some(0),
            };
            let Some(skipped) = skipped else { return };
            at += skipped;
            if self.step(piece[at], &mut found) {
                at += 1;
            }
        }
    }

    /// Reads one byte. False when it must be read again in the new state.
    fn step(&mut self, byte: u8, found: &mut impl FnMut(Reference<'_>)) -> bool {
        let mut used = true;
        self.state = match (self.state, byte) {
            (State::Text, _) => State::Open,
            (State::Open, b'!') => State::Declaration(0),
            (State::Open, b'/' | b'?') => State::Bogus,
            (State::Open, letter) if letter.is_ascii_alphabetic() => {
                self.name = Name::default();
                self.name.push(letter);
                State::TagName
            }
            (State::Declaration(0), b'-') => State::Declaration(1),
            // `<!-->` and `<!--->` are comments too.
            (State::Declaration(1), b'-') | (State::Comment(2), b'!') => State::Comment(2),
            (State::Comment(2), b'>') | (State::Bogus, _) => State::Text,
            (State::Comment(dashes), b'-') => State::Comment((dashes + 1).min(2)),
            (State::Comment(_), _) => State::Comment(0),
            (State::Raw(element, matched), _) => in_raw_text(element, matched, byte, &mut used),
            (State::Open | State::Declaration(_), _) => {
                used = false;
                if self.state == State::Open { State::Text } else { State::Bogus }
            }
            _ => self.in_tag(byte, &mut used, found),
        };
        used
    }

    fn in_tag(&mut self, byte: u8, used: &mut bool, found: &mut impl FnMut(Reference<'_>)) -> State {
        let is_space = byte.is_ascii_whitespace();
        match (self.state, byte) {
            (State::TagName, b'>' | b'/') => self.begin_tag(used),
            (State::TagName, _) if is_space => self.begin_tag(used),
            (State::TagName, _) => {
                self.name.push(byte);
                State::TagName
            }
            (State::BeforeAttribute, b'=') if self.tag.kind == Kind::Other => State::BeforeValue,
            (State::BeforeAttribute | State::AttributeName, b'/') => State::BeforeAttribute,
            (State::BeforeAttribute, _) if is_space => State::BeforeAttribute,
            (State::AfterAttributeName, _) if is_space => State::AfterAttributeName,
            (State::BeforeValue, _) if is_space => State::BeforeValue,
            (State::BeforeAttribute | State::AttributeName | State::AfterAttributeName, b'>') => {
                self.end_tag(found)
            }
            (State::BeforeAttribute, _) => {
                self.name = Name::default();
                self.name.push(byte);
                self.value.clear();
                self.too_long = false;
                State::AttributeName
            }
            (State::AttributeName | State::AfterAttributeName, b'=') => State::BeforeValue,
            (State::AttributeName, _) if is_space => State::AfterAttributeName,
            (State::AttributeName, _) => {
                self.name.push(byte);
                State::AttributeName
            }
            (State::BeforeValue, b'"' | b'\'') => State::Quoted(byte),
            (State::BeforeValue | State::Unquoted, b'>') => {
                self.end_attribute();
                self.end_tag(found)
            }
            (State::Quoted(_), _) => self.end_attribute(),
            (State::Unquoted, _) if is_space => self.end_attribute(),
            (State::BeforeValue | State::Unquoted, _) => {
                self.keep(&[byte]);
                State::Unquoted
            }
            // After the name of an attribute without a value another begins.
            _ => {
                *used = false;
                State::BeforeAttribute
            }
        }
    }

    fn begin_tag(&mut self, used: &mut bool) -> State {
        *used = false;
        let name = self.name.text();
        let kind = match name {
            b"img" => Kind::Image,
            b"script" => Kind::Source,
            b"link" => Kind::Link,
            b"base" => Kind::Base,
            _ => Kind::Other,
        };
        let raw = RAW_TEXTS.iter().position(|known| *known == name);
        self.tag = Tag { kind, raw, ..Tag::default() };
        State::BeforeAttribute
    }

    /// Keeps bytes of a value, if it is of an attribute that matters.
    fn keep(&mut self, bytes: &[u8]) {
        let matters = match self.tag.kind {
            Kind::Other => false,
            Kind::Image => matches!(self.name.text(), b"src" | b"srcset"),
            Kind::Source => self.name.text() == b"src",
            Kind::Link => matches!(self.name.text(), b"href" | b"rel"),
            Kind::Base => self.name.text() == b"href",
        };
        if matters {
            let room = LONGEST_ADDRESS - self.value.len();
            self.too_long |= bytes.len() > room;
            self.value.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn end_attribute(&mut self) -> State {
        let is_address = match self.tag.kind {
            Kind::Other => return State::BeforeAttribute,
            Kind::Image | Kind::Source => self.name.text() == b"src",
            Kind::Link | Kind::Base => self.name.text() == b"href",
        };
        if is_address && self.tag.address.is_none() {
            self.tag.address = Some(std::mem::take(&mut self.value));
            self.tag.address_too_long = self.too_long;
        } else if self.tag.kind == Kind::Image && self.name.text() == b"srcset" {
            let mut set = std::mem::take(&mut self.value);
            if self.too_long {
                // The last candidate is not whole.
                set.truncate(set.iter().rposition(|&byte| byte == b',').unwrap_or(0));
            }
            self.tag.source_set.get_or_insert(set);
        } else if self.tag.kind == Kind::Link && self.name.text() == b"rel" && !self.tag.has_rel {
            self.tag.has_rel = true;
            self.tag.is_fetched_link = is_fetched(&self.value);
        }
        State::BeforeAttribute
    }

    /// Resolves the entities of the address, and puts what `srcset` wants fetched in place of `src`.
    fn settle_address(&mut self) {
        if let Some(address) = &mut self.tag.address {
            entities::resolve(address);
        }
        let Some(mut set) = self.tag.source_set.take() else { return };
        entities::resolve(&mut set);
        let has_source = self.tag.address.as_ref().is_some_and(|address| !address.trim_ascii().is_empty());
        if let Choice::Taken(address) = source_set::choose(&set, has_source) {
            self.tag.address = Some(address.to_vec());
            self.tag.address_too_long = false;
        }
    }

    fn end_tag(&mut self, found: &mut impl FnMut(Reference<'_>)) -> State {
        self.settle_address();
        if let Some(address) = self.tag.address.take() {
            let address = address.trim_ascii();
            match self.tag.kind {
                _ if address.is_empty() => {}
                Kind::Base => found(Reference::Base(address)),
                Kind::Link if !self.tag.is_fetched_link => {}
                _ if !self.tag.address_too_long => found(Reference::SubResource(address)),
                _ if address[..address.len().min(5)].eq_ignore_ascii_case(b"data:") => {}
                _ => found(Reference::TooLong),
            }
        }
        self.tag.raw.map_or(State::Text, |element| State::Raw(element, 0))
    }
}

fn in_raw_text(element: usize, matched: u8, byte: u8, used: &mut bool) -> State {
    let name = RAW_TEXTS[element];
    let ends_name = byte.is_ascii_whitespace() || byte == b'/' || byte == b'>';
    match usize::from(matched) {
        0 => State::Raw(element, 1),
        1 if byte == b'/' => State::Raw(element, 2),
        past if past >= 2 && name.get(past - 2) == Some(&byte.to_ascii_lowercase()) => {
            State::Raw(element, matched + 1)
        }
        past if past == name.len() + 2 && ends_name => {
            *used = byte != b'>';
            State::Bogus
        }
        _ => {
            *used = false;
            State::Raw(element, 0)
        }
    }
}

/// Whether a browser fetches what a link of this `rel` names: style sheets in use, and icons.
fn is_fetched(rel: &[u8]) -> bool {
    let holds =
        |word: &[u8]| rel.split(u8::is_ascii_whitespace).any(|token| token.eq_ignore_ascii_case(word));
    (holds(b"stylesheet") && !holds(b"alternate")) || holds(b"icon")
}

#[cfg(test)]
mod tests;
