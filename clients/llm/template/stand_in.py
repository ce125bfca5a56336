"""Stands in for a model, to try everything without one: it reads a prompt, and replies as a model would.

It takes the last legal answer that does not end the game; without a list of them, the referee's choice.
"""

import re
import sys

prompt = sys.stdin.read()
answers = re.findall(r"^  ([0-9]+)\. (.+)$", prompt, re.MULTILINE)
kept = [number for number, words in answers if not words.endswith("end") and words != "stop"]
print(f"I am only a stand-in. Of {len(answers)} answers I take the last one that does not end the game.")
print(f"ANSWER: {kept[-1] if kept else 'default'}")
