"""Bytes become the text that was written, or are doubtful, or are refused by name; never mojibake in
silence."""

from __future__ import annotations

import codecs
import csv
import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingest.decode import Decoded, Undecodable, decode

SIMPLIFIED = [
    "简体中文文档", "配置中心的默认端口是 8848，修改后需要重启服务。", "联通", "你好",
    "如果连接超时，请检查网络设置，然后重试三次。", "数据库连接池的最大连接数默认为 100",
    "她说：“会议改到下周二上午十点。”大家都同意了。", "错误码 E1234 表示磁盘空间不足",
]  # fmt: skip
TRADITIONAL = [
    "繁體中文文件", "資料庫連線逾時，請稍後再試。", "使用者手冊：安裝與設定", "你好",
    "系統會在每天凌晨兩點自動備份所有檔案，保留最近七天的版本。", "臺灣",
]  # fmt: skip
JAPANESE = [
    "会議室予約", "こんにちは", "予約システムの使い方", "設定ファイルを保存してください。", "東京",
    "データベース接続エラー: E1234", "株式会社", "前の担当者が退職したため、連絡先を変更しました。",
]  # fmt: skip
KOREAN = ["안녕하세요", "설정 파일을 저장하십시오.", "데이터베이스 연결 오류가 발생했습니다.", "서울"]
WESTERN = [
    "café", "naïve café, déjà vu", "Der Schlüssel wird für die nächste Größe benötigt.", "20°C", "über",
    "El niño comió piñas en España.", "L’été dernier, nous étions à la mer.", "It’s “fine” – really…", "€20",
    "Ångström är en enhet för längd", "são João não está à venda",
]  # fmt: skip
RUSSIAN = ["Настройки соединения с базой данных не найдены"]

WRITTEN = [
    *((text, codec) for text in SIMPLIFIED for codec in ("gb18030", "gbk")),
    *((text, codec) for text in TRADITIONAL for codec in ("big5", "cp950")),
    *((text, codec) for text in JAPANESE for codec in ("shift_jis", "cp932")),
    *((text, "euc_jp") for text in JAPANESE if len(text) > 4),
    *((text, codec) for text in KOREAN for codec in ("euc_kr", "cp949")),
    *((text, "cp1252") for text in WESTERN),
    *((text, codec) for text in RUSSIAN for codec in ("cp1251", "koi8_r")),
]


def attempt(raw: bytes) -> Decoded | None:
    try:
        return decode(raw)
    except Undecodable:
        return None


def refused(raw: bytes) -> str:
    with pytest.raises(Undecodable) as undecodable:
        decode(raw)
    return undecodable.value.reason


@pytest.mark.parametrize(("text", "codec"), WRITTEN)
def test_a_sentence_in_an_undeclared_encoding_comes_out_as_written(text: str, codec: str) -> None:
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize(
    ("texts", "codec", "name"),
    [
        (SIMPLIFIED, "gbk", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (KOREAN, "euc_kr", "euc_kr"),
        (WESTERN, "cp1252", "cp1252"),
        (WESTERN[:6], "latin-1", "latin-1"),
    ],
)
def test_a_page_leaves_no_doubt(texts: list[str], codec: str, name: str) -> None:
    page = "# Title\n\n" + "\r\n".join(texts * 3)
    assert decode(page.encode(codec)) == Decoded(page, name, False)


@pytest.mark.parametrize("text", ["中", "你好", "café", "20°C", "彧", "ﾃﾞｰﾀ", "株式会社"])
@pytest.mark.parametrize("codec", ["gb18030", "big5", "cp932", "euc_jp", "cp1252"])
def test_a_word_is_right_or_doubtful_or_refused(text: str, codec: str) -> None:
    """SY-05: hardly any evidence; then the answer says so."""
    try:
        raw = text.encode(codec)
    except UnicodeEncodeError:
        return
    decoded = attempt(raw)
    assert decoded is None or decoded.text == text or decoded.doubtful


def test_sy05_the_known_traps() -> None:
    assert decode("会議室予約".encode("shift_jis")) == Decoded("会議室予約", "shift_jis", False)
    assert decode("简体中文文档".encode("gbk")) == Decoded("简体中文文档", "gb18030", False)
    assert decode("café".encode("latin-1")) == Decoded("café", "latin-1", True)


@pytest.mark.parametrize("text", ["中文与 café，一个字节坏了", "naïve déjà vu"])
def test_sy05_a_stray_byte_in_utf8_is_marked_and_changes_nothing_else(text: str) -> None:
    raw = text.encode()
    for place in (0, len("中".encode()) * text.startswith("中"), len(raw)):
        decoded = decode(raw[:place] + b"\x92" + raw[place:])
        assert decoded == Decoded(raw[:place].decode() + "\ufffd" + raw[place:].decode(), "utf-8", True)


def test_utf8_cut_inside_a_character_stays_utf8() -> None:
    assert decode("配置中心".encode()[:-1]) == Decoded("配置中\ufffd", "utf-8", True)


def test_a_few_strange_bytes_do_not_refuse_a_long_ascii_file() -> None:
    decoded = decode(b"plain words and more of them\n" * 50 + b"\x81\x9d\n")
    assert decoded.doubtful
    assert decoded.text.startswith("plain words")


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
@settings(max_examples=200)
def test_any_utf8_text_survives_exactly(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded.text == text.removeprefix("\ufeff")
    assert not decoded.doubtful


@given(st.binary(max_size=64))
@settings(max_examples=300)
def test_any_bytes_are_text_without_surrogates_or_refused(raw: bytes) -> None:
    decoded = attempt(raw)
    if decoded is not None:
        decoded.text.encode("utf-8")
        assert "\0" not in decoded.text


def test_newlines_are_kept_and_nothing_is_text() -> None:
    assert decode(b"a\r\nb\rc\n") == Decoded("a\r\nb\rc\n", "utf-8", False)
    assert decode(b"") == Decoded("", "utf-8", False)
    assert decode(codecs.BOM_UTF8) == Decoded("", "utf-8-sig", False)


# --- byte order marks and UTF-16 ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32-be"),
        (b"\x84\x31\x95\x33", "gb18030", "gb18030"),
    ],
)
@pytest.mark.parametrize("text", ["中文 abc", "a\r\n", "สวัสดี", "😀"])
def test_sy09_a_byte_order_mark_decides_and_is_removed(mark: bytes, codec: str, name: str, text: str) -> None:
    assert decode(mark + text.encode(codec)) == Decoded(text, name, False)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["中文 abc", "hello world\r\n", "设定 20% 的折扣\n第二行\n", "中文a"])
def test_sy09_utf16_without_a_mark_is_told_by_what_it_says(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == Decoded(text, codec, False)


def test_half_a_surrogate_pair_is_a_replacement_character() -> None:
    assert decode(codecs.BOM_UTF16_LE + b"a\0" * 20 + b"\x3d\xd8") == Decoded(
        "a" * 20 + "\ufffd", "utf-16-le", True
    )


def test_japanese_in_seven_bits_is_not_taken_for_ascii() -> None:
    assert decode("会議室の予約".encode("iso2022_jp")) == Decoded("会議室の予約", "iso-2022-jp", False)


# --- binary -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary: PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "binary: PDF document"),
        (b"PK\x03\x04\x14\0", "binary: zip archive"),
        (gzip.compress(b"x", mtime=0), "binary: gzip data"),
        (b"\x7fELF\x02\x01", "binary: ELF binary"),
        (b"text\0with\0nuls inside", "binary"),
        (b"\0" * 100, "binary"),
        (codecs.BOM_UTF8 + b"a\0b", "binary"),
        (bytes(range(1, 32)) * 10, "binary"),
    ],
)
def test_sy10_binary_is_refused_by_name(raw: bytes, reason: str) -> None:
    assert refused(raw) == reason


@pytest.mark.parametrize("seed", range(5))
def test_sy10_noise_is_refused(seed: int) -> None:
    noise = random.Random(seed).randbytes(64 << 10)
    assert refused(noise) == "binary"
    assert (
        refused(bytes(byte for byte in noise[:4000] if byte >= 0x80))
        == "not UTF-8, and no other encoding fits"
    )


def test_sy10_padding_of_nuls_is_dropped_and_the_text_doubtful() -> None:
    text = "2024-05-01 12:00:00 INFO 服务启动\n" * 500
    assert decode(text.encode() + b"\0" * 4096) == Decoded(text, "utf-8", True)
    assert decode(text.encode("gbk") + b"\0" * 4097) == Decoded(text, "gb18030", True)


def test_a_log_with_terminal_colours_is_text() -> None:
    text = "\x1b[31mERROR\x1b[0m disk full\x07\n"
    assert decode(text.encode()) == Decoded(text, "utf-8", False)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("został wysłany żółty plik", "cp1250"),
        ("Příliš žluťoučký kůň", "cp1250"),
        ("Καλημέρα κόσμε, πώς είσαι σήμερα", "iso8859-7"),
        ("שלום עולם זה טקסט בעברית", "cp1255"),
        ("สวัสดีครับ ยินดีต้อนรับ", "tis-620"),
    ],
)
def test_an_encoding_that_is_not_known_is_never_beyond_doubt(text: str, codec: str) -> None:
    decoded = attempt(text.encode(codec))
    assert decoded is None or decoded.doubtful


# --- real pages ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["docs-zh", "docs-en"])
def test_every_real_page_has_the_encoding_of_its_manifest(shared: Path, folder: str) -> None:
    pages = shared / "data" / folder
    with (pages / "MANIFEST.tsv").open(encoding="utf-8", newline="") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t"))
    assert len(rows) > 70
    for row in rows:
        raw = (pages / row["file"]).read_bytes()
        assert decode(raw) == Decoded(raw.decode(row["encoding"]), row["encoding"], False), row["file"]


def test_every_real_chinese_page_survives_in_gb18030(shared: Path) -> None:
    for page in sorted((shared / "data/docs-zh").rglob("*.md"))[::4]:
        text = decode(page.read_bytes()).text
        if any("\u4e00" <= character <= "\u9fff" for character in text):
            assert decode(text.encode("gb18030")) == Decoded(text, "gb18030", False), page.name
