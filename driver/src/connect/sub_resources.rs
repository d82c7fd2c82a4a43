//! The sub-resources of one page: what is found in it, as paths on the page's own target, each once.

use super::location;
use super::references::{Reference, ReferenceScanner};
use super::target::Target;

/// Most sub-resources of one page; a page with more fails, because leaving some out would be a wrong figure.
const MAX_SUB_RESOURCES: usize = 256;

/// Collects the sub-resources of one page after the other.
#[derive(Debug, Default)]
pub struct SubResources {
    scanner: ReferenceScanner,
    is_page: bool,
    base: BaseAddress,
    paths: Vec<String>,
    beyond_limits: bool,
}

/// What relative addresses are relative to.
#[derive(Debug, Default)]
enum BaseAddress {
    /// The page.
    #[default]
    Page,
    /// This path.
    Path(String),
    /// Another host: only addresses that name the page's are fetched.
    Elsewhere,
}

/// More sub-resources than anybody fetches for one page, or an address of more bytes than anybody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeyondLimits;

impl SubResources {
    /// A response begins; only one that `is_page` is looked at.
    pub fn begin(&mut self, is_page: bool) {
        self.is_page = is_page;
        self.base = BaseAddress::Page;
        self.paths.clear();
        self.beyond_limits = false;
        self.scanner.restart();
    }

    /// Looks at the next piece of the response to the request for `path`.
    pub fn look_at(&mut self, piece: &[u8], path: &str, target: &Target) {
        let Self { scanner, is_page: true, base, paths, beyond_limits } = self else { return };
        scanner.look_at(piece, |reference| match reference {
            // Whatever else there is: the page has failed, and other users wait for their turn.
            _ if *beyond_limits => {}
            Reference::TooLong => *beyond_limits = true,
            Reference::Base(address) if matches!(base, BaseAddress::Page) => {
                let resolved = resolve(address, path, target);
                *base = resolved.map_or(BaseAddress::Elsewhere, BaseAddress::Path);
            }
            Reference::Base(_) => {}
            Reference::SubResource(address) => {
                let base = match base {
                    BaseAddress::Page => path,
                    BaseAddress::Path(base) => base,
                    BaseAddress::Elsewhere if names_host(address) => path,
                    BaseAddress::Elsewhere => return,
                };
                let found = resolve(address, base, target);
                match found.filter(|found| !address.starts_with(b"#") && !paths.contains(found)) {
                    Some(_) if paths.len() == MAX_SUB_RESOURCES => *beyond_limits = true,
                    Some(found) => paths.push(found),
                    None => {}
                }
            }
        });
    }

    /// Takes the paths with queries of the sub-resources, in the order of the page.
    ///
    /// # Errors
    /// When the page refers to more than can be fetched.
    pub fn take(&mut self) -> Result<Vec<String>, BeyondLimits> {
        let paths = std::mem::take(&mut self.paths);
        if self.beyond_limits { Err(BeyondLimits) } else { Ok(paths) }
    }
}

/// The path of an address on the page's own target. In a page that is not in UTF-8 it may not be what the page means;
/// it is asked for all the same, so that this shows.
fn resolve(address: &[u8], base: &str, target: &Target) -> Option<String> {
    location::resolve(String::from_utf8_lossy(address).as_bytes(), base, target)
}

fn names_host(address: &[u8]) -> bool {
    let first = address.split(|&byte| byte == b'/').next().unwrap_or_default();
    address.starts_with(b"//") || first.ends_with(b":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sub_resources(page: &str) -> Result<Vec<String>, BeyondLimits> {
        let target = Target::resolve("http://127.0.0.1:8080/app").expect("a target");
        let mut sub_resources = SubResources::default();
        sub_resources.begin(true);
        sub_resources.look_at(page.as_bytes(), "/app/shop/home?x=1", &target);
        sub_resources.take()
    }

    #[test]
    fn sub_resources_of_the_same_target_are_found_once_each() {
        let page =
            "<img src=a.png><img src='../b.png?x=1&amp;y'><img src=/app/shop/a.png#top><img src='ä b\n.png'>
            <script src=//127.0.0.1:8080/c.js></script><img src=http://127.0.0.1:8081/no><img src=data:x>
            <script src=https://example.org/no.js></script><img src=#no>";
        let expected = ["/app/shop/a.png", "/app/b.png?x=1&y", "/app/shop/%C3%A4%20b.png", "/c.js"];
        assert_eq!(sub_resources(page).expect("sub-resources"), expected);
    }

    #[test]
    fn a_base_changes_what_addresses_are_relative_to() {
        let page = "<base href=/pictures/><base href=/no/><img src=a.png><img src=/b.png>";
        assert_eq!(sub_resources(page).expect("sub-resources"), ["/pictures/a.png", "/b.png"]);
        let page =
            "<base href=http://example.org/><img src=no><img src=/no><img src=http://127.0.0.1:8080/a>";
        assert_eq!(sub_resources(page).expect("sub-resources"), ["/a"]);
    }

    #[test]
    fn a_page_with_more_than_can_be_fetched_is_reported() {
        let page = |count: usize| {
            (0..count).map(|number| format!("<img src={number}>")).collect::<Vec<_>>().concat()
        };
        assert_eq!(sub_resources(&page(256)).expect("sub-resources").len(), 256);
        assert_eq!(sub_resources(&page(257)), Err(BeyondLimits));
        assert_eq!(sub_resources(&format!("<img src={}>", "x".repeat(2_049))), Err(BeyondLimits));
    }

    #[test]
    fn only_a_page_is_looked_at() {
        let target = Target::resolve("http://127.0.0.1:8080").expect("a target");
        let mut sub_resources = SubResources::default();
        sub_resources.begin(false);
        sub_resources.look_at(b"<img src=a>", "/", &target);
        assert_eq!(sub_resources.take(), Ok(vec![]));
    }
}
