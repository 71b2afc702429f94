"""Where settings come from: the environment, a TOML file, the command line. What is wrong is told all at once.

Names: the setting `public_url` is `ASSAY_PUBLIC_URL` in the environment and `public_url` in the file. The environment
stands over the file, the command line over both. Nothing here repeats a value, which may be a secret.
"""

import ast
import inspect
import os
import tomllib
import types
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from assay402.core.errors import TheirError
from assay402.service.settings import Settings
from assay402.service.settings_rules import PREFIX, Problem, judge

FILE_VARIABLE: Final = "ASSAY_SETTINGS"
NO_SETTINGS: Final = frozenset(
    {
        FILE_VARIABLE,
        "ASSAY_TRACEBACK",
        "ASSAY_PYTHON",
        "ASSAY_OTHER_PYTHON",
        "ASSAY_JUDGE_KEY",
        "ASSAY_RATES_URL",
    }
)
"""Variables with our prefix that are no settings of the service."""
SECRET_MARK: Final = "Secret."  # noqa: S105  (a word of a text)
"""How the text of a setting ends whose value is never shown."""
HIDDEN: Final = "(hidden)"

Source: TypeAlias = Literal["default", "file", "environment", "command line"]
Kind: TypeAlias = Literal["text", "number", "switch", "list", "pairs", "numbers"]

_HOW: Final[Mapping[Kind, str]] = {
    "text": "a text",
    "number": "a whole number, such as 8402",
    "switch": "true or false",
    "list": "a list with commas between: a,b",
    "pairs": "pairs with commas between: a=x,b=y",
    "numbers": "pairs with commas between: a=1,b=2",
}


class SettingsRefused(TheirError):
    """The settings cannot be started with. `problems` says everything that is wrong, without any value.

    Code: `settings`.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("settings", problems=len(problems))
        self.problems: Final = problems


class Known(Struct, frozen=True, kw_only=True):
    """A setting as the program knows it."""

    name: str
    kind: Kind
    choices: tuple[str, ...]
    default: Any
    meaning: str
    is_secret: bool

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return f"{PREFIX}{self.name.upper()}"

    @property
    def how(self) -> str:
        """How its value is written."""
        return f"one of {', '.join(self.choices)}" if self.choices else _HOW[self.kind]


class Sourced(Struct, frozen=True, kw_only=True):
    """The settings, and where each comes from."""

    settings: Settings
    sources: Mapping[str, Source]


def known_settings() -> tuple[Known, ...]:
    """Give every setting with its text, read from the class that holds them, so that there is one table only."""
    meanings = _meanings()
    hints = get_type_hints(Settings)
    return tuple(
        Known(
            name=name,
            kind=_kind(hints[name]),
            choices=get_args(hints[name]) if get_origin(hints[name]) is Literal else (),
            default=getattr(Settings(), name),
            meaning=meanings[name],
            is_secret=meanings[name].endswith(SECRET_MARK),
        )
        for name in Settings.__struct_fields__
    )


def load(
    environment: Mapping[str, str] | None = None,
    file: str | None = None,
    command_line: Mapping[str, Any] | None = None,
    *,
    judges: bool = True,
) -> Sourced:
    """Read the settings of a service; `judges` where it is about to start with them.

    Raises:
        SettingsRefused: for a setting nobody knows, a value of the wrong form, or, judged, settings that do not go
            together.

    """
    variables = os.environ if environment is None else environment
    place = file or variables.get(FILE_VARIABLE) or None
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    sources: dict[str, Source] = {each.name: "default" for each in known_settings()}
    if place is not None:
        _take(_from_file(place, problems), "file", values, sources)
    _take(_from_environment(variables, problems), "environment", values, sources)
    _take(command_line or {}, "command line", values, sources)
    settings = Settings(**values)
    problems += judge(settings) if judges else ()
    if problems:
        raise SettingsRefused(tuple(problems))
    return Sourced(settings=settings, sources=sources)


def described(sourced: Sourced) -> list[dict[str, Any]]:
    """Give each setting with meaning, default, value and source as JSON, secrets hidden."""
    return [
        {
            "setting": each.name,
            "variable": each.variable,
            "meaning": each.meaning,
            "written": each.how,
            "default": written(each.default),
            "value": _shown(each, getattr(sourced.settings, each.name)),
            "source": sourced.sources[each.name],
        }
        for each in known_settings()
    ]


def written(value: Any) -> str | None:  # noqa: ANN401  (the value of any setting)
    """Write a value as the environment has it; None for a setting that is not set."""
    match value:
        case None | ():
            return None
        case bool():
            return "true" if value else "false"
        case tuple():
            return ",".join(each if isinstance(each, str) else f"{each[0]}={each[1]}" for each in value)
        case _:
            return str(value)


def _shown(setting: Known, value: Any) -> str | None:  # noqa: ANN401  (as above)
    is_hidden = setting.is_secret and value != setting.default
    return HIDDEN if is_hidden else written(value)


def _take(
    found: Mapping[str, Any], source: Source, values: dict[str, Any], sources: dict[str, Source]
) -> None:
    values.update(found)
    sources.update(dict.fromkeys(found, source))


def _from_environment(variables: Mapping[str, str], problems: list[Problem]) -> dict[str, Any]:
    """Read every variable with our prefix. An empty one is one that is not set, as compose files write it."""
    by_variable = {each.variable: each for each in known_settings()}
    named = set(NO_SETTINGS)
    address = variables.get(f"{PREFIX}SIGNING_KEY", "")
    if address.startswith("env:"):
        named.add(address.removeprefix("env:"))
    found: dict[str, Any] = {}
    for variable in sorted(each for each in variables if each.startswith(PREFIX) and each not in named):
        if variable not in by_variable:
            problems.append(_unknown(variable, list(by_variable)))
        elif variables[variable] != "":
            _read(by_variable[variable], variables[variable], variable, found, problems)
    return found


def _from_file(place: str, problems: list[Problem]) -> dict[str, Any]:
    try:
        document = tomllib.loads(Path(place).read_text(encoding="utf-8"))
    except OSError:
        problems.append(
            Problem(
                variable=FILE_VARIABLE,
                what="the file cannot be read.",
                how="Give the path of a TOML file, or leave it out.",
            )
        )
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        problems.append(
            Problem(
                variable=FILE_VARIABLE,
                what="the file is no TOML.",
                how='Write lines such as: public_url = "https://host"',
            )
        )
        return {}
    by_name = {each.name: each for each in known_settings()}
    found: dict[str, Any] = {}
    for name, value in document.items():
        if name in by_name:
            _read(by_name[name], value, f"{name} in the file", found, problems)
        else:
            problems.append(_unknown(f"{name} in the file", list(by_name), name))
    return found


def _unknown(place: str, known: list[str], name: str | None = None) -> Problem:
    near = get_close_matches(name or place, known, n=1)
    hint = f"Near: {near[0]}." if near else "`assay settings` lists what there is."
    return Problem(variable=place, what="there is no such setting.", how=hint)


def _read(setting: Known, given: Any, place: str, found: dict[str, Any], problems: list[Problem]) -> None:  # noqa: ANN401  (TOML holds values of many types)
    value = _value(setting, given)
    if value is None or (setting.choices and value not in setting.choices):
        problems.append(
            Problem(variable=place, what="it is not written as it must be.", how=f"Write {setting.how}.")
        )
    else:
        found[setting.name] = value


def _value(setting: Known, given: Any) -> Any:  # noqa: ANN401  (as above)
    """Give the value of a text or of a TOML value; None for one of another form."""
    match setting.kind, given:
        case "text", str():
            return given.strip() or None
        case "number", bool():
            return None
        case "number", int():
            return given
        case "number", str():
            return int(given) if given.strip().isdecimal() and given.isascii() else None
        case "switch", bool():
            return given
        case "switch", str():
            return {"true": True, "false": False}.get(given.strip().lower())
        case "list", str():
            return tuple(part.strip() for part in given.split(",") if part.strip())
        case "list", list():
            return tuple(given) if all(isinstance(each, str) for each in given) else None
        case (("pairs" | "numbers"), (str() | dict())):
            return _pairs(given, setting.kind)
        case _:
            return None


def _pairs(given: str | dict[str, Any], kind: str) -> tuple[tuple[str, Any], ...] | None:
    if isinstance(given, str):
        split = [part.partition("=") for part in given.split(",") if part.strip()]
        if not all(mark for _, mark, _ in split):
            return None
        found: list[tuple[str, Any]] = [(name.strip(), value.strip()) for name, _, value in split]
    else:
        found = list(given.items())
    if kind == "numbers":
        found = [(name, int(text) if str(text).isdecimal() else None) for name, text in found]
    wanted = int if kind == "numbers" else str
    whole = all(name and type(value) is wanted and value != "" for name, value in found)
    return tuple(found) if whole else None


def _kind(hint: Any) -> Kind:  # noqa: ANN401  (a type, in any of Python's spellings)
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(each for each in get_args(hint) if each is not type(None))
    if get_origin(hint) is not tuple:
        plain: Mapping[Any, Kind] = {bool: "switch", int: "number"}
        return plain.get(hint, "text")
    inner = get_args(hint)[0]
    if get_origin(inner) is not tuple:
        return "list"
    return "numbers" if get_args(inner)[1] is int else "pairs"


def _meanings() -> dict[str, str]:
    """Read the text under each setting from the source, where people read it too."""
    body = ast.parse(inspect.getsource(Settings)).body[0]
    assert isinstance(body, ast.ClassDef)  # noqa: S101  (the class above)
    found: dict[str, str] = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            assert isinstance(text, ast.Expr)  # noqa: S101  (a test holds every setting to its text)
            assert isinstance(text.value, ast.Constant)  # noqa: S101  (the same)
            found[field.target.id] = " ".join(str(text.value.value).split())
    return found
