//! Whether files belong together, and the first line that they make.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::source::Source;
use super::{MergeError, finished};
use crate::output::line::{Hello, MergedDriver};
use crate::workload::Share;

/// Loads that begin farther apart are not one: what one interval counts would have happened at different times.
const APART_MS: f64 = 100.0;

/// The files in the order of their shares, and their merged first line.
///
/// # Errors
/// When they are not those of all drivers that shared one load.
pub fn together(mut sources: Vec<Source>) -> Result<(Vec<Source>, Hello<'static>), MergeError> {
    let of = check_loads(&sources)?;
    sources.sort_by_key(|source| source.hello.share.map_or(0, |share| share.index));
    check_shares(&sources, of)?;
    check_ends(&sources)?;
    let begun = sources.iter().map(begun).collect::<Result<Vec<_>, _>>()?;
    let behind: Vec<f64> = begun.iter().map(|&moment| milliseconds_between(begun[0], moment)).collect();
    check_starts(&sources, &behind)?;
    let hello = merged(&sources, of, &behind);
    Ok((sources, hello))
}

/// How many drivers shared the load of these files.
fn check_loads(sources: &[Source]) -> Result<NonZeroUsize, MergeError> {
    let Some(first) = sources.first() else {
        return Err(MergeError::unlike(
            "merge".as_ref(),
            "no file; give those of all drivers that shared the load",
        ));
    };
    let mut of = NonZeroUsize::MIN;
    for source in sources {
        let unlike = |problem: String| Err(MergeError::unlike(&source.path, problem));
        let (own, firsts) = (&source.hello, &first.hello);
        let other = first.path.display();
        let Some(share) = own.share else {
            return unlike("its driver did not share a load: its plan has no `share`".into());
        };
        if own.interval_ms.total_cmp(&firsts.interval_ms).is_ne() {
            return unlike(format!(
                "has intervals of {} ms and {other} has some of {} ms",
                own.interval_ms, firsts.interval_ms
            ));
        }
        if own.seed != firsts.seed {
            return unlike(format!("has the seed {} and {other} has {}", own.seed, firsts.seed));
        }
        if own.load_sha256 != firsts.load_sha256 {
            return unlike(format!(
                "is of another plan than {other}, or of other lists and bodies; only `share`, `threads`, `sources`, \
                 `records`, `clock_offset_ms` and where files lie may differ"
            ));
        }
        of = share.of;
        if Some(of) != firsts.share.map(|share| share.of) {
            return unlike(format!("is of a load that {of} drivers shared, and {other} is not"));
        }
    }
    Ok(of)
}

/// Checks that every share is there once; the files stand in their order.
fn check_shares(sources: &[Source], of: NonZeroUsize) -> Result<(), MergeError> {
    for (place, source) in sources.iter().enumerate() {
        let index = source.hello.share.map_or(0, |share| share.index);
        let earlier = sources[..place].last();
        if let Some(twice) = earlier.filter(|one| one.hello.share == source.hello.share) {
            let problem = format!("has the share {index} of {of}, and so has {}", twice.path.display());
            return Err(MergeError::unlike(&source.path, problem));
        }
        if index != place {
            return Err(missing(source, place, of));
        }
    }
    match sources.last() {
        Some(last) if sources.len() < of.get() => Err(missing(last, sources.len(), of)),
        _ => Ok(()),
    }
}

fn missing(source: &Source, share: usize, of: NonZeroUsize) -> MergeError {
    let problem =
        format!("is of a load that {of} drivers shared, and no file has the share {share}; give all of them");
    MergeError::unlike(&source.path, problem)
}

/// Checks that all ran to the end, or none did: else a part of the load is missing from some moment on.
fn check_ends(sources: &[Source]) -> Result<(), MergeError> {
    let whole = sources.iter().any(|source| finished(source.end.reason));
    match sources.iter().find(|source| !finished(source.end.reason)) {
        Some(cut) if whole => Err(MergeError::unlike(
            &cut.path,
            "its driver was ended early, and others were not: the load is not whole from then on",
        )),
        _ => Ok(()),
    }
}

/// When a load began, by the clock that all hosts go by: since 1970, in nanoseconds.
fn begun(source: &Source) -> Result<i128, MergeError> {
    let hello = &source.hello;
    let wall: SystemTime = humantime::parse_rfc3339(&hello.wall_clock)
        .map_err(|error| MergeError::unlike(&source.path, format!("`hello`: wall_clock: {error}")))?;
    let wall = wall.duration_since(UNIX_EPOCH).unwrap_or_default() + Duration::from_nanos(hello.start_ns);
    let offset_ns = 1e6 * hello.clock_offset_ms.unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "at most a day")]
    let offset_ns = offset_ns as i128;
    Ok(i128::try_from(wall.as_nanos()).unwrap_or(i128::MAX) - offset_ns)
}

fn milliseconds_between(from: i128, to: i128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a difference of moments, to be looked at")]
    let nanoseconds = (to - from) as f64;
    nanoseconds / 1e6
}

fn check_starts(sources: &[Source], behind: &[f64]) -> Result<(), MergeError> {
    for (source, behind) in sources.iter().zip(behind) {
        if behind.abs() > APART_MS {
            let problem = format!(
                "its load began {behind:.0} ms after that of {} (at most {APART_MS} ms either way); give all plans one \
                 `start`, and each the `clock_offset_ms` of its host",
                sources[0].path.display()
            );
            return Err(MergeError::unlike(&source.path, problem));
        }
    }
    Ok(())
}

fn merged(sources: &[Source], of: NonZeroUsize, behind: &[f64]) -> Hello<'static> {
    let first = &sources[0].hello;
    let mut hosts: Vec<&str> = sources.iter().map(|source| &*source.hello.host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let driver = |(source, behind_ms): (&Source, &f64)| {
        let hello = &source.hello;
        MergedDriver {
            share: hello.share.unwrap_or(Share { index: 0, of }),
            host: hello.host.to_string(),
            pid: hello.pid,
            wall_clock: hello.wall_clock.clone(),
            clock_offset_ms: hello.clock_offset_ms,
            behind_ms: *behind_ms,
        }
    };
    Hello {
        driver: Cow::Owned(first.driver.to_string()),
        wall_clock: first.wall_clock.clone(),
        monotonic_ns: first.monotonic_ns,
        seed: first.seed,
        plan_sha256: Cow::Owned(first.plan_sha256.to_string()),
        load_sha256: Cow::Owned(first.load_sha256.to_string()),
        name: Cow::Owned(first.name.to_string()),
        run: Cow::Owned(first.run.to_string()),
        users: sources.iter().map(|source| source.hello.users).sum(),
        threads: sources.iter().map(|source| source.hello.threads).sum(),
        pid: 0,
        host: Cow::Owned(hosts.join(",")),
        start_ns: first.start_ns,
        interval_ms: first.interval_ms,
        share: None,
        clock_offset_ms: first.clock_offset_ms,
        merged: sources.iter().zip(behind).map(driver).collect(),
    }
}
