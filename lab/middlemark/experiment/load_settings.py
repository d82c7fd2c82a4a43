"""What of a plan is not in the session: from the experiment, the combination and the addresses of its processes."""

from __future__ import annotations

from middlemark.experiment.driver_choices import threads_of, transport_of
from middlemark.experiment.listeners import authority_of, listener_addresses
from middlemark.experiment.running_subject import RunningSubject
from middlemark.experiment.wake import wake_of
from middlemark.records.run import Load
from middlemark.specification.files_on_disk import request_lists
from middlemark.workload.planning import Arrivals, LoadSettings, PhaseLengths


def load_settings(subject: RunningSubject, load: Load, phases: PhaseLengths, run: str) -> LoadSettings:
    """Return the settings of a load of a subject that runs, a point's or the warm-up's; `run` makes users new."""
    preparation, choices = subject.context.preparation, subject.combination.modes
    experiment = preparation.experiment
    loads = experiment.loads
    return LoadSettings(
        targets=subject.target.addresses,
        named_targets=listener_addresses(subject.session, subject.target),
        users=loads.users_at(load),
        phases=phases,
        run=run,
        seed=experiment.seed,
        think=experiment.think,
        numbers=preparation.specification.numbers(preparation.scale_of(subject.combination)),
        lists=request_lists(preparation.specification),
        threads=threads_of(choices),
        wake=wake_of(experiment.wake, map(preparation.cpus.of, preparation.combinations)),
        transport=transport_of(
            choices,
            receive_stamps=experiment.receive_stamps,
            authority=authority_of(subject.session, subject.target),
        ),
        per_client=experiment.per_client,
        interval=experiment.interval,
        split_times=experiment.split_times,
        arrivals=None if loads.whole else Arrivals((load,), loads.arrivals, loads.of),
    )
