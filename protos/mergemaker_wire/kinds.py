"""The messages of a oneof, and their engine values.

A message and its value have the same name, and so have their fields. So only the allowed numbers in them must be listed:
by the name of a field, or by `kind.field` where a kind has its own.
"""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, Generic, TypeAlias, TypeVar, get_args

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from mergemaker_wire.enums import OF_FIELDS
from mergemaker_wire.errors import no_known_kind
from mergemaker_wire.fields import Field, Read, any_value, named

Value = TypeVar("Value")

Readers: TypeAlias = Mapping[str, Read | Field]
"""By `field` or `kind.field`. A `Field` where the message writes the engine's value differently."""


class Kind(Generic[Value]):
    """One of a oneof's messages, and its engine value."""

    __slots__ = ("_fields", "_make", "_names", "_new", "_written", "fields", "name", "value")

    def __init__(self, value: type[Value], message: Callable[..., Message], name: str, *fields: Field) -> None:
        self.value: Final = value
        self.name: Final = name
        """The name of the oneof's field."""
        self.fields: Final = fields
        self._new: Final = message
        self._make: Final[Callable[..., Value]] = value
        self._names: Final = tuple(field.name for field in fields)
        self._written: Final = tuple((field.name, field.write) for field in fields if field.write is not None)
        self._fields: Final = tuple((field.name, f"{name}.{field.name}", field.read, field.optional) for field in fields)

    def message(self, value: Value) -> Message:
        """The message of a value."""
        content = {name: getattr(value, name) for name in self._names}
        for name, write in self._written:
            content[name] = write(content[name])
        return self._new(**content)

    def read(self, message: Message, **known: Any) -> Value:  # noqa: ANN401 - the value's fields are of all types
        """The value in a message. `known` has those of its fields that come from elsewhere."""
        for name, where, read, optional in self._fields:
            known[name] = None if optional and not message.HasField(name) else read(getattr(message, name), where)
        return self._make(**known)


class Kinds(Generic[Value]):
    """All kinds of a oneof."""

    __slots__ = ("_by_name", "_by_value", "_where", "kinds")

    def __init__(self, where: str, *kinds: Kind[Any]) -> None:
        self._where: Final = where
        self.kinds: Final[tuple[Kind[Any], ...]] = kinds
        self._by_value: Final[Mapping[type, Kind[Value]]] = {kind.value: kind for kind in kinds}
        self._by_name: Final[Mapping[str, Kind[Value]]] = {kind.name: kind for kind in kinds}

    def write(self, value: Value) -> dict[str, Any]:
        """The one field of the oneof that a value sets, by name."""
        kind = self._by_value[type(value)]
        return {kind.name: kind.message(value)}

    def read(self, message: Message, oneof: str = "kind", **known: Any) -> Value:  # noqa: ANN401 - as in Kind.read
        """The value in a oneof's message."""
        name = message.WhichOneof(oneof)
        if name is None:
            raise no_known_kind(self._where, message, tuple(self._by_name))
        return self._by_name[name].read(getattr(message, name), **known)


def kinds_of(
    where: str,
    union: Any,  # noqa: ANN401 - a union is no type to mypy
    messages: ModuleType,
    container: type[Message],
    readers: Readers,
) -> Kinds[Any]:
    """The kinds of one of the engine's unions, each with the message of the same name in a message's oneof."""
    values = {value.__name__: value for value in get_args(union)}
    kinds = []
    for part in container.DESCRIPTOR.oneofs_by_name["kind"].fields:
        name = "".join(word.capitalize() for word in part.name.split("_"))
        if name in values:
            message: type[Message] = getattr(messages, name)
            descriptors: Any = message.DESCRIPTOR.fields  # of either of protobuf's implementations
            fields = [_field_of(part.name, each, readers) for each in descriptors]
            kinds.append(Kind(values.pop(name), message, part.name, *fields))
    if values:
        raise LookupError(f"{container.DESCRIPTOR.name} has no message for {', '.join(values)}")
    return Kinds(where, *kinds)


def _field_of(kind: str, field: FieldDescriptor, readers: Readers) -> Field:
    given = readers.get(f"{kind}.{field.name}") or readers.get(field.name)
    if isinstance(given, Field):
        return given
    if given is not None:
        return Field(field.name, given, optional=field.has_presence)
    if field.enum_type is not None:
        return named(field.name, OF_FIELDS[field.enum_type.name])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return Field(field.name, any_value)
    raise LookupError(f"{kind}.{field.name} has no reader: add '{field.name}' or '{kind}.{field.name}' to the table")
