"""Writes the report of a result folder: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup

from middlemark import __version__
from middlemark.records.clearing import read_clearing
from middlemark.records.folder import REPORT, Result, read_result, saving_under, write_whole
from middlemark.records.prices import PriceSheet, read_prices
from middlemark.records.run import RunStatus
from middlemark.report import disclosure, tables
from middlemark.report.at_peak import at_peak, price_table
from middlemark.report.axes import marker
from middlemark.report.clients import connections_table, fairness_table, tls_table
from middlemark.report.faults import fault_table
from middlemark.report.heat_map import heat_maps
from middlemark.report.key_figures import key_figures
from middlemark.report.limits import limit_table
from middlemark.report.load_curves import load_curves, load_panels
from middlemark.report.matrix import matrices, matrix_words
from middlemark.report.multiples import multiple_tables
from middlemark.report.network import network_table
from middlemark.report.percentile_curve import percentile_curve
from middlemark.report.placement import placement_mark
from middlemark.report.platforms import code_table, start_table
from middlemark.report.published import published_tables
from middlemark.report.ranking import ranking
from middlemark.report.ratios import ratio_plot
from middlemark.report.search import search_points, search_table
from middlemark.report.sequence import sequence_chart, sequence_table
from middlemark.report.split_times import split_times
from middlemark.report.spreads import spread_table
from middlemark.report.surroundings import database_table, disk_table, host_table, pool_table, statement_table
from middlemark.report.svg import element
from middlemark.report.tier_charts import tier_charts, tier_tables
from middlemark.report.time_strips import time_strips
from middlemark.report.timelines import Timeline, timeline
from middlemark.report.topology_chart import topology_figures
from middlemark.report.waiting import KEYS, waiting_charts, waiting_table
from middlemark.report.work import work_statements, work_table, work_unavailable
from middlemark.verdict.headline import headline, reasons
from middlemark.verdict.sharing import shared_text
from middlemark.wording import counted

BANNERS = {
    RunStatus.RUNNING: "This run has not finished: it is still running, or it was killed.",
    RunStatus.INTERRUPTED: "This run was interrupted.",
    RunStatus.FAILED: "This run failed.",
}

# More diagrams than this are folded away.
MAX_TOPOLOGIES = 3
# More strips than this are folded away, but for the first round.
MAX_STRIPS = 4


def write_report(result_path: Path, prices: PriceSheet | None = None) -> Path:
    """Write report.html into the result folder and return its path; InputError when it is not a result folder.

    Without `prices` those that the run was given count.
    """
    result = read_result(result_path)
    page = report_page(result, prices or read_prices(result.folder))
    with saving_under(result.folder):
        write_whole(result.folder / REPORT, page)
    return result.folder / REPORT


def report_page(result: Result, prices: PriceSheet | None = None) -> str:
    """Return the report as HTML. Every sentence with a figure in it is made from the result's files."""
    by_round = sorted((p for c in result.run.combinations for p in result.compared(c)), key=lambda p: p.repeat)
    found = [timeline(p) for p in by_round]
    return (
        _templates()
        .get_template("report.html")
        .render(
            lab_version=__version__,
            result=result,
            run=result.run,
            specification=result.run.specification,
            headline=headline(result),
            reasons=reasons(result),
            banner=_banner(result),
            top_load=result.run.top_name,
            shown_strips=max(MAX_STRIPS, len(result.run.combinations)),
            max_topologies=MAX_TOPOLOGIES,
            key_figures=key_figures(result),
            peaks=at_peak(result, prices),
            prices=prices,
            price_lines=price_table(prices) if prices else None,
            command=disclosure.repeat_command(result),
            **_figures(result, [t for t in found if t is not None]),
            **_tables(result),
        )
    )


def _figures(result: Result, timelines: list[Timeline]) -> dict[str, object]:
    return {
        "ratios": ratio_plot(result),
        "curves": load_curves(result),
        "panels": load_panels(result),
        "strips": time_strips(result, timelines),
        "percentiles": percentile_curve(result, timelines),
        "tier_charts": tier_charts(result),
        "waiting": waiting_charts(result),
        "waiting_keys": KEYS,
        "sequence": sequence_chart(result),
        "topologies": topology_figures(result),
    }


def _tables(result: Result) -> dict[str, object]:
    values, findings = tables.check_values(result), tables.audit_findings(result)
    return {
        "matrices": matrices(result),
        "matrix_words": matrix_words(result),
        "heat_maps": heat_maps(result),
        "placement_mark": placement_mark(result),
        "shared": shared_text(result.run),
        "searched": search_table(result),
        "search_points": search_points(result),
        "differences": tables.differences(result),
        "not_started": tables.not_started(result),
        "ranked": ranking(result),
        "multiples": multiple_tables(result),
        "published": published_tables(result),
        "transactions": tables.transaction_tables(result),
        "receive_lags": tables.receive_lags(result),
        "split_times": split_times(result),
        "fairness": fairness_table(result),
        "connections": connections_table(result),
        "tls": tls_table(result),
        "tiers": tier_tables(result),
        "starts": start_table(result),
        "code": code_table(result),
        "limits": limit_table(result),
        "waiting_table": waiting_table(result),
        "pools": pool_table(result),
        "disks": disk_table(result),
        "database_use": database_table(result),
        "host_use": host_table(result),
        "network": network_table(result),
        "statements": statement_table(result),
        "work": work_table(result),
        "work_statements": work_statements(result),
        "work_unavailable": work_unavailable(result),
        "faults": fault_table(result),
        "checks": tables.check_table(result),
        "check_values": values,
        "check_failures": tables.failures(values),
        "audit_summary": tables.audit_summary(result),
        "audit_findings": findings,
        "audit_failures": tables.failures(findings),
        "not_checked": tables.not_checked(result),
        "spreads": spread_table(result),
        "sequence_table": sequence_table(result),
        "not_default": disclosure.not_default(result),
        "heaps": disclosure.heaps(result),
        "disclosed": disclosure.disclosure(result),
    }


def _banner(result: Result) -> str:
    """Return that the run did not finish and, where the lab ended suddenly, when and what was stopped then."""
    banner, cleared = BANNERS.get(result.run.status, ""), read_clearing(result.folder)
    if cleared is None:
        return banner
    if result.run.status is RunStatus.RUNNING:
        banner = "This run has not finished."
    return f"{banner} {cleared.cause[0].upper()}{cleared.cause[1:]}; {cleared.outcome}.".lstrip()


def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("middlemark.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["swatch"] = _swatch
    environment.globals["counted"] = counted
    return environment


def _swatch(series: int) -> Markup:
    """Return the marker of a series for a legend."""
    return element("svg", marker(series, (7, 7)), viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")
