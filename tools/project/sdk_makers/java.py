"""Java: `Handlers`, `Question`, `Action` and `Kinds`, as google-java-format would write them."""

import re
import textwrap
from collections.abc import Sequence
from typing import Final

from sdk_makers.model import MADE_BY, Field, Kind, Meaning, Protocol, camel, lowered, pascal

WIDTH: Final = 100
FOLDER: Final = "src/main/java/mergemaker"
HEADER: Final = f"// Made by {MADE_BY} from the .proto files. Do not edit it.\npackage mergemaker;\n"
_ACTION_END: Final = """
  private static List<Integer> sevenCounts(List<Integer> counts) {
    if (counts.isEmpty()) {
      return NO_SHARES;
    }
    if (counts.size() != CHAINS) {
      throw new BotException(
          "not-seven-counts", "shares are " + CHAINS + " counts, by chain, not " + counts);
    }
    return List.copyOf(counts);
  }
}
"""
_ACTION_BEGIN: Final = """
/**
 * An answer to a question. Squares are numbered 0 to 107 along the rows (12A is 11, 1B is 12),
 * chains 0 to 6 in the order of {@link Turn#names()}.
 */
public sealed interface Action extends Answer {
  /** The number of chains. */
  int CHAINS = 7;

  /** No share of any chain. */
  List<Integer> NO_SHARES = Collections.nCopies(CHAINS, 0);
"""
_QUESTION_END: Final = """
  /**
   * The name of this kind of question, as the protocol has it.
   *
   * @return such as {@code ChooseTile}
   */
  default String kind() {
    return getClass().getSimpleName();
  }
}
"""
_TYPES: Final = {Meaning.FLAG: "boolean", Meaning.CHAINS: "List<Integer>", Meaning.SHARES: "List<Integer>"}
_READERS: Final = {Meaning.CHAIN: "chain", Meaning.CHAINS: "chains", Meaning.SHARES: "countsOrNone"}


def files(protocol: Protocol) -> dict[str, str]:
    """The files by their paths in clients/java."""
    made = {
        "Handlers": _handlers(protocol),
        "Question": _question(protocol),
        "Action": _action(protocol),
        "Kinds": _kinds(protocol),
    }
    return {f"{FOLDER}/{name}.java": f"{HEADER}\n{text}" for name, text in made.items()}


def _imports(names: Sequence[str]) -> str:
    return "".join(f"import {name};\n" for name in sorted(names))


def _handlers(protocol: Protocol) -> str:
    lines = ["/** A bot's methods, one for each kind of question. */", "public interface Handlers {"]
    tags = ["@param turn the question", "@return the answer", "@throws Exception whatever went wrong"]
    for number, kind in enumerate(protocol.questions):
        lines += [""] if number else []
        lines += _doc(kind.brief, tags, "  ")
        lines += [
            f"  default Answer {camel(kind.field)}(Turn turn) throws Exception {{",
            "    return turn.defaultAnswer();",
            "  }",
        ]
    return "\n".join([*lines, "}", ""])


def _question(protocol: Protocol) -> str:
    enums = {f"{protocol.java_package}.{field.enum}" for kind in protocol.questions for field in kind.fields if field.enum}
    text = _imports(["java.util.List", *enums])
    text += "\n/** What a seat is asked. */\npublic sealed interface Question {\n"
    text += "\n".join(_record(kind, "Question", normal=False) for kind in protocol.questions)
    return text + _QUESTION_END


def _action(protocol: Protocol) -> str:
    enums = {f"{protocol.java_package}.{field.enum}" for kind in protocol.actions for field in kind.fields if field.enum}
    text = _imports(["java.util.Collections", "java.util.List", *enums]) + _ACTION_BEGIN + "\n"
    text += "\n".join(_record(kind, "Action", normal=True) for kind in protocol.actions)
    return text + _ACTION_END


def _record(kind: Kind, of: str, *, normal: bool) -> str:
    """One kind as a record; `normal` lets it write out empty lists of shares."""
    tags = [f"@param {camel(field.name)} {_javadoc(lowered(field.doc)).rstrip('.')}" for field in kind.fields]
    fields = [f"{field.enum or _TYPES.get(field.meaning, 'int')} {camel(field.name)}" for field in kind.fields]
    shares = [camel(field.name) for field in kind.fields if field.meaning is Meaning.SHARES] if normal else []
    lines = _doc(_javadoc(kind.doc), tags, "  ")
    ending = "{" if shares else "{}"
    head = f"  record {kind.name}({', '.join(fields)}) implements {of} {ending}"
    lines += (
        [head]
        if len(head) <= WIDTH
        else [f"  record {kind.name}(", *_arguments(fields, "      ", ")"), f"      implements {of} {ending}"]
    )
    if shares:
        lines += ["    /** Writes empty lists out. */", f"    public {kind.name} {{"]
        lines += [*[f"      {name} = sevenCounts({name});" for name in shares], "    }", "  }"]
    return "\n".join([*lines, ""])


def _arguments(arguments: Sequence[str], indent: str, closing: str) -> list[str]:
    """Arguments on a line of their own, else one to a line."""
    line = f"{indent}{', '.join(arguments)}{closing}"
    if len(line) <= WIDTH:
        return [line]
    return [*[f"{indent}{argument}," for argument in arguments[:-1]], f"{indent}{arguments[-1]}{closing}"]


def _javadoc(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"{@code \1}", text)


def _doc(text: str, tags: Sequence[str], indent: str) -> list[str]:
    if not tags and len(f"{indent}/** {text} */") <= WIDTH:
        return [f"{indent}/** {text} */"]
    lines = _filled(text, "") + ([""] if tags else [])
    for tag in tags:
        lines += _filled(tag, "    ")
    return [f"{indent}/**", *[f"{indent} * {line}".rstrip() for line in lines], f"{indent} */"]


def _filled(text: str, later: str) -> list[str]:
    # google-java-format breaks lines in {@code ...} as it does elsewhere.
    return textwrap.wrap(text, WIDTH - 5, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)


def _kinds(protocol: Protocol) -> str:
    package = protocol.java_package
    text = _imports([f"{package}.{kind.name}" for kind in protocol.actions])
    text += "\n/** Questions and actions, by kind. */\nfinal class Kinds {\n  private Kinds() {}\n\n"
    text += "\n".join(
        [
            _ask(protocol.questions),
            _reading(package, "question", "Question", "asked", protocol.questions),
            _reading(package, "action", "Action", "message", protocol.actions),
            _writing(package, protocol.actions),
        ]
    )
    return text + "}\n"


def _ask(kinds: Sequence[Kind]) -> str:
    lines = ["  /** Puts a question to the method that is for its kind. */"]
    lines += ["  static Answer ask(Handlers bot, Turn turn) throws Exception {", "    Question question = turn.question();"]
    for number, kind in enumerate(kinds):
        lines.append(f"    {'} else if' if number else 'if'} (question instanceof Question.{kind.name}) {{")
        lines.append(f"      return bot.{camel(kind.field)}(turn);")
    lines += ["    }", '    throw new AssertionError("there is no other kind of question than " + question.kind());']
    return "\n".join([*lines, "  }", ""])


def _reading(package: str, method: str, value: str, name: str, kinds: Sequence[Kind]) -> str:
    lines = [f"  static {value} {method}({package}.{value} {name}) throws UnreadableException {{"]
    lines.append(f"    return switch ({name}.getKindCase()) {{")
    for kind in kinds:
        lines += _read(kind, value, name)
    article = "an" if value[0] in "AEIOU" else "a"
    lines.append(f'      case KIND_NOT_SET -> throw new UnreadableException("{article} {method} of an unknown kind");')
    return "\n".join([*lines, "    };", "  }", ""])


def _read(kind: Kind, value: str, name: str) -> list[str]:
    arguments = [_read_field(field, f"{name}.get{kind.name}()") for field in kind.fields]
    case, made = f"      case {kind.field.upper()} ->", f"new {value}.{kind.name}("
    whole = f"{made}{', '.join(arguments)});"
    if len(f"{case} {whole}") <= WIDTH:
        return [f"{case} {whole}"]
    if len(f"          {whole}") <= WIDTH:
        return [case, f"          {whole}"]
    return [case, f"          {made}", *_arguments(arguments, "              ", ");")]


def _read_field(field: Field, message: str) -> str:
    is_list = field.meaning in (Meaning.CHAINS, Meaning.SHARES)
    came = f"{message}.get{pascal(field.name)}{'List' if is_list else ''}()"
    reader = _READERS.get(field.meaning)
    return came if reader is None else f"Reading.{reader}({came})"


def _writing(package: str, kinds: Sequence[Kind]) -> str:
    lines = [f"  static {package}.Action message(Action action) {{"]
    lines.append(f"    {package}.Action.Builder message = {package}.Action.newBuilder();")
    for number, kind in enumerate(kinds):
        variable = " it" if kind.fields else ""
        lines.append(f"    {'} else if' if number else 'if'} (action instanceof Action.{kind.name}{variable}) {{")
        lines += _written(kind)
    return "\n".join([*lines, "    }", "    return message.build();", "  }", ""])


def _written(kind: Kind) -> list[str]:
    if not kind.fields:
        return [f"      message.set{kind.name}({kind.name}.getDefaultInstance());"]
    calls = [_set(field) for field in kind.fields]
    whole = f"{kind.name}.newBuilder(){''.join(calls)});"
    if len(f"      message.set{kind.name}({whole}") <= WIDTH:
        return [f"      message.set{kind.name}({whole}"]
    if len(f"          {whole}") <= WIDTH:
        return [f"      message.set{kind.name}(", f"          {whole}"]
    lines = [f"          {kind.name}.newBuilder()", *[f"              {call}" for call in calls]]
    return [f"      message.set{kind.name}(", *lines[:-1], f"{lines[-1]});"]


def _set(field: Field) -> str:
    verb = "addAll" if field.meaning in (Meaning.CHAINS, Meaning.SHARES) else "set"
    return f".{verb}{pascal(field.name)}(it.{camel(field.name)}())"
