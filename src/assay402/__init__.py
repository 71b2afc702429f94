"""Assay: deterministic checks for machine commerce over x402.

Import a check by its name: `from assay402 import dialect`. Nothing is loaded before it is asked for.
"""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

__all__ = ["__version__", "claims", "deliverable", "dialect", "listing", "terms"]


def __getattr__(name: str) -> ModuleType:
    """Load a check's library face on first use, so that importing one room does not load the others."""
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(name)
