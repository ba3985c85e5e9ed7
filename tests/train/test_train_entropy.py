import random

import pytest

from components.train.config import EntropyConfig
from components.train.entropy import EntropyController


def replay(config, signals):
    controller, trace = EntropyController.start(config), []
    for signal in signals:
        trace.append((controller.coefficient, controller.alpha(signal)))
        controller.update(signal)
    return trace, controller


def test_paper_recursion_replayed_step_by_step():
    draw = random.Random(0)
    signals = [draw.choice([0.05, 0.2, 0.6]) for _ in range(300)]
    config = EntropyConfig(delta=0.001, maximum=0.005)
    trace, _ = replay(config, signals)
    coefficient = 0.0
    for signal, (c, alpha) in zip(signals, trace, strict=True):
        assert c == pytest.approx(coefficient, abs=1e-12)
        assert alpha == (c if signal <= 0.2 else 0.0)
        sign = 1 if signal < 0.2 else -1 if signal > 0.2 else 0
        coefficient = max(0.0, min(0.005, coefficient + sign * 0.001))
    assert max(c for c, _ in trace) == 0.005 and min(c for c, _ in trace) == 0.0


def test_equality_holds_the_coefficient_and_opens_the_gate():
    config = EntropyConfig(initial=0.003)
    trace, controller = replay(config, [0.2])
    assert trace == [(0.003, 0.003)] and controller.coefficient == 0.003


def test_released_gate_lags_by_one_step_and_equality_lowers():
    trace, controller = replay(EntropyConfig(initial=0.003, gate="previous"), [0.5, 0.1, 0.2, 0.1])
    c = [0.003, 0.0029, 0.003, 0.0029]
    assert [row[0] for row in trace] == pytest.approx(c)
    assert [row[1] for row in trace] == pytest.approx([c[0], 0.0, c[2], 0.0])
    assert controller.coefficient == pytest.approx(0.003)


def test_fixed_and_off():
    assert replay(EntropyConfig(mode="fixed", initial=0.001), [0.1, 0.9])[0] == [(0.001, 0.001)] * 2
    assert replay(EntropyConfig(mode="off", initial=0.001), [0.1, 0.9])[0] == [(0.0, 0.0)] * 2


def test_state_continues_as_if_never_stopped():
    config, signals = EntropyConfig(delta=0.0007, gate="previous"), [0.1, 0.3, 0.1, 0.1, 0.2, 0.05]
    whole, end = replay(config, signals)
    _, first = replay(config, signals[:3])
    resumed = EntropyController.restore(config, first.state())
    assert (resumed.coefficient, resumed.alpha(0.1)) == whole[3]
    for signal in signals[3:]:
        resumed.update(signal)
    assert resumed.state() == end.state()
