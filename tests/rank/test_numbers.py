"""Quantities with units and identifiers, as Chinese, English and code write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rank.numbers import Quantity, identifiers, quantities


def one(text: str) -> Quantity:
    (quantity,) = quantities(text)
    return quantity


@pytest.mark.parametrize(
    "text", ["三次", "3次", "3 次", "３ 次", "3 times", "Three times", "三回", "重试3次后"]
)
def test_three_times_however_it_is_written(text: str):
    assert one(text) == Quantity(3, 3, "times")


@pytest.mark.parametrize("text", ["第三次", "the 3rd attempt", "第3次"])
def test_the_third_is_an_ordinal_and_not_three(text: str):
    assert one(text).ordinal
    assert not one(text).meets(one("三次"))
    assert one(text).meets(one("第三"))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("百分之三十", 30, "percent"),
        ("30％", 30, "percent"),
        ("两百五十个字符", 250, "characters"),
        ("两百五", 250, ""),
        ("一百零五", 105, ""),
        ("一万五千字节", 15_000, "bytes"),
        ("3万字节", 30_000, "bytes"),
        ("1.5亿", 150_000_000, ""),
        ("一亿三千万", 130_000_000, ""),
        ("二〇二四年", 2024, "years"),
        ("三点五倍", 3.5, "fold"),
        ("16,000 characters", 16_000, "characters"),
        ("max_retry_count = 3", 3, ""),
        ("10ms", 0.01, "seconds"),
        ("两个任务", 2, "things"),
    ],
)
def test_values_and_units(text: str, value: float, unit: str):
    assert one(text) == Quantity(value, value, unit)


@pytest.mark.parametrize(
    ("one_way", "another"), [("90 秒", "1.5 分钟"), ("24 hours", "一天"), ("2周", "14 days")]
)
def test_times_are_compared_in_seconds(one_way: str, another: str):
    assert one(one_way).meets(one(another))


@pytest.mark.parametrize("text", ["三到五次", "3-5 次", "3～5次", "3 to 5 times", "3至5次"])
def test_ranges(text: str):
    assert one(text) == Quantity(3, 5, "times")
    assert one(text).meets(one("四次"))
    assert not one(text).meets(one("六次"))


@pytest.mark.parametrize(
    "text",
    [
        "一个任务",
        "统一",
        "万一",
        "十分重要",
        "一起",
        "v1.2.3",
        "1.2.3",
        "E1234",
        "5x",
        "sha256",
        "2024-11-01",
    ],
)
def test_what_is_no_quantity(text: str):
    assert quantities(text) == ()


def test_units_keep_apart_and_a_bare_number_has_any():
    assert not one("3 次").meets(one("3 天"))
    assert not one("3 个").meets(one("3 次"))
    assert one("= 3").meets(one("3 次"))


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("compressMsgBodyOverHowmuch 默认是多少字节？", ("compressMsgBodyOverHowmuch",)),
        ("E1234 in node.js", ("E1234", "node.js")),
        ("/etc/hosts, C++ and max_retry_count.", ("/etc/hosts", "C++", "max_retry_count")),
        ("使用Redis缓存 v1.2.3", ("v1.2.3",)),
        ("released on 2024-11-01", ("2024-11-01",)),
        ("a well-known and/or e.g. state-of-the-art Redis", ()),
    ],
)
def test_identifiers(query: str, names: tuple[str, ...]):
    assert identifiers(query) == names


@settings(max_examples=200, deadline=None)
@given(
    st.text(
        alphabet="〇零一二两三九十百千万亿点第百分之到至0123456789.,-~ 次秒s%stndrh a_\ud800\x00", max_size=40
    )
)
def test_any_text_is_read_without_harm(text: str):
    for quantity in quantities(text):
        assert quantity.low <= quantity.high
        assert quantity.meets(quantity)
    identifiers(text)


@given(st.integers(1, 99_999_999))
@settings(max_examples=100, deadline=None)
def test_han_numerals_mean_what_their_digits_mean(value: int):
    assert one(f"{han(value)}次").low == value


def han(value: int) -> str:
    """``value`` below 10^8 in Han numerals."""
    if value >= 10_000:
        rest = value % 10_000
        return han(value // 10_000) + "万" + (("零" if rest < 1_000 else "") + han(rest) if rest else "")
    written, gap = "", False
    for place, name in ((1_000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // place % 10
        if digit:
            written += ("零" if gap and written else "") + "〇一二三四五六七八九"[digit] + name
        gap = not digit
    return written
