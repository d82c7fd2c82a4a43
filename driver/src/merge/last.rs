//! The last lines of drivers that shared a load, as those of one driver.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use super::source::Source;
use super::sums::Sums;
use super::{MergeError, Out, finished};
use crate::measure::histogram::Times;
use crate::measure::network::NetworkCounters;
use crate::measure::self_audit::{Outcome, Rule};
use crate::output::by_name::ByName;
use crate::output::line::{Confirmed, End, EndReason, ResponseCounts, WindowLine};
use crate::output::notebook::ClientsLine;
use crate::output::self_audit_line::{SelfAuditLine, StampsLine, TimesLine};

/// Writes them; all intervals have been read.
///
/// # Errors
/// [`MergeError`]
pub fn write<W: Write>(
    sources: &[Source],
    sums: &mut Sums,
    start: u64,
    out: &mut Out<W>,
) -> Result<(), MergeError> {
    let end = sources.iter().map(|source| source.ended).max().unwrap_or_default() + start;
    out.write(end, confirmed(sources)?)?;
    if let Some(clients) = clients(sources)? {
        out.write(end, clients)?;
    }
    let windows = windows(sources, sums, start)?;
    let audit = self_audit(sources, &windows)?;
    for window in windows {
        out.write(window.counts.end_ns, window)?;
    }
    out.write(end, audit)?;
    out.write(end, end_of(sources))
}

fn confirmed(sources: &[Source]) -> Result<Confirmed<'static>, MergeError> {
    let mut merged: Vec<(Cow<'static, str>, ResponseCounts)> = Vec::new();
    for source in sources {
        let Some(confirmed) = &source.last.confirmed else { return Err(lacks(source, "confirmed")) };
        for (name, responses) in confirmed.transactions.iter() {
            match merged.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => {
                    sum.valid += responses.valid;
                    sum.invalid += responses.invalid;
                }
                None => merged.push((Cow::Owned(name.to_owned()), *responses)),
            }
        }
    }
    Ok(Confirmed { transactions: ByName::owned(merged) })
}

/// All users: each belongs to one driver. Nothing where no driver reports them.
fn clients(sources: &[Source]) -> Result<Option<ClientsLine>, MergeError> {
    if sources.iter().all(|source| source.last.clients.is_none()) {
        return Ok(None);
    }
    let mut clients = Vec::new();
    for source in sources {
        let Some(line) = &source.last.clients else { return Err(lacks(source, "clients")) };
        clients.extend(line.clients.iter().cloned());
    }
    clients.sort_by_key(|client| client.user);
    Ok(Some(ClientsLine { clients }))
}

fn windows(sources: &[Source], sums: &mut Sums, start: u64) -> Result<Vec<WindowLine<'static>>, MergeError> {
    let levels = sources[0].last.windows.len();
    if let Some(other) = sources.iter().find(|source| source.last.windows.len() != levels) {
        return Err(lacks(other, "window"));
    }
    let mut merged = Vec::new();
    for level in 0..levels {
        let lines: Vec<_> =
            sources.iter().map(|source| (&source.last.windows[level], source.hello.start_ns)).collect();
        merged.push(sums.windows(&lines, start).map_err(|place| sources[place].broken_histogram())?);
    }
    Ok(merged)
}

fn self_audit(sources: &[Source], windows: &[WindowLine<'_>]) -> Result<SelfAuditLine, MergeError> {
    let audits = sources
        .iter()
        .map(|source| source.last.self_audit.as_deref().ok_or_else(|| lacks(source, "self_audit")))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut response, mut lateness) = (Times::new(), Times::new());
    let (mut lag, mut receive_lag) = (Times::new(), Times::new());
    // These histograms were merged here, and so can be read.
    for window in windows {
        window.counts.transactions.values().for_each(|transaction| {
            let _ = response.add_encoded(&transaction.histogram);
        });
        let _ = lateness.add_encoded(&window.lateness.lateness);
        let _ = lag.add_encoded(&window.lateness.lag);
        let _ = window.lateness.receive_lag.as_ref().map(|stamped| receive_lag.add_encoded(stamped));
    }
    let set = audits.iter().filter_map(|audit| audit.stamps.as_ref().map(|stamps| stamps.wall_clock_set_ns));
    Ok(SelfAuditLine {
        window_ns: audits.iter().map(|audit| audit.window_ns).max().unwrap_or_default(),
        users: audits.iter().map(|audit| audit.users).sum(),
        think_mean_ms: audits[0].think_mean_ms,
        valid: audits.iter().map(|audit| audit.valid).sum(),
        failed: audits.iter().map(|audit| audit.failed).sum(),
        response_ms: TimesLine::new(&response),
        lateness_ms: TimesLine::new(&lateness),
        lag_ms: TimesLine::new(&lag),
        stamps: set.max_by_key(|set| set.unsigned_abs()).map(|wall_clock_set_ns| StampsLine {
            receive_lag_ms: TimesLine::new(&receive_lag),
            wall_clock_set_ns,
        }),
        threads: audits.iter().flat_map(|audit| audit.threads.clone()).collect(),
        network_namespace: network(sources),
        rules: rules(&audits),
    })
}

/// What TCP had to send again on all hosts. Drivers on one host count the same. Nothing where one of them has no counters.
fn network(sources: &[Source]) -> Option<NetworkCounters> {
    let mut hosts: BTreeMap<&str, NetworkCounters> = BTreeMap::new();
    for source in sources {
        let counted = source.last.self_audit.as_deref()?.network_namespace?;
        let host = hosts.entry(&source.hello.host).or_insert(counted);
        *host = host.larger(counted);
    }
    hosts.into_values().reduce(NetworkCounters::plus)
}

/// Each rule as that driver was judged by it that passed least.
fn rules(audits: &[&SelfAuditLine]) -> Vec<Rule> {
    let of = |rule: &Rule| {
        let all = audits.iter().enumerate().flat_map(|(share, audit)| {
            audit.rules.iter().filter(|other| other.rule == rule.rule).map(move |other| (share, other))
        });
        // A rule that was not checked on one driver says nothing of all.
        let severity = |outcome| match outcome {
            Outcome::Passed => 0,
            Outcome::NotChecked => 1,
            Outcome::Failed => 2,
        };
        // Where nothing at all is allowed, what was found says it alone.
        let used = |rule: &Rule| match (rule.found, rule.limit) {
            (Some(found), Some(limit)) if limit > 0.0 => found.abs() / limit,
            (found, _) => found.unwrap_or_default().abs(),
        };
        let worst = all.max_by(|(_, one), (_, other)| {
            severity(one.outcome).cmp(&severity(other.outcome)).then(used(one).total_cmp(&used(other)))
        });
        worst
            .map(|(share, rule)| Rule { message: format!("share {share}: {}", rule.message), ..rule.clone() })
    };
    audits.first().map_or_else(Vec::new, |first| first.rules.iter().filter_map(of).collect())
}

fn end_of(sources: &[Source]) -> End {
    let mut errors = ByName::default();
    for source in sources {
        errors.add(&source.end.errors);
    }
    let ends = || sources.iter().map(|source| &source.end);
    let limited: Vec<String> = ends()
        .enumerate()
        .filter_map(|(share, end)| end.limited_by.as_ref().map(|why| format!("share {share}: {why}")))
        .collect();
    let judged = ends().all(|end| end.driver_limited.is_some());
    End {
        reason: ends().map(|end| end.reason).find(|reason| !finished(*reason)).unwrap_or(EndReason::Finished),
        transactions: ends().map(|end| end.transactions).sum(),
        errors,
        unanswered: ends().map(|end| end.unanswered).sum(),
        cpu_user_ns: ends().map(|end| end.cpu_user_ns).sum(),
        cpu_system_ns: ends().map(|end| end.cpu_system_ns).sum(),
        max_rss_bytes: ends().map(|end| end.max_rss_bytes).sum(),
        driver_limited: if limited.is_empty() { judged.then_some(false) } else { Some(true) },
        limited_by: (!limited.is_empty()).then(|| limited.join("; ")),
    }
}

fn lacks(source: &Source, line: &str) -> MergeError {
    let problem =
        format!("lacks a line `{line}` that the others have; give what drivers of one version wrote");
    MergeError::unlike(&source.path, problem)
}
