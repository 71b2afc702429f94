"""A saved exchange in whatever form people have it: `curl -i`, `curl -v`, an archive of a browser, raw bytes.

Here the form is found and what the saving did to the bytes is undone; `http_text`, `curl_verbose` and `har`
read the forms, `exchange` makes the artefact.
"""

import codecs
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from assay402.core.errors import JSONUnreadable, Notice
from assay402.core.strictjson import read
from assay402.formats import curl_verbose, har, http_text
from assay402.formats.exchange import SavedExchange, artefact
from assay402.formats.exchange import TranscriptUnreadable as TranscriptUnreadable  # noqa: PLC0414  (raised by `capture`)

_FIRST_STATUS: Final = re.compile(
    curl_verbose.RESPONSE.pattern + b"|" + http_text.STATUS_LINE.pattern, re.MULTILINE
)
"""The form shows in the first status line: later ones may stand in a body that explains the protocol."""
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SCRIPT_OPENS: Final = b"Script started on "
_SCRIPT_CLOSES: Final = b"\nScript done on "
_PROGRESS_TITLE: Final = b"  % Total    % Received % Xferd"
_PROGRESS: Final = re.compile(rb"(?:\r[ 0-9.kMGTP]{30,60}(?:[ 0-9:dh-]{8} ){3}[ 0-9.kMGTP]{5})+\n?")


class _Saved(Struct, frozen=True, kw_only=True):
    """The text of a file, its byte order mark gone."""

    text: bytes
    is_rewritten: bool
    """A byte order mark shows that a shell or an editor wrote the text anew: lengths in bytes no longer hold."""


def capture(source: bytes, *, entry: int | None = None) -> dict[str, Any]:
    """Make a dialect artefact of what somebody saved of an exchange; the form is found from the content.

    `entry` chooses an entry of an archive, counted from 0. The artefact is JSON to be written with
    `strictjson.write`: numbers inside `payload_obj` keep their spelling.

    The body is given as it was sent, as far as the form tells: one with a content coding stays coded unless the
    program that saved it undid that (`curl --compressed`, browsers).

    Raises:
        TranscriptUnreadable: with one of the codes in `NOTICES`.

    """
    return artefact(exchange(source, entry=entry))


def exchange(source: bytes, *, entry: int | None = None, having: str | None = None) -> SavedExchange:
    """Read what somebody saved of an exchange, whole; the form is found from the content.

    Of an archive the entry counted from 0 is read; without a number the last whose response has a header of the name
    `having`, or where no name is given, the last with the status 402. Raises as `capture`.
    """
    saved = _opened(source)
    if not saved.text.strip():
        raise TranscriptUnreadable("transcript_empty")
    return _exchange(saved, entry, having)


def _exchange(saved: _Saved, entry: int | None, having: str | None) -> SavedExchange:
    first = _FIRST_STATUS.search(saved.text)
    # No line of a JSON text can begin with a status line, while a prompt may begin with a bracket.
    if first is None and saved.text.lstrip().startswith((b"{", b"[")):
        return _from_json(saved.text, entry, having)
    is_verbose = first is not None and first[0].startswith(b"<")
    read_text = curl_verbose.read if is_verbose else http_text.read
    found = read_text(saved.text, is_rewritten=saved.is_rewritten)
    if entry is not None:
        raise TranscriptUnreadable("transcript_not_har")
    return found


def _from_json(text: bytes, entry: int | None, having: str | None) -> SavedExchange:
    try:
        value = read(text)
    except JSONUnreadable as error:
        raise TranscriptUnreadable("har_malformed", **error.numbers) from error
    if not har.is_archive(value):
        raise TranscriptUnreadable("transcript_is_json")
    return har.read(value, entry, having)


def _opened(source: bytes) -> _Saved:
    if source.startswith(_UTF16_MARKS):
        # Half a character at the end and lone surrogates stay visible as bytes that are not UTF-8.
        whole = source[: len(source) // 2 * 2]
        text = whole.decode("utf-16", "surrogatepass").encode(errors="surrogatepass")
        return _Saved(text=_undone(text), is_rewritten=True)
    text = source.removeprefix(codecs.BOM_UTF8)
    return _Saved(text=_undone(text), is_rewritten=text != source)


def _undone(text: bytes) -> bytes:
    """Undo what `script`, curl's progress meter and the terminal did to the text."""
    if text.startswith(_SCRIPT_OPENS) and _SCRIPT_CLOSES in text:
        text = text[: text.rindex(_SCRIPT_CLOSES)]
    if _PROGRESS_TITLE in text:
        text = _PROGRESS.sub(b"", text)
    first = _FIRST_STATUS.search(text)
    if first is not None and first[0].endswith(b"\r\r"):
        # A terminal puts a CR before every LF, also where one was.
        text = text.replace(b"\r\n", b"\n")
    return text


NOTICES: Mapping[str, Notice] = {
    "transcript_empty": Notice("The file is empty.", "Save the exchange again, for example with `curl -i`."),
    "transcript_no_response": Notice(
        "The file holds no HTTP response with a final status line.",
        "Save it with `curl -i`, which prints the status line and the headers before the body.",
    ),
    "transcript_ambiguous": Notice(
        "The file holds several responses, and nothing tells where the body of one of them ends.",
        "Save one exchange per file.",
    ),
    "transcript_is_json": Notice(
        "The file is JSON, but no archive (HAR).",
        'An artefact is checked as it is. A bare 402 body becomes one as `{"body_obj": …}`; its headers are missing, so'
        " rather save the answer again with `curl -i`.",
    ),
    "transcript_not_har": Notice(
        "An entry was chosen, but only an archive (HAR) has entries.", "Leave the number out."
    ),
    "har_malformed": Notice(
        "The file looks like an archive (HAR), but is not one throughout.",
        "Export it again, with its content.",
    ),
    "har_no_entries": Notice("The archive (HAR) has no entries.", "Export it after the exchange took place."),
    "har_entry_out_of_range": Notice(
        "The archive (HAR) has no entry of this number.",
        "Choose from 0 to one less than the number `entries`.",
    ),
    "har_entry_no_response": Notice(
        "The chosen entry got no response.", "Choose an entry that was answered."
    ),
    "har_no_such_header": Notice(
        "No entry of the archive (HAR) has a response with the header that is looked for.",
        "Choose an entry by its number, from 0 to one less than the number `entries`.",
    ),
    "har_no_402": Notice(
        "No entry of the archive (HAR) has the status 402.",
        "Choose an entry by its number, from 0 to one less than the number `entries`.",
    ),
}
"""Every code that `capture` can raise, explained."""
