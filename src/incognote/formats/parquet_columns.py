"""The columns of Parquet tables: their values as texts, and how replaced values are written again."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import Any, Literal

from incognote.formats.column_plan import ColumnRule
from incognote.formats.columns import number_text
from incognote.formats.encoding import not_text
from incognote.formats.format_error import FormatError

_AFTER_SECONDS = re.compile(r"(?<=:\d\d)\.0+(?=$|[Z+-])")


def pyarrow_modules() -> tuple[Any, Any]:
    """The library and its Parquet module, or a sentence on how to get them."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise FormatError(
            "Parquet needs pyarrow, which is not installed: pip install 'incognote[tables]'"
        ) from None
    return arrow, parquet


def value_text(content: Any, kind: ColumnKind | None = None) -> str | None:
    """A single value as a text.

    In a column of values, of a time only the day where the time of the day stays apart, and a whole
    number without a fraction.
    """
    if content is None or content != content:
        return None
    if kind is not None and kind.name == "day":
        return str(content)[:10]
    is_fraction = kind is not None and isinstance(content, float | Decimal)
    if is_fraction and isfinite(content) and content == int(content):
        return str(int(content))
    return str(content)


@dataclass(frozen=True)
class ColumnKind:
    """How a column of values is written: as texts, whole numbers, numbers, or days of its type."""

    name: Literal["text", "whole", "number", "day"]
    type: Any

    @classmethod
    def of(cls, type: Any, rule: ColumnRule, typed: bool) -> ColumnKind:
        """By the type of the column, and whether fakes are of a kind with its values.

        Whole numbers get 64 bits, because a fake may be larger; ages do not.
        """
        arrow, _ = pyarrow_modules()
        types = arrow.types
        if types.is_dictionary(type):
            type = type.value_type
        if types.is_string(type) or types.is_large_string(type):
            return cls("text", type)
        if typed and (types.is_date(type) or types.is_timestamp(type)):
            return cls("day", type)
        if typed and types.is_integer(type):
            wide = type.bit_width == 64 or rule.type == "AGE"
            return cls("whole", type if wide else arrow.int64())
        if typed and (types.is_floating(type) or types.is_decimal(type)):
            return cls("number", type)
        return cls("text", arrow.string())

    def column(self, old: list[Any], raw: Any, pairs: Mapping[int, tuple[str, str]]) -> Any:
        """The column with other values: `pairs` are the texts before and after of some of the rows."""
        arrow, _ = pyarrow_modules()
        if self.name == "day":
            return self._moved(raw, pairs)
        if self.name == "text":
            texts = [value_text(value, self) for value in old]
            return arrow.array(
                [pairs[at][1] if at in pairs else text for at, text in enumerate(texts)], self.type
            )
        values = [self._number(pairs[at][1]) if at in pairs else v for at, v in enumerate(old)]
        return arrow.array(values, self.type)

    def written(self, text: str) -> str:
        """A value after replacement as the column holds it; nothing is a null."""
        if self.name == "text":
            return text
        if self.name == "day":
            return text if _is_day(text) else ""
        number = number_text(text)
        return number if self._number(number) is not None else ""

    def _number(self, text: str) -> Any:
        """The number; None for what is none or too large for the column."""
        arrow, _ = pyarrow_modules()
        try:
            number: Any = int(text) if self.name == "whole" else Decimal(text)
            is_float = arrow.types.is_floating(self.type)
            return arrow.scalar(float(number) if is_float else number, self.type).as_py()
        except (ValueError, ArithmeticError, arrow.ArrowException):
            return None

    def _moved(self, raw: Any, pairs: Mapping[int, tuple[str, str]]) -> Any:
        """Days later or earlier; the time of the day stays as it was, to its last figure."""
        arrow, _ = pyarrow_modules()
        unit = arrow.int32() if arrow.types.is_date32(self.type) else arrow.int64()
        numbers = raw.cast(self.type).view(unit).to_pylist()
        per_day = _PER_DAY[getattr(self.type, "unit", "day" if unit.bit_width == 32 else "ms")]
        for at, (before, after) in pairs.items():
            if _is_day(after) and _is_day(before):
                days = (date.fromisoformat(after) - date.fromisoformat(before)).days
                numbers[at] += days * per_day
            else:
                numbers[at] = None
        return arrow.array(numbers, unit).view(self.type)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


_PER_DAY = {
    "day": 1,
    "s": 86_400,
    "ms": 86_400_000,
    "us": 86_400_000_000,
    "ns": 86_400_000_000_000,
}


def output_schema(schema: Any, kinds: Mapping[str, ColumnKind], dropped: Collection[str]) -> Any:
    """The schema to write: without the dropped columns, and with the types that columns get."""
    if not (kinds or dropped):
        return schema
    arrow, _ = pyarrow_modules()
    fields = [
        field.with_type(kinds[field.name].type) if field.name in kinds else field
        for field in schema
        if field.name not in dropped
    ]
    nullable = [field.with_nullable(True) if field.name in kinds else field for field in fields]
    metadata = dict(schema.metadata or {})
    output = arrow.schema(nullable, metadata)
    if output.names != schema.names or output.types != schema.types:
        metadata.pop(b"pandas", None)
    return arrow.schema(nullable, metadata or None)


def schema_without_views(schema: Any) -> Any:
    """The schema with strings for string views, of which Arrow cannot take single rows."""
    fields = [field.with_type(_without_view(field.name, field.type)) for field in schema]
    arrow, _ = pyarrow_modules()
    return arrow.schema(fields, schema.metadata)


def without_views(batch: Any) -> Any:
    """A batch of rows with the types of that schema."""
    schema = schema_without_views(batch.schema)
    return batch if schema == batch.schema else batch.cast(schema)


def _without_view(name: str, kind: Any) -> Any:
    arrow, _ = pyarrow_modules()
    if arrow.types.is_string_view(kind):
        return arrow.large_string()
    if arrow.types.is_binary_view(kind):
        return arrow.large_binary()
    if _holds_view(kind):
        raise FormatError(
            f"the column '{name}' holds string views within {type_word(kind)}: write it as strings"
        )
    return kind


def _holds_view(kind: Any) -> bool:
    arrow, _ = pyarrow_modules()
    if arrow.types.is_string_view(kind) or arrow.types.is_binary_view(kind):
        return True
    if arrow.types.is_dictionary(kind):
        return _holds_view(kind.value_type)
    return any(_holds_view(kind.field(at).type) for at in range(kind.num_fields))


def type_word(kind: Any) -> str:
    """What a column holds, in a word: the names of a struct's fields may be PHI."""
    return re.split(r"[<\[(]", str(kind))[0]


def holds_dates(kind: Any) -> bool:
    """Whether a type is one of dates, or a list or struct that has them."""
    arrow, _ = pyarrow_modules()
    if arrow.types.is_date(kind) or arrow.types.is_timestamp(kind):
        return True
    return any(holds_dates(kind.field(at).type) for at in range(kind.num_fields))


def values_of(column: Any) -> list[Any]:
    """The values of a column; in place of one that is no text and no value, the error."""
    try:
        values = list(column.to_pylist())
    except Exception:  # what it would say may quote a value
        return [_value(item) for item in column]
    return [_sound(value) for value in values]


def _value(item: Any) -> Any:
    """A value by itself. Times that Python does not have are spelled by Arrow."""
    arrow, _ = pyarrow_modules()
    try:
        return _sound(item.as_py())
    except UnicodeDecodeError:
        return FormatError("not valid UTF-8")
    except Exception:
        try:
            return _AFTER_SECONDS.sub("", item.cast(arrow.string()).as_py())
        except Exception:
            return FormatError("a value that cannot be read")


def _sound(value: Any) -> Any:
    if isinstance(value, str) and (reason := not_text(value)):
        return FormatError(reason)
    return value
