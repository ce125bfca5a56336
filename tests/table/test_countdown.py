"""Time that counts except for stretches charged to nobody, compared with counting millisecond by millisecond."""

from random import Random

from mergemaker_table.countdown import STRETCHES_MAX, Countdown


def test_what_is_left_out_does_not_count_and_moves_what_is_reached() -> None:
    time = Countdown(100)
    assert (time.elapsed_ns(150), time.reaches_ns(40)) == (50, 140)
    assert time.leave_out(120, 130) == 10
    assert (time.elapsed_ns(115), time.elapsed_ns(125), time.elapsed_ns(150)) == (15, 20, 40)
    assert time.reaches_ns(40) == 150
    assert time.leave_out(141, 200) == 59
    assert time.reaches_ns(40) == 209
    assert time.leave_out(300, 400) == 100
    assert time.reaches_ns(40) == 209, "what begins later moves nothing"


def test_what_lies_before_the_beginning_is_not_left_out() -> None:
    time = Countdown(100)
    assert time.leave_out(0, 100) == 0
    assert time.leave_out(50, 110) == 10
    assert time.leave_out(90, 80) == 0
    assert (time.elapsed_ns(110), time.elapsed_ns(90)) == (0, -10)


def test_it_is_as_if_each_moment_were_counted_by_itself() -> None:
    chance = Random(5)  # noqa: S311 - it must repeat
    for _ in range(300):
        time, counts = Countdown(10), set(range(10, 200))
        for _ in range(chance.randrange(8)):
            begun = chance.randrange(180)
            until = begun + chance.randrange(1, 20)
            before = len(counts)
            counts -= set(range(begun, until))
            assert time.leave_out(begun, until) == before - len(counts)
        for at in range(10, 200):
            assert time.elapsed_ns(at) == sum(each < at for each in counts)
        for elapsed in range(40):
            assert time.elapsed_ns(time.reaches_ns(elapsed)) == elapsed


def test_however_many_stretches_are_left_out_no_more_than_so_many_are_kept() -> None:
    time, many = Countdown(0), 10 * STRETCHES_MAX
    for number in range(many):
        assert time.leave_out(number * 10 + 5, number * 10 + 9) == 4
    assert len(time._left_out) == STRETCHES_MAX
    assert time.elapsed_ns(many * 10) == many * 6
    assert time.reaches_ns(many * 6 + 5) == many * 10 + 5
