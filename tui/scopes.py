"""The table of scopes: where keys mean something, and the words that each place shows, for its help."""

from __future__ import annotations

from tui.actions import Scope

EVERYWHERE = "everywhere"

_CHANNEL_WORDS = (
    (
        "text, cjk, vec, graph",
        "the rank in each channel, from 1; muted where it lies beyond the depth; – not found",
    ),
    ("fused", "the score that fusion gave: the sum of the channels' parts"),
    ("rel.", "relevance, 0 to 1: what the rerank, or fusion alone, makes of it"),
    (
        "vs A",
        "the move against A, the state pinned by p, else the file's settings: ▴ up, ▾ down, = stays, new",
    ),
    ("top k", "how many results may enter the context; the dashed line is the cut"),
)

SCOPES: dict[str, Scope] = {
    scope.name: scope
    for scope in (
        Scope(EVERYWHERE, "Everywhere"),
        Scope("search", "Search", EVERYWHERE),
        Scope(
            "query", "Query", "search", text=True,
            words=(("scope", "whose documents are searched; public is what everybody may see"),),
        ),
        Scope(
            "tune", "Tune", "search",
            words=(
                ("*", "differs from the file that the settings were read from"),
                ("▹", "the dial: the setting that - and + turn, from any pane"),
                ("depth", "how many candidates of each channel fusion reads: the multiplier times top k"),
                ("–", "before a weight: the channel cannot serve now; the weight is kept"),
            ),
        ),
        Scope("results", "Results", "search", words=_CHANNEL_WORDS),
        Scope(
            "context", "Context", "search",
            words=(
                ("[1]", "a group: text of one document as the model would get it, with the hits it serves"),
                ("shared, once", "characters that two hits have in common and the group holds only once"),
                ("out", "a hit that is not in the context, with the reason and what it needs"),
            ),
        ),
        Scope(
            "passage", "Passage", "search",
            words=(
                ("part", "what the channel adds to the fused score, or the feature to the relevance"),
                ("without", "the rank that the result would have without the feature"),
                ("value", "how far the feature holds, 0 to 1; a penalty counts"),
                ("clamp", "what keeps the relevance between 0 and 1"),
                ("✓, –", "in the lens: the chunk holds the term of the query, or does not"),
                ("df, idf", "chunks that hold the term, and how much its rarity counts"),
                ("raised", "cjk raises BM25 for the share of terms that met, and for long runs of them"),
            ),
        ),
        Scope("examine", "Examine", EVERYWHERE),
        Scope(
            "verdict", "Why not", "examine",
            words=(
                ("rank, of", "the true rank in a channel, however deep, among all that it could list"),
                ("kept", "whether the stage let it pass; – the stage was not asked, or not reached"),
                ("≥, ≤, –", "every value there brings it in, not only the nearest, which enter sets"),
                ("nothing leaves", "the context keeps all that it holds; else what it loses is named"),
            ),
        ),
        Scope(
            "vary", "Vary", "examine",
            words=(
                ("a╌╌╌b", "the chunk a holds the rank up to where b takes it; a letter is a cliff"),
                ("▾ now, | file", "the present value, its column reversed, and the value of the file"),
                ("| 2 + above", "change points in the cell: one, two, ten and more"),
                ("[1]", "for a setting that packs: places in the context, not ranks"),
            ),
        ),
        Scope(
            "compare", "Compare", "examine",
            words=(
                ("entered, left", "chunks that came into the context, or went, with the stage that lost them"),
                ("−, +", "a line of the context that only A has, or only the present state"),
            ),
        ),
        Scope("evaluate", "Evaluate", EVERYWHERE),
        Scope(
            "scales", "Tune", "evaluate",
            words=(
                ("*", "differs from the file that the settings were read from"),
                ("▹", "the dial: the setting that - and + turn, from any pane"),
            ),
        ),
        Scope(
            "metrics", "Metrics", "evaluate",
            words=(
                ("A, now", "the state that is compared with, and the settings in force; muted until it is true"),
                ("95 % interval", "of the mean change, by bootstrap over the cases"),
                ("p", "of a paired randomisation test, corrected for all figures that are tested (Holm)"),
                ("noise: +890 q.", "no winner; a change of this size would take so many more questions"),
                ("terms+h., fts and, tf-idf", "baselines: shared terms with headings, FTS5 AND, TF-IDF cosine"),
                ("refused right", "questions without an answer that were refused"),
            ),
        ),
        Scope(
            "cases", "Cases", "evaluate",
            words=(
                ("A, now, vs A", "the rank of the first relevant result, and its move; – not ranked"),
                ("out > in", "the evidence came into the packed context; in > out: it left; 1/2: one of two claims"),
                ("ref., ans.", "a question without an answer that was refused, or answered all the same"),
                ("lost at", "the stage that kept the evidence out; beside it the smallest change that brings it in"),
            ),
        ),
        Scope("sweeping", "Sweep", EVERYWHERE),
        Scope(
            "sweep", "Sweep", "sweeping",
            words=(
                ("░ ▒ ▓ █", "from the worst of the cells to the best, by their order, over all cases"),
                ("*, ·", "the best of the cases that choose, and the settings that were swept from"),
                ("chosen, held", "the half of the cases that chooses the best, and the half that judges it"),
            ),
        ),
        Scope(
            "marking", "Mark", "panel",
            words=(("reversed", "what is marked as the evidence of the case: whole sentences"),),
        ),
        Scope("documents", "Documents", EVERYWHERE),
        Scope(
            "shelf", "Documents", "documents",
            words=(
                ("p t v g", "parsing, full text, vectors, graph: ✓ ready, ◦ waiting, ~ running, ✗ failed, - off"),
                ("chunks", "how many retrievable chunks the document was cut into"),
                ("skipped", "files that were seen and not indexed, and why"),
            ),
        ),
        Scope(
            "document", "Document", "documents",
            words=(
                ("▌ ┆ █", "the text of an odd chunk, of an even one, of the current one"),
                ("░", "text that a chunk shares with the one before"),
                ("reversed", "a chunk begins inside the row, at that character"),
                ("╌ │", "a parent begins, goes on"),
                ("whole, SPLIT, LOST", "evidence in one chunk, in several, or partly in none; underlined"),
            ),
        ),
        Scope(
            "what-if", "What if", "documents",
            words=(
                ("preview, now", "the cut that is tried here, and the one that serves"),
                ("cut sent.", "sentences that no chunk holds whole; so too tables and fences"),
                ("whole, split, lost", "pieces of evidence in one chunk, in several, or partly in none"),
            ),
        ),
        Scope(
            "tasks", "Tasks", EVERYWHERE,
            words=(
                ("aside", "a rebuild that does not serve: whole and held back, or cut short"),
                ("before", "the index that served before the last rebuild, kept for a rollback"),
                ("interrupted", "its process ended before it did; what was finished was kept"),
                ("files", "how many files it was through with, of those that it saw"),
            ),
        ),
        Scope(
            "difference", "Difference", EVERYWHERE,
            words=(
                ("now, then", "the index that serves, and the rebuild that lies aside"),
                ("evidence", "pieces of the library's own evaluation set: whole in one chunk, split, or lost"),
                ("▴ ▾", "a case whose evidence would enter the context, or leave it"),
            ),
        ),
        Scope(
            "health", "Health", EVERYWHERE,
            words=(
                ("ink", "characters that are no blanks"),
                ("hub", "a chunk among the nearest, by vector, of many more others than chunks usually are"),
                ("orphan", "a chunk that is among the nearest of none, and itself far from all"),
                ("− +", "a cause whose chunks are shown, folded"),
            ),
        ),
        Scope("edit", "Edit", EVERYWHERE, text=True),
        Scope(
            "review", "Review", EVERYWHERE,
            words=(
                ("−, +", "a line of the chunk that goes, and one that comes"),
                ("draft", "an edit that was begun: kept until it is saved or dropped, and offered again"),
            ),
        ),
        Scope(
            "history", "History", EVERYWHERE,
            words=(("undone", "a later step took this one back; that step can be undone in its turn"),),
        ),
        Scope(
            "cutting", "Split", EVERYWHERE,
            words=(("reversed", "the character before which the chunk would be split"),),
        ),
        Scope("settings", "Settings", EVERYWHERE),
        Scope(
            "fields", "Settings", "settings",
            words=(
                ("origin", "where the value comes from: default, user, library, --settings or --set"),
                ("*", "differs from what was read"),
            ),
        ),
        Scope("find", "Find", "settings", text=True),
        Scope("value", "Value", EVERYWHERE, text=True),
        Scope("panel", "Panel"),
        Scope("conflict", "Conflict", "panel"),
        Scope("overlay", "List", "panel"),
        Scope("palette", "Palette", "panel", text=True),
    )
}  # fmt: skip
