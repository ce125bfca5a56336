"""How good was each answer of a match? Every recorded decision is compared with others in fresh deals.

`planning` finds the records and `asking` their questions, `house` plays a fresh deal to its end, `rating` compares the answers
to one question, `accuracy` adds up what each seat gave away, and `showing` and `documents` say it to people and programs.
"""
