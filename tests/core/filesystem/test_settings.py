"""Settings are checked when they are made, and the error names the field."""

from __future__ import annotations

import pytest

from skills_core.filesystem import FilesystemSettings, FilesystemSettingsError


def test_the_defaults():
    settings = FilesystemSettings()
    assert (settings.watch, settings.watch_use_polling, settings.watch_follow_symlinks) == (True, False, True)
    assert (settings.watch_stability_threshold_ms, settings.watch_poll_interval_ms) == (200, 100)
    assert (settings.watch_max_projects, settings.discovery_depth) == (128, 1)
    assert (settings.include_default_roots, settings.provider_name) == (True, "filesystem")
    assert (settings.dsh_home, settings.agents_home, settings.bundled_skill_dir) == (None, None, None)
    assert (settings.custom_skill_dirs, settings.project_skill_dirs) == ((), ())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("watch_max_projects", 0),
        ("watch_poll_interval_ms", 1.5),
        ("watch_stability_threshold_ms", 0),
        ("watch_stability_threshold_ms", True),
        ("watch_poll_interval_ms", -1),
        ("discovery_depth", 0),
        ("discovery_depth", 7),
        ("watch", 1),
        ("watch_use_polling", "yes"),
        ("include_default_roots", None),
        ("dsh_home", ""),
        ("agents_home", 7),
        ("bundled_skill_dir", "a\0b"),
        ("custom_skill_dirs", "one"),
        ("custom_skill_dirs", ["one", 2]),
        ("project_skill_dirs", [" "]),
        ("provider_name", " "),
        ("provider_name", "runtime"),
    ],
)
def test_a_value_out_of_range_names_its_field(field: str, value: object):
    with pytest.raises(FilesystemSettingsError, match=field) as caught:
        FilesystemSettings(**{field: value})  # type: ignore[arg-type]
    assert caught.value.field == field
    assert field in caught.value.message and field in caught.value.hint


def test_a_list_of_paths_becomes_a_tuple():
    assert FilesystemSettings(custom_skill_dirs=["a", "b"]).custom_skill_dirs == ("a", "b")  # type: ignore[arg-type]


def test_the_greatest_depth_is_allowed():
    assert FilesystemSettings(discovery_depth=6).discovery_depth == 6
