"""Presidio's /anonymize and /decrypt: replace what an analysis found, in a text or in several.

Beside Presidio's operators there are those that its users ask for: `surrogate`, `shift`, `year`,
`month` and `generalise`, with the service's key; values that are the same agree within a text.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from incognote.base.errors import UserError
from incognote.detect.detector import Detection
from incognote.document import Document, Span
from incognote.phi import TYPES, VIEWS
from incognote.pipeline import Deidentifier
from incognote.serve.engine import Choice, Engine
from incognote.serve.presidio import PresidioError, json_object
from incognote.serve.v1 import answers, prepared

router = APIRouter(tags=["presidio"])

OWN_OPERATORS = ("surrogate", "shift", "year", "month", "generalise")
OPERATORS = ("replace", "redact", "mask", "hash", "encrypt", "keep", *OWN_OPERATORS)


@router.get("/anonymizers")
async def anonymizers() -> list[str]:
    """The operators of /anonymize."""
    return list(OPERATORS)


@dataclass(frozen=True)
class _Entity:
    """What is to be replaced."""

    start: int
    end: int
    type: str
    score: float


@router.post("/anonymize")
async def anonymize(request: Request) -> JSONResponse:
    """Replace what an analysis found, in a text or in several."""
    body = await json_object(request)
    if not body:
        raise PresidioError(400, "Invalid request json")
    several = isinstance(body.get("text"), list)
    texts, found = (
        each if several else [each] for each in (body.get("text"), body.get("analyzer_results"))
    )
    if not isinstance(texts, list) or not isinstance(found, list) or len(found) != len(texts):
        raise PresidioError(422, "Invalid input, each text needs its analyzer_results")
    operators = _operators(body.get("anonymizers"))
    entities = [_entities(text, each) for text, each in zip(texts, found, strict=True)]
    engine: Engine = request.app.state.engine
    own = {each["type"] for each in operators.values()} & {*OWN_OPERATORS}
    choices = {name: Choice(replace=name) for name in own}
    for choice in choices.values():
        await prepared(engine, choice)
    made = {name: engine.deidentifier(choice) for name, choice in choices.items()}
    work = partial(_anonymized_all, texts, entities, operators, made)
    (listed,) = await answers(request, [engine.call(work)])
    if isinstance(listed, UserError):
        raise PresidioError(422, "Invalid input, an entity cannot be replaced so")
    if isinstance(listed, BaseException):
        raise listed
    return JSONResponse(listed if several else listed[0])


def _operators(given: Any) -> dict[str, dict[str, Any]]:
    if given is None:
        given = {}
    if not isinstance(given, dict) or not all(isinstance(each, dict) for each in given.values()):
        raise PresidioError(422, "Invalid input, anonymizers must be an object")
    operators = {"DEFAULT": {"type": "replace"}, **given}
    for each in operators.values():
        _check_operator(each)
    return operators


def _check_operator(given: Mapping[str, Any]) -> None:
    name = given.get("type")
    if name not in OPERATORS:
        raise PresidioError(422, "Invalid operator class")
    if name == "mask":
        kinds = (("masking_char", str), ("chars_to_mask", int), ("from_end", bool))
        for key, kind in kinds:
            if key not in given and key != "from_end":
                raise PresidioError(422, f"Expected parameter {key}")
            if key in given and type(given[key]) is not kind:
                raise PresidioError(422, f"Invalid parameter value for {key}")
        if len(given["masking_char"]) != 1:
            raise PresidioError(422, "Invalid input, masking_char must be a character")
    if name == "replace" and not isinstance(given.get("new_value", ""), str):
        raise PresidioError(422, "Invalid parameter value for new_value")
    if name == "hash":
        if given.get("hash_type") not in (None, "sha256", "sha512"):
            raise PresidioError(422, "Invalid parameter value for hash_type")
        if not isinstance(given.get("salt", ""), str) or 0 < len(given.get("salt", "")) < 16:
            raise PresidioError(422, "Invalid input, salt must have 16 characters or more")
    if name == "encrypt":
        _aes_key(given.get("key"))


def _aes_key(key: Any) -> bytes:
    if key is None:
        raise PresidioError(422, "Expected parameter key")
    data = key.encode() if isinstance(key, str) else b""
    if len(data) not in (16, 24, 32):
        raise PresidioError(422, "Invalid input, key must be of length 128, 192 or 256 bits")
    return data


def _entities(text: Any, given: Any) -> list[_Entity]:
    """What is replaced, in order, without overlaps, as Presidio resolves them."""
    if not isinstance(text, str) or not text:
        raise PresidioError(422, "Invalid input, text can not be empty")
    if given is None or not isinstance(given, list):
        raise PresidioError(422, "Invalid input, analyzer_results can not be empty")
    found = []
    for each in given:
        if not isinstance(each, dict):
            raise PresidioError(422, "Invalid input, an analyzer result must be an object")
        for key in ("start", "end", "score", "entity_type"):
            if each.get(key) is None:
                raise PresidioError(422, f"Invalid input, analyzer result must contain {key}")
        start, end, score, type_ = each["start"], each["end"], each["score"], each["entity_type"]
        numbers = type(start) is int and type(end) is int and isinstance(score, int | float)
        if not numbers or not isinstance(type_, str):
            raise PresidioError(422, "Invalid input, an analyzer result has a wrong value")
        if not 0 <= start <= end <= len(text):
            raise PresidioError(422, "Invalid input, an analyzer result lies outside the text")
        if start < end:
            found.append(_Entity(start, end, type_, float(score)))
    return _resolved(text, found)


def _resolved(text: str, found: Sequence[_Entity]) -> list[_Entity]:
    ordered = sorted(found, key=lambda each: (each.start, -each.end, -each.score))
    outer: list[_Entity] = []
    for each in ordered:
        if outer and each.end <= outer[-1].end:
            continue  # within another, or the same place with a lower score
        last = outer[-1] if outer else None
        if (
            last is not None
            and last.type == each.type
            and not text[last.end : each.start].strip(" ")
        ):
            score = max(last.score, each.score)
            outer[-1] = replace(last, end=each.end, score=score)
            continue
        if last is not None and each.start < last.end:
            each = replace(each, start=last.end)
        outer.append(each)
    return outer


def _anonymized_all(
    texts: Sequence[str],
    entities: Sequence[Sequence[_Entity]],
    operators: Mapping[str, Mapping[str, Any]],
    made: Mapping[str, Deidentifier],
) -> list[dict[str, Any]]:
    return [
        _anonymized(text, each, operators, made) for text, each in zip(texts, entities, strict=True)
    ]


def _anonymized(
    text: str,
    entities: Sequence[_Entity],
    operators: Mapping[str, Mapping[str, Any]],
    made: Mapping[str, Deidentifier],
) -> dict[str, Any]:
    chosen = [operators.get(each.type, operators["DEFAULT"]) for each in entities]
    own = {name: _own_values(text, entities, chosen, name, made[name]) for name in made}
    parts, items, place, length = [], [], 0, 0
    for each, operator in zip(entities, chosen, strict=True):
        original, name = text[each.start : each.end], operator["type"]
        value = own[name][each] if name in own else _value(original, each.type, operator)
        parts += [text[place : each.start], value]
        length += each.start - place
        items.append(
            {
                "start": length,
                "end": length + len(value),
                "entity_type": each.type,
                "text": value,
                "operator": name,
            }
        )
        length += len(value)
        place = each.end
    parts.append(text[place:])
    return {"text": "".join(parts), "items": items[::-1]}


def _own_values(
    text: str,
    entities: Sequence[_Entity],
    chosen: Sequence[Mapping[str, Any]],
    name: str,
    made: Deidentifier,
) -> dict[_Entity, str]:
    """What an operator of ours makes of its entities, read together so that they agree."""
    ours = [
        each for each, operator in zip(entities, chosen, strict=True) if operator["type"] == name
    ]
    spans = tuple(Span.of(text, each.start, each.end, _our_type(each.type)) for each in ours)
    output = made.replaced(Document("", text, spans), Detection((), len(text))).output
    if len(output.spans) != len(ours):
        raise UserError("entities were joined")
    return {each: span.text for each, span in zip(ours, output.spans, strict=True)}


def _our_type(name: str) -> str:
    return name if name in TYPES else VIEWS["presidio"].types.get(name, "IDNUM")


def _value(original: str, type: str, operator: Mapping[str, Any]) -> str:
    match operator["type"]:
        case "redact":
            return ""
        case "keep":
            return original
        case "mask":
            count = max(0, min(operator["chars_to_mask"], len(original)))
            masked = operator["masking_char"] * count
            if operator.get("from_end", False):
                return f"{original[: len(original) - count]}{masked}"
            return f"{masked}{original[count:]}"
        case "hash":
            salt = str(operator.get("salt") or secrets.token_hex(16))
            made = hashlib.new(operator.get("hash_type") or "sha256", salt.encode())
            made.update(original.encode())
            return made.hexdigest()
        case "encrypt":
            return encrypted(_aes_key(operator["key"]), original)
    return str(operator.get("new_value") or f"<{type}>")


# Encryption, as Presidio does it: AES in CBC mode, the first block at random


def encrypted(key: bytes, text: str) -> str:
    """In URL-safe base 64."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.padding import PKCS7

    first = secrets.token_bytes(16)
    padder = PKCS7(128).padder()
    data = padder.update(text.encode()) + padder.finalize()
    cipher = Cipher(algorithms.AES(key), modes.CBC(first)).encryptor()
    return base64.urlsafe_b64encode(first + cipher.update(data) + cipher.finalize()).decode()


def decrypted(key: bytes, text: str) -> str:
    """What `encrypted` was given."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.padding import PKCS7

    try:
        data = base64.urlsafe_b64decode(text.encode())
        cipher = Cipher(algorithms.AES(key), modes.CBC(data[:16])).decryptor()
        padded = cipher.update(data[16:]) + cipher.finalize()
        unpadder = PKCS7(128).unpadder()
        return (unpadder.update(padded) + unpadder.finalize()).decode()
    except (ValueError, binascii.Error):
        raise PresidioError(
            422, "Invalid input, the text was not encrypted with this key"
        ) from None


@router.post("/decrypt")
async def decrypt(request: Request) -> JSONResponse:
    """Undo `encrypt`."""
    body = await json_object(request)
    if not body:
        raise PresidioError(400, "Invalid request json")
    if "key" not in body:
        raise PresidioError(422, "Expected parameter key")
    if "text" not in body:
        raise PresidioError(422, "Expected parameter text")
    return JSONResponse({"result": decrypted(_aes_key(body["key"]), str(body["text"]))})
