"""One of a kind is counted as one in every sentence."""

from __future__ import annotations

from middlemark.audit.text import audit_sentence
from middlemark.records.point import AuditFinding, Outcome


def test_one_rule_holds_and_two_rules_hold() -> None:
    finding = AuditFinding(rule="no negative balance", outcome=Outcome.PASSED, message="")
    assert audit_sentence([finding]) == "Audit passed: 1 rule holds."
    assert audit_sentence([finding, finding]) == "Audit passed: 2 rules hold."
