from __future__ import annotations

import errno

import pytest

from skills_core.filesystem.watching.failure import (
    NoNativeWatcherError,
    WatchLimits,
    explain_failure,
    printable,
    read_limits,
)

LIMITS = WatchLimits(watches=8192, instances=128, open_files=1024, files_in_use=40)


@pytest.mark.parametrize("kind", [OSError, FileNotFoundError])
def test_used_up_watches_name_the_limit_the_need_and_the_setting(kind: type[OSError]):
    failure = explain_failure(kind('OS file watch limit reached. about ["/r"]'), 3004, LIMITS)
    assert "8192" in failure.reason and "3004" in failure.reason
    assert failure.hint == "run: sudo sysctl fs.inotify.max_user_watches=16384"


def test_no_space_left_is_the_same_limit():
    failure = explain_failure(OSError(errno.ENOSPC, "No space left on device"), 10, LIMITS)
    assert "fs.inotify.max_user_watches=" in failure.hint


def test_the_suggested_limit_has_room_for_what_is_needed():
    failure = explain_failure(OSError("OS file watch limit reached."), 100_000, LIMITS)
    assert int(failure.hint.rpartition("=")[2]) >= 8192 + 100_000


def test_a_limit_that_the_system_does_not_tell_is_not_invented():
    failure = explain_failure(OSError("OS file watch limit reached."), 7, WatchLimits())
    assert "7" in failure.reason and "sysctl" not in failure.hint


def test_too_many_open_files_is_the_limit_of_watchers():
    error = RuntimeError("Error creating recommended watcher: Too many open files (os error 24)")
    failure = explain_failure(error, 3, LIMITS)
    assert "128 watchers" in failure.reason
    assert failure.hint == "run: sudo sysctl fs.inotify.max_user_instances=512"


def test_too_many_open_files_of_this_process_is_told_apart():
    error = RuntimeError("Error creating recommended watcher: Too many open files (os error 24)")
    failure = explain_failure(error, 3, WatchLimits(open_files=64, files_in_use=62, instances=128))
    assert "62 of 64" in failure.reason
    assert "ulimit -n" in failure.hint


def test_too_many_open_files_of_the_whole_system():
    failure = explain_failure(RuntimeError("Too many open files in system (os error 23)"), 3, LIMITS)
    assert "fs.file-max" in failure.hint


def test_an_undecodable_name_is_named():
    failure = explain_failure(RuntimeError('Unable to decode path "/r/\\xFFx" to string'), 3, LIMITS)
    assert '"/r/\\xFFx"' in failure.reason and "rename" in failure.hint


def test_refused_permission():
    error = PermissionError('Permission denied (os error 13) about ["/r"]')
    assert "permission" in explain_failure(error, 3, LIMITS).reason


def test_a_system_without_events():
    assert "reports no file changes" in explain_failure(NoNativeWatcherError(), 3, LIMITS).reason


def test_anything_else_is_given_in_its_own_words_made_printable():
    failure = explain_failure(RuntimeError("odd \x1b[31m thing"), 3, LIMITS)
    assert failure.reason == "the watcher failed: odd \\x1b[31m thing"
    assert explain_failure(KeyError(), 3, LIMITS).reason == "the watcher failed: KeyError"


def test_printable_keeps_ordinary_text_and_escapes_the_rest():
    assert printable("naïve 漢 x") == "naïve 漢 x"
    assert printable("a\nb\udcff") == "a\\nb\\udcff"


def test_limits_are_read_from_this_system():
    limits = read_limits()
    assert limits.watches and limits.instances and limits.open_files and limits.files_in_use
