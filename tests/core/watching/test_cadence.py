from __future__ import annotations

from skills_core.filesystem.watching import cadence


def test_a_cheap_look_comes_every_second():
    assert cadence.safety_interval(0.0) == 1.0
    assert cadence.safety_interval(0.001) == 1.0


def test_a_costly_look_takes_at_most_half_a_percent_until_ten_seconds():
    assert 0.015 / cadence.safety_interval(0.015) <= 0.005
    assert cadence.safety_interval(5.0) == 10.0


def test_polling_follows_the_setting_until_a_look_costs_a_twentieth_of_it():
    assert cadence.polling_interval(0.0, 100) == 0.1
    assert cadence.polling_interval(0.005, 100) == 0.1
    assert cadence.polling_interval(0.015, 100) == 20 * 0.015


def test_retries_double_from_one_second_to_a_minute():
    assert [cadence.retry_delay(failures) for failures in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert cadence.retry_delay(10_000) == 60


def test_rebuilds_come_at_most_four_times_a_second_and_take_at_most_a_tenth_of_the_time():
    assert cadence.rebuild_pause(0.001) == 0.25
    assert cadence.rebuild_pause(0.2) == 2.0
