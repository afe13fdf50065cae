"""Texts as documents hold them, and as somebody would write them who wants the screen to break."""

from __future__ import annotations

from hypothesis import strategies as st

PROSE = (
    "同一任务最多自动重试三次，间隔依次为 1、5、25 分钟；第三次仍失败时，任务进入死信队列。",
    "The timeout is per attempt, not per job; a handler that stores the id can drop the second delivery. ",
    "再試行は最大三回まで。「失敗」したジョブは、キューに残る。",
    "재시도는 세 번까지입니다. 실패한 작업은 대기열에 남습니다.",
    "## 重试与隔离\n\n- 第一条\n- second item, with `max_retry_count = 3`\n\n",
    "| 名称 | value |\n| --- | ---: |\n| 重试 | 3 |\n| lease | 90 |\n\n",
    "```toml\n[retry]\nmax_retry_count = 3\n```\n\n",
)
HOSTILE = (
    "\x1b[2J\x1b]0;title\x07", "\u202eabc\u202c", "\x00\x9b31m", "👨‍👩‍👧‍👦", "🇨🇳🇯🇵", "❤️", "👍🏽", "é\u0301\u0302\u0303",
    "\t\tx\t", "\r\n", "\r", "\n", "\u2028", "\u3000", " " * 90, "a" * 300, "重" * 120, "،٫ العربية", "नमस्ते", "ᄒ\u1161ᆫ",
    "\ufeff\u200b\u200d", "，。）", "\ud800", "\U0010ffff", "\u0301" * 100, "[/]", "[@click=app.bell]x[/]", "ﷺ",
)  # fmt: skip

pieces = st.one_of(st.sampled_from(PROSE), st.sampled_from(HOSTILE), st.text(max_size=12))
texts = st.lists(pieces, max_size=14).map("".join)
"""Real and hostile pieces in any order."""
