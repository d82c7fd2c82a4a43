"""Combinations of an experiment: every subject with every choice, what is left out and why, and their references."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from small_shop import CARRIED, shop

from conftest import ROOT
from middlemark.experiment.combinations import (
    Sent,
    Subjects,
    combinations,
    missing_references,
    references,
    with_control,
    with_shared_processes,
    without_features,
)
from middlemark.records.naming import short_names
from middlemark.records.run import Combination, LeftOut
from middlemark.subject.subject import find_subject
from middlemark.topology.plan import plan


def possible(
    subjects: Sequence[str] = ("go",), of_tiers: Sequence[str] = (), **choices: Sequence[str]
) -> tuple[list[Combination], list[LeftOut]]:
    """Return the combinations of subjects of the checkout; a choice is written with `_` instead of `-` and `.`."""
    compared, others = ({name: find_subject(ROOT, name, "brokerage") for name in some} for some in (subjects, of_tiers))
    dotted = ("instances_web", "instances_processor", "tiers_web", "tiers_services", "tiers_processor")
    names = {name: name.replace("_", ".") for name in dotted}
    return combinations(Subjects(ROOT, compared, others), {names.get(one, one): v for one, v in choices.items()})


def test_every_subject_meets_every_value_of_every_mode() -> None:
    found, left_out = possible(binding=("local", "json"), orders=("sync",))

    assert [c.path for c in found] == ["go/binding=local,orders=sync", "go/binding=json,orders=sync"]
    assert [c.label for c in found] == ["go local sync", "go json sync"]
    assert left_out == []


def test_what_a_subject_cannot_do_is_left_out_with_the_reason() -> None:
    found, left_out = possible(**{"data-access": ("pgx", "jdbc")})

    assert [c.label for c in found] == ["go pgx"]
    assert [(c.label, c.reason) for c in left_out] == [
        ("go jdbc", "go does not offer data-access=jdbc (it offers pgx)")
    ]
    assert [(c.subject, c.modes) for c in left_out] == [("go", {"data-access": "jdbc"})]


def test_a_subject_without_a_feature_that_the_session_needs_is_left_out_with_the_reason() -> None:
    found, _ = possible(session=("brokerage", "other"))
    subjects = Subjects(ROOT, {"go": find_subject(ROOT, "go", "brokerage")}, {})
    needs = {"brokerage": ("config-page",), "other": ("config-page", "fax")}

    able, left_out = without_features(subjects, found, lambda one: needs[one.modes["session"]])

    assert [c.modes for c in able] == [{"session": "brokerage"}]
    assert [(c.label, c.reason) for c in left_out] == [
        ("go, session other", "go has no feature 'fax', which the session needs")
    ]
    assert [(c.subject, c.modes) for c in left_out] == [("go", {"session": "other"})]


def test_every_mode_meets_every_reverse_proxy_and_number_of_processes() -> None:
    found, left_out = possible(binding=("local", "json"), reverse_proxy=("none", "nginx"), instances_web=("1", "3"))

    assert len(found) == 8
    assert left_out == []
    assert found[-1].path == "go/binding=json,reverse_proxy=nginx,instances.web=3"
    assert found[-1].own_modes == {"binding": "json"}
    assert len(set(short_names(found).values())) == 8


def test_what_a_reverse_proxy_cannot_pass_on_is_left_out_with_the_reason() -> None:
    found, left_out = possible(binding=("json", "grpc"), reverse_proxy=("none", "apache", "nginx"))

    assert [c.modes for c in found] == [
        {"binding": "json", "reverse_proxy": "none"},
        {"binding": "json", "reverse_proxy": "apache"},
        {"binding": "json", "reverse_proxy": "nginx"},
        {"binding": "grpc", "reverse_proxy": "none"},
        {"binding": "grpc", "reverse_proxy": "nginx"},
    ]
    assert [c.reason for c in left_out] == ["apache passes http/1.1 on, and http/2 is needed"]


def test_a_tier_without_processes_of_its_own_has_no_number_of_them() -> None:
    found, left_out = possible(orders=("sync", "async-queue"), instances_processor=("1", "2"))

    assert [c.path for c in found] == [
        "go/orders=sync",
        "go/orders=async-queue,instances.processor=1",
        "go/orders=async-queue,instances.processor=2",
    ]
    assert left_out == []


def test_a_tier_that_others_call_has_one_process() -> None:
    found, left_out = possible(binding=("local", "json"), **{"instances.services": ("2",)})

    assert [c.path for c in found] == ["go/binding=local"]
    assert "services has one process where others call it" in left_out[0].reason


def test_a_tier_of_another_subject_calls_over_an_interface_and_in_process_there_is_one_subject() -> None:
    both = ("go", "jakarta@liberty")
    found, left_out = possible(both, both, binding=("local", "soap"), tiers_web=both)

    assert [c.path for c in found] == [
        "go/binding=local,tiers.web=go",
        "go/binding=soap,tiers.web=go",
        "go/binding=soap,tiers.web=jakarta@liberty",
        "jakarta@liberty/binding=local,tiers.web=jakarta@liberty",
        "jakarta@liberty/binding=soap,tiers.web=go",
        "jakarta@liberty/binding=soap,tiers.web=jakarta@liberty",
    ]
    assert [c.reason for c in left_out] == [
        "the web process of jakarta@liberty cannot carry services of go",
        "the web process of go cannot carry services of jakarta@liberty",
    ]
    assert left_out[0].label == "go local, web of jakarta@liberty"


def test_a_combination_has_the_subject_that_runs_each_tier() -> None:
    both = ("go", "jakarta@liberty")
    found, _ = possible(both, both, binding=("local", "soap"), tiers_web=("own", "go"), orders=("sync", "async-queue"))

    by_path = {one.path: one for one in found}
    mixed = by_path["jakarta@liberty/binding=soap,tiers.web=go,orders=async-queue"]
    assert mixed.tiers == {"web": "go", "services": "jakarta@liberty", "processor": "jakarta@liberty"}
    assert mixed.subjects == ("jakarta@liberty", "go")
    own = by_path["go/binding=local,tiers.web=go,orders=sync"]
    assert own.tiers == {"web": "go", "services": "go"}
    assert own.subjects == ("go",)
    assert len(found) == 2 * 4 + 2, (
        "`own` and its name are the same, and in process web and services are of one subject"
    )


def test_the_subject_of_a_tier_that_does_not_run_is_no_choice() -> None:
    found, _ = possible(("go",), ("go", "jakarta@liberty"), tiers_processor=("go", "jakarta@liberty"))
    assert [one.path for one in found] == ["go/default"]


def test_a_subject_that_runs_no_tier_is_left_out() -> None:
    choices = {"binding": ("soap",), "tiers_web": ("jakarta@liberty",), "tiers_services": ("own", "jakarta@liberty")}
    found, left_out = possible(("go",), ("go", "jakarta@liberty"), **choices)

    assert [one.tiers for one in found] == [{"web": "jakarta@liberty", "services": "go"}]
    assert [one.reason for one in left_out] == ["go runs no tier: web and services are of others"]


def test_what_one_of_two_subjects_does_not_offer_leaves_a_combination_out() -> None:
    found, left_out = possible(
        ("go", "spring-boot"), ("go", "spring-boot"), binding=("grpc",), tiers_web=("go", "spring-boot")
    )

    assert [one.path for one in found] == ["go/binding=grpc,tiers.web=go"]
    assert {one.label: one.reason for one in left_out} == {
        "go grpc, web of spring-boot": "spring-boot does not offer binding=grpc",
        "spring-boot grpc, web of go": "spring-boot does not offer binding=grpc (it offers local, soap, json)",
        "spring-boot grpc, web of spring-boot": "spring-boot does not offer binding=grpc (it offers local, soap, json)",
    }


def test_settings_sessions_scales_and_the_driver_make_combinations_too() -> None:
    choices = {
        "MM_SESSION_SECONDS": ("60", "300"),
        "scale": ("tiny", "demo"),
        "http": ("1.1", "1.0"),
        "threads": ("2",),
    }

    found, _ = possible(**choices)

    assert len(found) == 8
    assert found[-1].path == "go/MM_SESSION_SECONDS=300,scale=demo,http=1.0,threads=2"
    assert found[-1].settings == {"MM_SESSION_SECONDS": "300"}
    assert found[-1].own_modes == {}


def test_what_changes_nothing_is_no_choice() -> None:
    found, _ = possible(http=("1.1", "1.0"), connections=("keep", "per-request"))

    assert [c.path for c in found] == [
        "go/http=1.1,connections=keep",
        "go/http=1.1,connections=per-request",
        "go/http=1.0",
    ]
    _, left_out = possible(tls=("minimum=1.3",))
    assert [c.reason for c in left_out] == [
        "no step goes to a listener over https, so that tls=minimum=1.3 changes nothing"
    ]


def test_a_session_over_tls_has_the_mode_that_opens_its_listener_unless_the_mode_is_chosen() -> None:
    subjects = Subjects(ROOT, {"go": find_subject(ROOT, "go", "spice")}, {})
    over_tls = {"static": (), "shop-handler": ("https",)}

    def found(**choices: Sequence[str]) -> tuple[list[Combination], list[LeftOut]]:
        return combinations(subjects, choices, lambda chosen: Sent(over_tls[chosen["session"]]))

    able, left_out = found(session=("static", "shop-handler"))
    assert [one.modes.get("encryption") for one in able] == [None, "tls"]
    assert left_out == []
    able, left_out = found(session=("static", "shop-handler"), encryption=("none",))
    assert [one.modes["session"] for one in able] == ["static"]
    assert [one.reason for one in left_out] == [
        "web-server does not listen on https in these modes, and the session goes there"
    ]


def test_a_session_that_calls_a_tier_needs_a_process_that_offers_it() -> None:
    to_services = {"browse": ("services",)}
    able, left_out = combinations(
        Subjects(ROOT, {"go": find_subject(ROOT, "go", "brokerage")}, {}),
        {"session": ("browse",), "binding": ("local", "json")},
        lambda chosen: Sent(to_services[chosen["session"]]),
    )
    assert [one.modes["binding"] for one in able] == ["json"]
    assert [one.reason for one in left_out] == ["no process offers services in these modes, and the session calls it"]


def test_no_value_makes_a_folder_of_its_own_or_a_name_that_is_too_long() -> None:
    (long,), _ = possible(MM_SESSION_SECONDS=("3" * 300,))
    folder = long.path.partition("/")[2]
    assert len(folder) < 255
    assert "/" not in folder


def test_each_combination_is_relative_to_the_one_with_the_named_choices_and_its_own_others() -> None:
    found, _ = possible(binding=("local", "json"), orders=("sync", "async-queue"), instances_processor=("1", "2"))

    queued = [f"orders=async-queue,instances.processor={number}" for number in (1, 2)]
    assert references(found, {"binding": "local"}) == {
        "go/binding=json,orders=sync": "go/binding=local,orders=sync",
        **{f"go/binding=json,{rest}": f"go/binding=local,{rest}" for rest in queued},
    }
    to_sync = references(found, {"orders": "sync"})
    assert to_sync["go/binding=json,orders=async-queue,instances.processor=2"] == "go/binding=json,orders=sync"
    assert references(found, {"binding": "grpc"}) == references(found, {}) == {}


def test_what_users_send_and_how_changes_no_processes() -> None:
    subjects = Subjects(ROOT, {"go": find_subject(ROOT, "go", "brokerage")}, {})
    choices = {"session": ("brokerage", "web-calls"), "binding": ("local", "json"), "http": ("1.1", "1.0")}
    found, _ = possible(**choices)

    shared = with_shared_processes(subjects, found)

    assert {one.path: one.deployment for one in shared} == {
        f"go/session={session},binding={binding},http={http}": f"go/session=brokerage,binding={binding},http=1.1"
        for session in choices["session"]
        for binding in choices["binding"]
        for http in choices["http"]
    }
    assert [bool(one.runs_on) for one in shared] == [False, True, False, True, True, True, True, True]


def test_whatever_processes_are_started_with_keeps_them_apart() -> None:
    subjects = Subjects(ROOT, {"go": find_subject(ROOT, "go", "brokerage")}, {})
    found, _ = possible(
        scale=("tiny", "demo"),
        cpus=("1", "2"),
        MM_DATABASE_POOL=("10", "20"),
        reverse_proxy=("none", "nginx"),
        instances_web=("1", "2"),
    )

    assert not any(one.runs_on for one in with_shared_processes(subjects, found))


def test_values_that_requests_carry_run_on_the_same_processes_unless_one_is_in_process(tmp_path: Path) -> None:
    subjects = Subjects(tmp_path, {"small": shop(tmp_path, specification=CARRIED)}, {})
    calls = ("inside", "json", "binary")
    session = Sent(names=("calls", "item"))

    found, left_out = combinations(subjects, {"calls": calls, "tongue": ("en",)}, lambda _: session)

    # The session holds no `${tongue}`, which decides no processes either.
    assert [one.modes for one in found] == [{"calls": one} for one in calls]
    assert left_out == []
    assert [one.tiers for one in found] == [{"site": "small", "stock": "small", "books": "small"}] * 3
    shared = with_shared_processes(subjects, found)
    assert {one.path: one.runs_on for one in shared} == {
        "small/calls=inside": "",
        "small/calls=json": "",
        "small/calls=binary": "small/calls=json",
    }
    outside = plan(subjects.planned(shared[1]))
    assert {process.name: sorted(process.listens) for process in outside}["stock"] == ["grpc", "http"]
    _, left_out = combinations(subjects, {"calls": calls}, lambda _: Sent(names=("tongue",)))
    assert [one.reason for one in left_out] == [
        f"no step of the session holds ${{calls}}, so that requests carry no calls={one}" for one in calls
    ]


def test_values_that_never_exist_together_are_left_out_with_the_reason(tmp_path: Path) -> None:
    only = '\n[modes.receipts.only_with]\nprinted = { calls = ["json"] }\n'
    subjects = Subjects(tmp_path, {"small": shop(tmp_path, specification=CARRIED + only)}, {})
    choices = {"calls": ("inside", "json", "binary"), "receipts": ("none", "printed")}

    found, left_out = combinations(subjects, choices, lambda _: Sent(names=("calls",)))

    assert [one.label for one in found] == [
        "small inside none",
        "small json none",
        "small json printed",
        "small binary none",
    ]
    assert [(one.label, one.reason) for one in left_out] == [
        (f"small {one} printed", f"receipts=printed exists only with calls=json, not with {one}")
        for one in ("inside", "binary")
    ]


def test_a_control_has_processes_of_its_own() -> None:
    subjects = Subjects(ROOT, {"go": find_subject(ROOT, "go", "brokerage")}, {})
    found, _ = possible(session=("brokerage", "web-calls"))

    first, again, other = with_control(with_shared_processes(subjects, found))

    assert (again.deployment, other.deployment) == (again.path, first.path)


def test_combinations_whose_reference_is_not_there_are_found() -> None:
    found, _ = possible(binding=("local", "json"), orders=("sync", "async-queue"))
    without = [one for one in found if one.modes != {"binding": "local", "orders": "sync"}]
    reference = {"binding": "local"}

    missing = missing_references(without, reference, references(without, reference))

    assert [one.path for one in missing] == ["go/binding=json,orders=sync"]
    assert missing_references(found, reference, references(found, reference)) == []


def test_the_subject_itself_is_the_reference_of_its_tier_by_its_name_and_as_own() -> None:
    both = ("go", "jakarta@liberty")
    found, _ = possible(both, both, binding=("soap",), tiers_web=both)

    by_own, by_name = (references(found, {"tiers.web": value}) for value in ("own", "go"))

    assert by_own == {
        "go/binding=soap,tiers.web=jakarta@liberty": "go/binding=soap,tiers.web=go",
        "jakarta@liberty/binding=soap,tiers.web=go": "jakarta@liberty/binding=soap,tiers.web=jakarta@liberty",
    }
    assert by_name == {
        "go/binding=soap,tiers.web=jakarta@liberty": "go/binding=soap,tiers.web=go",
        "jakarta@liberty/binding=soap,tiers.web=jakarta@liberty": "jakarta@liberty/binding=soap,tiers.web=go",
    }
