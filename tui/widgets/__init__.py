"""The panes of the screens: what each shows is a pure function to lines; one widget draws lines."""
