"""Was it a mistake? A recorded question is answered again in many fresh deals that agree with what the seat knew.

`question` takes the question from a record, `worlds` deals, `playing` lets bots play on, and `estimates` says what the
results are worth. Nothing is written: a fresh deal has no seed that a record could promise.
"""
