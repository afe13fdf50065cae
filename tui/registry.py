"""The table of actions. Only what works is in it; ``tui.actions`` says how it is used, ``tui.scopes`` where.

One letter has one verb, wherever it works; a capital is the wider form of its small letter or only moves.
"""

from __future__ import annotations

from tui.actions import Action
from tui.scopes import EVERYWHERE, SCOPES

__all__ = ["ACTIONS", "EVERYWHERE", "SCOPES"]

_LISTS = (
    "results", "tune", "scales", "metrics", "cases", "context", "passage", "verdict", "vary", "compare",
    "shelf", "document", "what-if", "health", "review", "history", "cutting", "fields", "conflict", "marking", "sweep",
    "overlay", "tasks", "difference",
)  # fmt: skip

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
        ("search", "examine", "documents", "evaluate"),
        "dial down",
        "Make the next setting the dial",
        30,
        "setting",
    ),
    Action(
        "dial.previous",
        ("K", "shift+up"),
        ("search", "examine", "documents", "evaluate"),
        "dial up",
        "Make the previous setting the dial",
        30,
        "setting",
    ),
    Action(
        "dial.down",
        ("-", "["),
        ("search", "examine", "documents", "evaluate", "fields"),
        "turn down",
        "Turn the dial down by a step",
        40,
        "turn",
    ),
    Action(
        "dial.up",
        ("+", "=", "]"),
        ("search", "examine", "documents", "evaluate", "fields"),
        "turn up",
        "Turn the dial up by a step",
        40,
        "turn",
    ),
    Action(
        "dial.big-down",
        ("<",),
        ("search", "examine", "documents", "evaluate", "fields"),
        "big step down",
        "Turn the dial down by a big step",
    ),
    Action(
        "dial.big-up",
        (">",),
        ("search", "examine", "documents", "evaluate", "fields"),
        "big step up",
        "Turn the dial up by a big step",
    ),
    Action(
        "dial.reset",
        ("backspace",),
        ("search", "examine", "documents", "evaluate", "fields"),
        "reset",
        "Give the setting the file's value again",
        65,
    ),
    Action("dial.mute", ("0",), ("search", "examine", "evaluate"), "mute", "Set a weight to 0, and back"),
    Action(
        "turn.left",
        ("h", "left"),
        ("tune", "scales", "vary", "what-if", "fields"),
        "left",
        "Turn the setting under the cursor down",
    ),
    Action(
        "turn.right",
        ("l", "right"),
        ("tune", "scales", "vary", "what-if", "fields"),
        "right",
        "Turn the setting under the cursor up",
    ),
    Action(
        "value.edit",
        ("enter",),
        ("tune", "scales", "what-if", "fields"),
        "open",
        "Type the value of the setting",
        50,
        "type",
    ),
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
        ("search", "examine", "evaluate"),
        "pin A",
        "Pin the present state as A, which moves are measured against; at A, take it off",
        56,
    ),
    Action(
        "compare.show",
        ("d",),
        ("search", "evaluate"),
        "compare",
        "The differences from A: ranks, context, by which stage; of a set case by case",
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
        ("verdict", "vary", "sweep"),
        "apply",
        "Set what is under the cursor",
        50,
        "applies",
    ),
    Action("why.show", ("w",), ("search",), "why", "Why the result stands where it does: the bill", 52),
    Action(
        "mark.next",
        ("n",),
        ("search", "vary", "compare", "documents", "evaluate", "health", "settings"),
        "next mark",
        "Go to the next find hit, moved result, change point, difference, evidence, cut, flip, or cause",
        70,
        "next",
    ),
    Action(
        "mark.previous",
        ("N",),
        ("search", "vary", "compare", "documents", "evaluate", "health", "settings"),
        "previous mark",
        "Go to the previous one",
    ),
    Action(
        "copy.text",
        ("y",),
        ("results", "context", "passage", "verdict", "compare", "document"),
        "copy",
        "Copy the text",
        80,
    ),
    Action("copy.id", (), ("results", "context", "passage", "document"), "copy id", "Copy the chunk's id"),
    Action(
        "copy.citation",
        ("Y",),
        ("results", "context", "passage", "document"),
        "export",
        "Copy the citation: path, lines, heading and revision",
    ),
    # --- documents ---
    Action(
        "place.show",
        ("enter",),
        ("passage",),
        "open",
        "Show the passage in its document, with the borders of the chunks",
        50,
        "document",
    ),
    Action(
        "documents.find",
        ("/",),
        ("documents",),
        "find",
        "Filter the list by path, or find a text in the document",
        10,
        "find",
    ),
    Action("document.open", ("enter",), ("shelf",), "open", "Open the document under the cursor", 50, "open"),
    Action("chunk.previous", ("h", "left"), ("document",), "left", "Go to the chunk before", 20, "chunk"),
    Action("chunk.next", ("l", "right"), ("document",), "right", "Go to the next chunk", 20, "chunk"),
    # --- evaluation ---
    Action(
        "case.trace",
        ("enter",),
        ("cases",),
        "open",
        "Ask the question of the case on Search, as the case asks it",
        50,
        "trace",
    ),
    Action(
        "set.choose", ("enter",), ("metrics",), "open", "Choose the set, and the run that is A", 50, "choose"
    ),
    Action(
        "case.make",
        ("c",),
        ("search", "verdict", "evaluate"),
        "case",
        "Make a case of the evaluation set: mark what answers the question",
        68,
        "case",
    ),
    Action(
        "case.edit", ("e",), ("evaluate",), "edit", "Edit the case as it is written in its file", 69, "edit"
    ),
    Action("span.left", ("h", "left"), ("marking",), "left", "Mark the sentence before", 20, "sentence"),
    Action("span.right", ("l", "right"), ("marking",), "right", "Mark the next sentence", 20, "sentence"),
    Action("span.back", ("<",), ("marking",), "big step down", "Mark one sentence more before", 30, "extend"),
    Action("span.on", (">",), ("marking",), "big step up", "Mark one sentence more behind", 30, "extend"),
    Action("case.mark", ("enter",), ("marking",), "make", "Make the case", 5, "make"),
    Action(
        "sweep.show",
        ("v",),
        ("evaluate",),
        "vary",
        "Sweep the dial, alone or with another setting: which values serve the set best",
        54,
        "sweep",
    ),
    Action("column.left", ("h", "left"), ("sweep",), "left", "The column before", 20, "column"),
    Action("column.right", ("l", "right"), ("sweep",), "right", "The next column", 20, "column"),
    Action("sweep.again", ("r",), ("sweep",), "again", "Sweep again, on the index as it is now"),
    Action("set.run", ("r",), ("evaluate",), "again", "Run the set, and keep the run", 53, "run"),
    Action(
        "run.export",
        ("Y",),
        ("evaluate",),
        "export",
        "Write the report to a file: JSON, CSV, TREC",
        72,
        "export",
    ),
    # --- tasks ---
    Action(
        "task.open",
        ("enter",),
        ("tasks",),
        "open",
        "What can be done with it: finish, compare, go back",
        5,
        "open",
    ),
    Action(
        "task.again", ("r",), ("tasks",), "again", "Go on with it; else read the folder again", 53, "again"
    ),
    Action("task.compare", ("d",), ("tasks",), "compare", "What a rebuild that lies aside would change", 58),
    Action(
        "task.cancel",
        ("delete", "X"),
        ("tasks",),
        "bin",
        "Cancel what runs; give up what lies aside",
        57,
        "cancel",
    ),
    Action("aside.serve", ("enter",), ("difference",), "apply", "Let the rebuild serve", 5, "lets it serve"),
    Action("aside.drop", ("delete", "X"), ("difference",), "bin", "Give the rebuild up", 57, "gives it up"),
    # --- health ---
    Action(
        "health.show",
        ("H",),
        ("documents", "search"),
        "health",
        "The chunks that are likely to serve badly, by cause",
        77,
        "health",
    ),
    Action(
        "case.open",
        ("enter",),
        ("health",),
        "open",
        "Show the chunk with its borders; fold a cause, and back",
        5,
        "open",
    ),
    Action("cause.fold", ("h", "left"), ("health",), "left", "Fold the cause", 20, "fold"),
    Action("cause.unfold", ("l", "right"), ("health",), "right", "Unfold the cause", 20, "fold"),
    Action(
        "health.again", ("r",), ("health",), "again", "Examine the library again, as it is now", 79, "again"
    ),
    # --- edits ---
    Action("chunk.edit", ("e",), ("documents", "review"), "edit", "Edit the chunk's text here", 52, "edit"),
    Action(
        "chunk.editor", ("E",), ("documents",), "edit outside", "Edit the chunk's text in $VISUAL or $EDITOR"
    ),
    Action(
        "chunk.split", ("i",), ("documents",), "insert a border", "Split the chunk: a place is chosen first"
    ),
    Action("chunk.merge-next", ("m",), ("documents",), "merge", "Merge the chunk with the next one"),
    Action(
        "chunk.merge-previous", ("M",), ("documents",), "merge back", "Merge the chunk with the one before"
    ),
    Action("chunk.switch", ("x",), ("documents",), "switch", "Take the chunk out of use, and back"),
    Action("chunk.delete", ("delete", "X"), ("documents",), "bin", "Put the chunk into the bin, and back"),
    Action(
        "edits.history",
        ("U",),
        ("documents",),
        "history",
        "Every edit with what it changed; each can be undone",
    ),
    Action(
        "step.undo",
        ("enter",),
        ("history",),
        "undo",
        "Take the step under the cursor back, or out of the bin; go on with what is unsaved",
        5,
        "undo",
    ),
    Action(
        "conflicts.show", (), (EVERYWHERE,), "conflicts", "Settle the edits that conflict with their file"
    ),
    Action("side.previous", ("h", "left"), ("conflict",), "left", "The text before: base, mine, file"),
    Action("side.next", ("l", "right"), ("conflict",), "right", "The next text: base, mine, file"),
    Action("edit.save", ("enter",), ("review",), "save", "Save the edit", 5, "save"),
    Action("draft.open", (), (EVERYWHERE,), "draft", "Go on with an edit that was not saved"),
    Action("cut.left", ("h", "left"), ("cutting",), "left", "The cut at the sentence before", 20, "sentence"),
    Action(
        "cut.right", ("l", "right"), ("cutting",), "right", "The cut at the next sentence", 20, "sentence"
    ),
    Action("cut.back", ("<",), ("cutting",), "big step down", "The cut a character back", 30, "character"),
    Action("cut.forward", (">",), ("cutting",), "big step up", "The cut a character on", 30, "character"),
    Action("cut.make", ("enter",), ("cutting",), "cut", "Split the chunk here", 5, "cut"),
    Action(
        "library.build",
        ("B",),
        ("documents",),
        "build library",
        "Build the library anew under the cut that is tried: a plan with counts first",
        74,
        "build",
    ),
    Action(
        "source.open",
        ("o",),
        ("documents", "search", "health"),
        "original",
        "Open the original file at its line, in $VISUAL or $EDITOR",
        76,
        "original",
    ),
    Action(
        "library.again",
        ("r",),
        ("documents",),
        "again",
        "Read the folder again, and index what changed",
        79,
        "sync",
    ),
    # --- settings ---
    Action("settings.find", ("/",), ("settings",), "find", "Find a setting by name or help", 10),
    Action("settings.save", ("s",), (EVERYWHERE,), "save", "Save the settings, and say what changed", 60),
    Action(
        "settings.undo", ("u",), (EVERYWHERE,), "undo", "Undo the last change of a setting, and say what", 62
    ),
    # --- screens and panels ---
    Action("screen.search", ("1",), (EVERYWHERE,), "Search", "The Search screen"),
    Action("screen.documents", ("2",), (EVERYWHERE,), "Documents", "The Documents screen"),
    Action("screen.evaluate", ("3",), (EVERYWHERE,), "Evaluate", "The Evaluate screen"),
    Action("screen.tasks", ("6",), (EVERYWHERE,), "Tasks", "The Tasks screen"),
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
    Action(
        "choose", ("enter", "space"), ("conflict", "overlay"), "choose", "Take what is under the cursor", 50
    ),
)
