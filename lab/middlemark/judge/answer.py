"""What a result answers, in a sentence for people who know nothing of the lab; only what is decided is asserted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.records.figures import CPU_TIME, THROUGHPUT, USERS_SUPPORTED, leading
from middlemark.records.findings import CombinationFinding, Comparison, Measured
from middlemark.records.naming import short_names
from middlemark.records.point import sum_of_effect
from middlemark.records.run import CONTROL, Combination, Run, Searched
from middlemark.verdict.soak import PEAK_SHARE
from middlemark.verdict.words import MAX_APART, Word
from middlemark.wording import counted, sentence

# More than these make a sentence too long to read: then the ends are named.
MAX_NAMED = 4
# More groups of combinations than these are in the report alone.
MAX_GROUPS = 2


def answer_of(measured: Measured, found: Sequence[CombinationFinding], pairs: Sequence[Comparison], status: str) -> str:
    """The answer; of a run that did not finish with how it ended."""
    text = _of_soaks(measured) or _answer(measured, found, pairs)
    return f"{sentence(status)}. {text}" if status else text


def basis_of(measured: Measured, pairs: Sequence[Comparison]) -> str:
    """What the answer rests on: the load, starts and rounds, and the spread between starts that was taken."""
    ranked = [one for one in pairs if not one.not_ranked and one.basis]
    parts = [f"Measured at {measured.run.top_name}"]
    if ranked:
        parts += [part for part in (ranked[0].basis, ranked[0].assumed) if part]
    elif soaks := [soak for one in measured.run.combinations for soak in measured.soaks(one)]:
        parts.append(f"slices of {soaks[0].plan.slice_s:g} s")
        parts.append(f"sustained is what ends within {100 * PEAK_SHARE:g} % of its best level, without a stall")
    elif not measured.run.faults:
        parts.append(counted(max((window.repeat + 1 for window in measured.rounds), default=0), "round"))
    return f"{'; '.join(parts)}."


def _answer(measured: Measured, found: Sequence[CombinationFinding], pairs: Sequence[Comparison]) -> str:
    run = measured.run
    if run.faults:
        return _of_faults(measured)
    others = [one for one in pairs if not one.b.endswith(CONTROL)]
    ranked = [one for one in others if not one.not_ranked] or others
    if not ranked:
        return _of_one(measured, found[0]) if found else "No combination was run."
    if all(one.ratio is None for one in ranked) and len(ranked) > 1:
        return "Nothing was compared: no combination has a window that counts beside one of another."
    if len(ranked) == 1:
        return _of_pair(run, ranked[0])
    if len(ranked) <= MAX_NAMED and len({one.a for one in ranked}) == 1:
        return _of_few(run, ranked)
    return _of_many(run, found, ranked)


def _of_soaks(measured: Measured) -> str:
    """Whether each combination sustained its load; empty where none was held."""
    run = measured.run
    held = [
        f"{measured.name(one.path)}, {run.load_name(run.top_load(one))}: {soak.text}"
        for one in run.combinations
        for soak in measured.soaks(one)
    ]
    return f"{sentence('; '.join(held))}." if held else ""


def _of_pair(run: Run, one: Comparison) -> str:
    names, of = _Names(run, [one]), LeadingFigure(run)
    a, b, verb = names.of[one.a], names.of[one.b], of.verb(phrase=names.are_phrases)
    if one.ratio is None:
        return f"{sentence(b)} and {a} were not compared: {one.reason}."
    if one.decided:
        return f"{sentence(b)} {verb} {_times(one)} the {of.what} of {a}."
    if one.word == Word.EQUAL:
        return f"{sentence(b)} {verb} as {of.much} {of.what} as {a}, within 5 %."
    return f"Cannot tell whether {b} {verb} more {of.what} than {a}: {_times(one)} ({_why_open(one)})."


def _of_few(run: Run, ranked: Sequence[Comparison]) -> str:
    names, of = _Names(run, ranked), LeadingFigure(run)
    a, costs = names.of[ranked[0].a], of.figure.costs
    listed = ", ".join(f"{names.of[one.b]} {_part(one)}" for one in ranked)
    if all(one.decided and one.ratio is not None and (one.ratio > 1) == costs for one in ranked):
        return f"{sentence(a)} {of.verb(phrase=names.are_phrases)} the {of.ends[0]} {of.what}; {listed}."
    undecided = [one for one in ranked if one.ratio is not None and not one.decided and one.word != Word.EQUAL]
    reasons = {_why_open(one) for one in undecided}
    if len(undecided) == len(ranked) and len(reasons) == 1:
        listed = ", ".join(f"{names.of[one.b]} {_times(one)}" for one in ranked)
        return f"Cannot tell how the {of.name} compares with that of {a}: {listed} ({reasons.pop()})."
    return f"Compared with the {of.what} of {a}: {listed}."


def _of_many(run: Run, found: Sequence[CombinationFinding], ranked: Sequence[Comparison]) -> str:
    of = LeadingFigure(run)
    own = [one for one in found if not one.path.endswith(CONTROL)]
    parts = [part for group in dict.fromkeys(one.group for one in own) if (part := _ends(of, own, group))]
    if not parts:
        return f"None of {counted(len(own), 'combination')} has a window that counts."
    more = f"; the report has {counted(len(parts) - MAX_GROUPS, 'more group')}" if parts[MAX_GROUPS:] else ""
    text = "; ".join(parts[:MAX_GROUPS])
    decided = sum(one.decided for one in ranked)
    certain = f"{decided} of {counted(len(ranked), 'difference')} {'is' if decided == 1 else 'are'} certain"
    return f"{sentence(text)}{more}. {sentence(certain)}."


def _ends(of: LeadingFigure, every: Sequence[CombinationFinding], group: str) -> str:
    """Who has the least and the most of a group of combinations that are ranked together; empty of one alone."""
    known = [
        (one.at.figures[of.figure.name].mean, one)
        for one in every
        if one.group == group and of.figure.name in one.at.figures
    ]
    if len(known) < 2:
        return ""
    known.sort(key=lambda both: both[0], reverse=not of.figure.costs)
    (first, best), (last, worst) = known[0], known[-1]
    least, most = of.ends
    where = f" ({group})" if group else ""
    return (
        f"of {len(known)} combinations{where} {best.name} {of.verb(phrase=False)} the {least} {of.what}, "
        f"{of.value(first)}; {worst.name} the {most}, {of.value(last)}"
    )


def _of_one(measured: Measured, only: CombinationFinding) -> str:
    run, at = measured.run, only.at
    searched = run.searched.get(only.path)
    if searched and searched.goal == "limit":
        return _of_limit(only, searched)
    if searched and searched.peak is None:
        return f"{sentence(only.name)} has no load at which a window counts."
    tps = at.figures.get(THROUGHPUT.name)
    if tps is None:
        return f"{sentence(only.name)} has no window that counts at {run.top_name}."
    rate = f"{tps.mean:,.4g} {run.specification.rate}"
    if searched:
        return f"{sentence(only.name)} serves at most {rate}, to {run.load_name(only.load)}."
    cpu = at.figures.get(CPU_TIME.name)
    cost = f"needs {cpu.mean:,.3g} ms of CPU time for a {run.specification.unit} and " if cpu else ""
    return f"{sentence(only.name)} {cost}serves {rate} at {run.load_name(only.load)}."


def _of_limit(only: CombinationFinding, searched: Searched) -> str:
    users, name = only.at.figures.get(USERS_SUPPORTED.name), sentence(only.name)
    if users is None:
        return f"{name} has no known number of users supported: {only.peak.remark or only.peak.reason}."
    interval = f" ({users.low:,.0f} … {users.high:,.0f})" if users.rounds > 1 else ""
    return f"{name} supports {users.mean:,.0f} users{interval} up to {searched.limits.response_text}."


def _of_faults(measured: Measured) -> str:
    plurals = measured.run.specification.effects
    faults = [fault for window in measured.rounds for fault in window.faults]
    injected = sum(fault.done for fault in faults)
    audits = [window.audit for window in measured.rounds if window.audit]
    passed = f"{sum(audit.passed for audit in audits)} of {counted(len(audits), 'audit')} passed"
    sums = {plural: sum_of_effect(audits, name) for name, plural in plurals.items()}
    parts = [
        f"of {one.confirmed:,} {plural} that were confirmed, {one.lost or 'none':} {_was(one.lost)} lost and "
        f"{one.doubled or 'none'} {_was(one.doubled)} doubled"
        for plural, one in sums.items()
    ]
    if in_doubt := [one for fault in faults for one in fault.in_doubt]:
        left = sum(one.ended_s is None for one in in_doubt)
        number = f"of {counted(len(in_doubt), 'transaction')} in doubt"
        parts.append(f"{number} {left or 'none'} {_was(left)} left prepared")
    return f"Under {counted(injected, 'fault')}, {'; '.join([*parts, passed])}."


def _was(number: int) -> str:
    return "were" if number > 1 else "was"


class _Names:
    """Names of combinations in a sentence: what they do, where they differ in one mode whose values have phrases."""

    def __init__(self, run: Run, pairs: Sequence[Comparison]) -> None:
        paths = {path for one in pairs for path in (one.a, one.b)}
        own = [one for one in run.combinations if one.path in paths]
        phrases = _phrases(run, own)
        self.are_phrases = bool(phrases)
        self.of = phrases or short_names(own)


def _phrases(run: Run, own: Sequence[Combination]) -> Mapping[str, str]:
    modes = {mode for one in own for mode in one.modes}
    differing = [mode for mode in modes if len({one.modes.get(mode) for one in own}) > 1]
    if len(differing) != 1 or len({one.subject for one in own}) > 1:
        return {}
    known = run.specification.phrases.get(differing[0], {})
    found = {one.path: known.get(one.modes.get(differing[0], ""), "") for one in own}
    return found if all(found.values()) else {}


class LeadingFigure:
    """The leading figure of a run in a sentence; `ends` are the words for its best value and its worst.

    `what` follows a verb, `name` begins a clause. Users are `many`, any other figure is `much`.
    """

    def __init__(self, run: Run) -> None:
        self.figure = leading(run.specification)
        words = {CPU_TIME: "CPU time", USERS_SUPPORTED: "users"}
        self.what = words.get(self.figure) or self.figure.titled(run.specification)
        self.name = "number of users supported" if self.figure is USERS_SUPPORTED else self.what
        self.much = "many" if self.figure is USERS_SUPPORTED else "much"
        self.ends = ("least", "most") if self.figure.costs else ("most", "least")
        self._unit = self.figure.united(run.specification)

    def verb(self, *, phrase: bool) -> str:
        """Of what is done it `costs`, of a platform it `needs`; throughput is reached, users are supported."""
        if self.figure is USERS_SUPPORTED:
            return "supports"
        return "reaches" if not self.figure.costs else "costs" if phrase else "needs"

    def value(self, number: float) -> str:
        """A value with its unit."""
        return f"{number:,.3g} {self._unit}" if number < 1000 else f"{number:,.0f} {self._unit}"


def _part(one: Comparison) -> str:
    if one.ratio is None:
        return "was not compared"
    if one.word == Word.EQUAL:
        return "as much, within 5 %"
    return _times(one) if one.decided else f"not known ({_times(one)}; {_why_open(one)})"


def _why_open(one: Comparison) -> str:
    if one.not_ranked:
        return f"not ranked: {one.not_ranked}"
    if one.word == Word.STILL_FASTER:
        return "one side was still getting faster"
    return "too few rounds" if one.word_low is None else "the measurements differ too much to tell"


def _times(one: Comparison) -> str:
    """From where to where the ratio lies, by the interval from which the word follows."""
    low, high = one.word_low or one.low, one.word_high or one.high
    if low is None or high is None:
        low, high = min(one.ratios), max(one.ratios)
    if high >= MAX_APART * low:
        if one.decided:
            return f"at least {low:.1f} times" if low > 1 else f"at most {high:.2f} times"
        return f"the interval spans a factor of {MAX_APART} or more"
    digits = 2 if high - low < 0.2 or min(abs(low - 1), abs(high - 1)) < 0.05 else 1
    ends = dict.fromkeys((f"{low:.{digits}f}", f"{high:,.{digits}f}"))
    return f"{' to '.join(ends)} times"
