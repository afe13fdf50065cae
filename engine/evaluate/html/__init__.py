"""Reports as one self-contained HTML document: light and dark, readable on paper, nothing loaded from elsewhere."""

from engine.evaluate.html.page import Table, cell, page, paragraph, section, table

__all__ = ["Table", "cell", "page", "paragraph", "section", "table"]
