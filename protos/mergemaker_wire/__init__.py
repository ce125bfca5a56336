"""Translates engine values to the protocol's messages and back.

`…_to_message` makes the message of a value. `…_from_message` makes the value again, or raises a `WireError`
that names the wrong field. A few modules write messages as bytes at once: `decision_bytes`, `events` and `raw`.
"""

from mergemaker_engine.errors import Refusal as Refusal
from mergemaker_engine.errors import refusal_of as refusal_of
from mergemaker_engine.record.standings import Standing as Standing

from mergemaker_wire.actions import action_from_message as action_from_message
from mergemaker_wire.actions import action_to_message as action_to_message
from mergemaker_wire.answers import answers_from_message as answers_from_message
from mergemaker_wire.answers import answers_to_message as answers_to_message
from mergemaker_wire.answers import effect_from_message as effect_from_message
from mergemaker_wire.answers import effect_to_message as effect_to_message
from mergemaker_wire.answers import effects_from_messages as effects_from_messages
from mergemaker_wire.decisions import decision_from_message as decision_from_message
from mergemaker_wire.decisions import decision_to_message as decision_to_message
from mergemaker_wire.decisions import step_from_message as step_from_message
from mergemaker_wire.decisions import step_to_message as step_to_message
from mergemaker_wire.enums import DEAL_MODES as DEAL_MODES
from mergemaker_wire.enums import ENDINGS as ENDINGS
from mergemaker_wire.enums import FAULT_CAUSES as FAULT_CAUSES
from mergemaker_wire.enums import STATUSES as STATUSES
from mergemaker_wire.errors import UNKNOWN_KIND as UNKNOWN_KIND
from mergemaker_wire.errors import WireError as WireError
from mergemaker_wire.events import event_from_message as event_from_message
from mergemaker_wire.events import event_to_message as event_to_message
from mergemaker_wire.matches import SeatBot as SeatBot
from mergemaker_wire.matches import refusal_from_message as refusal_from_message
from mergemaker_wire.matches import refusal_to_message as refusal_to_message
from mergemaker_wire.matches import standing_from_message as standing_from_message
from mergemaker_wire.matches import standing_to_message as standing_to_message
from mergemaker_wire.rules import rules_from_message as rules_from_message
from mergemaker_wire.rules import rules_to_message as rules_to_message
from mergemaker_wire.views import view_from_message as view_from_message
from mergemaker_wire.views import view_to_message as view_to_message
