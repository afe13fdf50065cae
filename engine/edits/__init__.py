"""Edits: what a person made of chunks, kept apart from everything that can be built again.

An edit is a *pin*: a span of a revision whose ends are boundaries for every chunker, with the text that stood
there and what stands there instead (``pin``). Actions on chunks become pins (``actions``), the library file
keeps them and every step that led to them (``engine.store.edits``), another revision anchors them anew
(``anchor``), and a document is prepared with what they say (``effective``). ``exchange`` writes and reads them
as TOML, ``face`` is what a screen or a command talks to.
"""
