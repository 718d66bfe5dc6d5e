"""Public names that are imported when they are first used, so that importing a package costs almost nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any


def lazy_names(package: str, namespace: MutableMapping[str, Any], homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose public names live in the modules of ``homes``.

    ``homes`` maps a module (relative to the package) to its names, separated by spaces. A name that was asked for
    once is kept in the package's ``namespace``.
    """
    module_of = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        module = module_of.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{module}"), name)
        namespace[name] = value
        return value

    return get
