from __future__ import annotations

import pytest

from skills_core.registry import Scope, ScopeCycleError


def test_a_chain_runs_from_the_farthest_ancestor():
    far, near = Scope("far"), Scope("near")
    near.reparent(far)
    own = Scope("own", parent=near)
    assert own.chain() == (far, near, own)


def test_a_cycle_is_refused_and_changes_nothing():
    a = Scope("a")
    b = Scope("b", parent=a)
    c = Scope("c", parent=b)
    for descendant in (a, b, c):
        with pytest.raises(ScopeCycleError):
            a.reparent(descendant)
    assert a.parent is None and c.chain() == (a, b, c)


def test_scopes_are_compared_by_identity():
    assert Scope("same") != Scope("same")
