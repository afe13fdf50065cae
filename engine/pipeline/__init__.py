"""The two pipelines: from a folder to a generation, and from a question to a recall. The library runs them in
threads."""
