"""The errors of the project, drawn as a tree.

    AssayError                 the base: a stable code, numbers, nothing of what was submitted
    |- TheirError              what we were given is wrong
    |  |- JSONUnreadable       bytes that are not the JSON we accept
    |  |- TranscriptUnreadable a file that holds no saved exchange (in `formats.exchange`)
    |  '- RecordingUnreadable  a recording that is damaged, or that does not fit its request
    '- OurError                we are wrong: a defect in this project
       |- EngineDiffers        an installed engine is not the one this release answers with
       '- EngineFailed         an engine broke down where it should have answered

A check never raises for what it examines: trouble outside is an answer and unacceptable input is a refusal.
What is raised is either the caller's material (a file that is no recording) or a bug.
"""

from collections.abc import Mapping

from msgspec import Struct


class Notice(Struct, frozen=True):
    """What a code means and what to do about it, in fixed sentences that quote nothing.

    Positional on purpose: tables of notices are read as two columns.
    """

    text: str
    hint: str


class AssayError(Exception):
    """The base of all errors raised here.

    `code` is stable and may be relied on; the wording is not. `numbers` holds lengths, limits and positions.
    """

    def __init__(self, code: str, **numbers: int) -> None:
        super().__init__(code)
        self.code = code
        self.numbers: Mapping[str, int] = numbers

    def __str__(self) -> str:
        """Say the code and the numbers, which is all an error may carry."""
        return " ".join([self.code, *(f"{name}={value}" for name, value in self.numbers.items())])


class TheirError(AssayError):
    """What we were given is wrong; the giver can mend it."""


class OurError(AssayError):
    """This project is wrong; please report it."""


class EngineDiffers(OurError):
    """An installed engine is not the version this release answers with, so its answers could differ.

    Code: `engine_version`. Beside it stand the engine and both versions, which are ours to name.
    """

    def __init__(self, engine: str, *, installed: str, wanted: str) -> None:
        super().__init__("engine_version")
        self.engine = engine
        self.installed = installed
        self.wanted = wanted

    def __str__(self) -> str:
        """Say the code, the engine and both versions."""
        return f"{self.code} {self.engine} installed={self.installed} wanted={self.wanted}"


class EngineFailed(OurError):
    """An engine broke down where it should have answered; what it said of that may quote what was submitted.

    Code: `internal`, like every defect that nobody but us can mend.
    """

    def __init__(self) -> None:
        super().__init__("internal")


class JSONUnreadable(TheirError):
    """Bytes that are not the JSON this project accepts.

    Codes: `json_not_utf8`, `json_malformed`, `json_not_finite`, `json_too_deep`, `json_too_long`.
    """


class RecordingUnreadable(TheirError):
    """A recording that cannot be read, or whose answers do not fit the asks of its request.

    Codes: `recording_malformed`, `recording_version`, `recording_operation`, `recording_mismatch`,
    `recording_too_short`, `recording_too_long`.
    """


NOTICES: Mapping[str, Notice] = {
    "json_not_utf8": Notice(
        "The bytes are not UTF-8.", "Save the file as UTF-8 without other encodings inside."
    ),
    "json_malformed": Notice("The bytes are not JSON.", "Check the place the number `position` counts to."),
    "json_not_finite": Notice("NaN and Infinity are not JSON.", "Send a number, a string or null instead."),
    "json_too_deep": Notice("The JSON is nested too deeply.", "Flatten it to at most the number `cap`."),
    "json_too_long": Notice("The JSON is too long.", "Shorten it to at most the number `cap`, in bytes."),
    "recording_malformed": Notice(
        "The file is not a recording.", "Make one with `--record FILE` and replay that."
    ),
    "recording_version": Notice(
        "The recording has a version this release does not read.", "Replay it with the release that made it."
    ),
    "recording_operation": Notice(
        "The recording is of an operation this release does not have.",
        "Replay it with the release that made it.",
    ),
    "recording_mismatch": Notice(
        "The recording answers another question than the one asked.",
        "It was edited, or made by a release that asks differently: record again.",
    ),
    "recording_too_short": Notice("The recording ends before the questions do.", "Record again."),
    "file_too_long": Notice("The file is too long.", "Give one of at most the number `cap`, in bytes."),
    "recording_too_long": Notice("The recording holds answers nobody asked for.", "Record again."),
    "engine_version": Notice(
        "An installed engine is not the version this release answers with.",
        "Install the exact version named: `pip install --force-reinstall assay402` brings it.",
    ),
    "ca_file_unreadable": Notice(
        "The file of certificate authorities cannot be read, or holds none.",
        "Give a PEM file with `-----BEGIN CERTIFICATE-----` blocks.",
    ),
    "judge_unusable": Notice(
        "The judge's folder holds no model this release can use.",
        "It needs model.onnx, tokenizer.json and a config.json whose id2label names entailment, contradiction and"
        " neutral, and the packages of the extra `judge`.",
    ),
    "sandbox_not_installed": Notice(
        "The packages of the sandbox are not installed.",
        "Install the extra: `pip install 'assay402[sandbox]'`.",
    ),
    "sandbox_port_taken": Notice(
        "A port of the sandbox is taken.",
        "Stop what listens there, or give other ports; 0 is any that is free.",
    ),
    "sandbox_chain_failed": Notice(
        "The program `anvil` is not on the PATH, or ended instead of listening.",
        "Its port may be taken; `--chain python` needs no program.",
    ),
    "sandbox_not_loopback": Notice(
        "The address is not on this machine, and the sandbox's client pays nobody else.",
        "Give an address of http or https on 127.0.0.1, ::1 or localhost.",
    ),
    "sandbox_not_paid": Notice(
        "The official client did not pay the offer.",
        "The offer may be unreadable, dearer than a dollar, or on a network or in an asset the sandbox has not.",
    ),
    "sandbox_unanswered": Notice(
        "The resource did not answer in time, or with more than is read.",
        "Start it, and try the address with another client.",
    ),
    "internal": Notice(
        "This is a fault of ours.", "Please report it with the command you ran, without your data."
    ),
}
