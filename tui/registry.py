"""The table of scopes and actions. Only what works is in it; ``tui.actions`` says how it is used.

One letter has one verb, wherever it works; a capital is the wider form of its small letter or only moves.
"""

from __future__ import annotations

from tui.actions import Action, Scope

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
        Scope("overlay", "List", "panel"),
        Scope("palette", "Palette", "panel", text=True),
    )
}  # fmt: skip

_LISTS = ("results", "tune", "context", "passage", "verdict", "vary", "compare", "fields", "overlay")

ACTIONS: tuple[Action, ...] = (
    # --- moving ---
    Action("cursor.down", ("j", "down"), _LISTS, "down", "Move down by one row"),
    Action("cursor.up", ("k", "up"), _LISTS, "up", "Move up by one row"),
    Action("cursor.first", ("g", "home"), _LISTS, "first", "Move to the first row"),
    Action("cursor.last", ("G", "end"), _LISTS, "last", "Move to the last row"),
    Action("cursor.half-down", ("ctrl+d",), _LISTS, "half down", "Move down by half a page"),
    Action("cursor.half-up", ("ctrl+u",), _LISTS, "half up", "Move up by half a page"),
    Action("cursor.page-down", ("pagedown",), _LISTS, "page down", "Move down by a page"),
    Action("cursor.page-up", ("pageup",), _LISTS, "page up", "Move up by a page"),
    # --- the query ---
    Action("query.edit", ("/",), ("search",), "find", "Write the query", 10, "query"),
    Action("query.run", ("enter",), ("query",), "run", "Run the query", 10, "run"),
    Action("history.previous", ("up",), ("query",), "earlier", "The query before", 20, "history"),
    Action("history.next", ("down",), ("query",), "later", "The query after", 20, "history"),
    Action(
        "query.again",
        ("r",),
        ("search", "verdict"),
        "again",
        "Run the query again, on the index as it is now",
    ),
    Action("library.sync", ("R",), ("search",), "sync", "Read the folder again, and index what changed"),
    Action("scope.pick", ("f",), ("search",), "scope", "Choose whose documents are searched", 75, "scope"),
    # --- the dial ---
    Action(
        "dial.next",
        ("J", "shift+down"),
        ("search", "examine"),
        "dial down",
        "Make the next setting the dial",
        30,
        "setting",
    ),
    Action(
        "dial.previous",
        ("K", "shift+up"),
        ("search", "examine"),
        "dial up",
        "Make the previous setting the dial",
        30,
        "setting",
    ),
    Action(
        "dial.down",
        ("-", "["),
        ("search", "examine", "fields"),
        "turn down",
        "Turn the dial down by a step",
        40,
        "turn",
    ),
    Action(
        "dial.up",
        ("+", "=", "]"),
        ("search", "examine", "fields"),
        "turn up",
        "Turn the dial up by a step",
        40,
        "turn",
    ),
    Action(
        "dial.big-down",
        ("<",),
        ("search", "examine", "fields"),
        "big step down",
        "Turn the dial down by a big step",
    ),
    Action(
        "dial.big-up",
        (">",),
        ("search", "examine", "fields"),
        "big step up",
        "Turn the dial up by a big step",
    ),
    Action(
        "dial.reset",
        ("backspace",),
        ("search", "examine", "fields"),
        "reset",
        "Give the setting the file's value again",
        65,
    ),
    Action("dial.mute", ("0",), ("search", "examine"), "mute", "Set a weight to 0, and back"),
    Action(
        "turn.left",
        ("h", "left"),
        ("tune", "vary", "fields"),
        "left",
        "Turn the setting under the cursor down",
    ),
    Action(
        "turn.right",
        ("l", "right"),
        ("tune", "vary", "fields"),
        "right",
        "Turn the setting under the cursor up",
    ),
    Action("value.edit", ("enter",), ("tune", "fields"), "open", "Type the value of the setting", 50, "type"),
    # --- results ---
    Action(
        "result.open",
        ("enter",),
        ("results", "context"),
        "open",
        "Read the passage of this result",
        50,
        "open",
    ),
    Action(
        "pin.set",
        ("p",),
        ("search", "examine"),
        "pin A",
        "Pin the present state as A, which moves are measured against; at A, take it off",
        56,
    ),
    Action(
        "compare.show",
        ("d",),
        ("search",),
        "compare",
        "The differences from A: ranks, context, by which stage",
        58,
    ),
    Action(
        "vary.show",
        ("v",),
        ("search",),
        "vary",
        "The dial over its whole range: which chunk holds each rank, and where that changes",
        63,
    ),
    Action(
        "lens.show",
        ("t",),
        ("search",),
        "terms",
        "The token lens: terms of query and chunk by channel, how rare each is, what met",
        61,
    ),
    Action(
        "why-not.show",
        ("W",),
        ("search", "verdict"),
        "why not",
        "Why a chunk or a text is not in the context, and the smallest change that brings it in",
        54,
    ),
    Action(
        "change.apply",
        ("enter",),
        ("verdict", "vary"),
        "apply",
        "Set what is under the cursor",
        50,
        "applies",
    ),
    Action("why.show", ("w",), ("search",), "why", "Why the result stands where it does: the bill", 52),
    Action(
        "mark.next",
        ("n",),
        ("search", "vary", "compare", "settings"),
        "next mark",
        "Go to the next moved result, change point, difference, or find hit",
        70,
        "next",
    ),
    Action(
        "mark.previous",
        ("N",),
        ("search", "vary", "compare", "settings"),
        "previous mark",
        "Go to the previous one",
    ),
    Action(
        "copy.text",
        ("y",),
        ("results", "context", "passage", "verdict", "compare"),
        "copy",
        "Copy the text",
        80,
    ),
    Action("copy.id", (), ("results", "context", "passage"), "copy id", "Copy the chunk's id"),
    Action(
        "copy.citation",
        ("Y",),
        ("results", "context", "passage"),
        "copy citation",
        "Copy the citation: path, lines, heading and revision",
    ),
    # --- settings ---
    Action("settings.find", ("/",), ("settings",), "find", "Find a setting by name or help", 10),
    Action("settings.save", ("s",), (EVERYWHERE,), "save", "Save the settings, and say what changed", 60),
    Action(
        "settings.undo", ("u",), (EVERYWHERE,), "undo", "Undo the last change of a setting, and say what", 62
    ),
    # --- screens and panels ---
    Action("screen.search", ("1",), (EVERYWHERE,), "Search", "The Search screen"),
    Action("screen.settings", ("7",), (EVERYWHERE,), "Settings", "The Settings screen"),
    Action(
        "screen.jump", (";",), (EVERYWHERE,), "jump", "Put a letter over each pane and screen, and go there"
    ),
    Action("pane.next", ("tab",), (EVERYWHERE,), "next pane", "Go to the next pane"),
    Action("pane.previous", ("shift+tab",), (EVERYWHERE,), "previous pane", "Go to the pane before"),
    Action("pane.zoom", ("z",), (EVERYWHERE,), "zoom", "Give the pane the whole screen, and back", 78),
    Action("problems.show", ("!",), (EVERYWHERE,), "problems", "The problems, with their remedies"),
    Action(
        "palette.show",
        (":", "ctrl+p"),
        (EVERYWHERE,),
        "palette",
        "Find an action, or set a value: vector 1.4",
    ),
    Action("back", ("escape", "q"), (EVERYWHERE, "panel"), "back", "One step back", 85, "back"),
    Action("quit", ("ctrl+q",), (EVERYWHERE,), "quit", "Quit; running tasks resume later", priority=True),
    Action(
        "menu.show", ("space",), (EVERYWHERE,), "actions", "All actions of the pane, numbered", 98, "actions"
    ),
    Action("help.show", ("?", "f1"), (EVERYWHERE,), "help", "Help of the pane and its words", 99, "help"),
    Action("choose", ("enter", "space"), ("overlay",), "choose", "Take what is under the cursor", 50),
)
