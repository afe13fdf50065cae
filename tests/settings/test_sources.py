"""Each value counts from the last layer that sets it, and says which; an opened folder waits for trust."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.settings import FIELDS, Settings, resolve, save_changes, trust_folder
from engine.settings.places import library_file, user_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    place.mkdir()
    return place


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_any_file_everything_is_a_default(folder: Path):
    resolved = resolve(folder)
    assert resolved.settings == Settings()
    assert set(resolved.origins) == {field.key for field in FIELDS}
    assert {origin.layer for origin in resolved.origins.values()} == {"default"}
    assert resolved.warning == ""


def test_the_later_layer_wins_and_each_value_says_where_it_comes_from(folder: Path, tmp_path: Path):
    write(user_file(), "[retrieval]\ntop_k = 2\nrrf_k = 2\nadjacent_chunk_count = 1\ndocument_quota = 2\n")
    write(library_file(folder), "[retrieval]\ntop_k = 3\nrrf_k = 3\nadjacent_chunk_count = 2\n")
    file = write(tmp_path / "given.toml", "[retrieval]\ntop_k = 4\nrrf_k = 4\n")
    resolved = resolve(folder, file=file, assignments=["top_k=5", "retrieval.fusion=minmax"])
    retrieval = resolved.settings.retrieval
    assert (retrieval.top_k, retrieval.rrf_k, retrieval.adjacent_chunk_count, retrieval.document_quota) == (
        5,
        4,
        2,
        2,
    )
    layers = {
        name: resolved.origins[f"retrieval.{name}"].layer for name in ("top_k", "rrf_k", "fusion", "rerank")
    }
    assert layers == {"top_k": "command line", "rrf_k": "file", "fusion": "command line", "rerank": "default"}
    assert resolved.origins["retrieval.adjacent_chunk_count"].path == str(library_file(folder))
    assert resolved.origins["retrieval.document_quota"].layer == "user"


def test_layers_are_judged_together(folder: Path):
    write(user_file(), "[chunking]\ntarget_characters = 400\n")
    with pytest.raises(SettingsError, match="at most 160, 40 % of target_characters, 400"):
        resolve(folder, assignments=["overlap_characters=200"])


def test_tables_of_own_keys_are_merged_key_by_key(folder: Path, tmp_path: Path):
    write(user_file(), '[scopes]\n"a/**" = ["a"]\n"b/**" = ["b"]\n')
    file = write(tmp_path / "given.toml", '[scopes]\n"b/**" = ["board"]\n')
    assert resolve(folder, file=file).settings.scopes == (("a/**", ("a",)), ("b/**", ("board",)))


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("top_k", "--set top_k has no value"),
        ("topk=3", "did you mean top_k"),
        ("top_k=99", "retrieval.top_k is 99: it must be 1 to 20"),
        ("vector_weight=nan", "retrieval.vector_weight is nan"),
        ("version=2", "version is 2"),
    ],
)
def test_a_wrong_assignment_is_one_sentence(folder: Path, assignment: str, said: str):
    with pytest.raises(SettingsError, match=said):
        resolve(folder, assignments=[assignment])


def test_a_settings_file_that_was_asked_for_must_exist(folder: Path, tmp_path: Path):
    with pytest.raises(SettingsError, match=r"there is no settings file .*none\.toml"):
        resolve(folder, file=tmp_path / "none.toml")


def test_a_single_file_has_no_settings_of_its_own(tmp_path: Path):
    assert resolve(write(tmp_path / "page.md", "text")).settings == Settings()


def test_an_index_placed_elsewhere_brings_the_settings_that_lie_there(folder: Path, tmp_path: Path):
    write(library_file(folder), "[retrieval]\ntop_k = 3\n")
    write(tmp_path / "index" / "settings.toml", "[retrieval]\ntop_k = 4\n")
    assert resolve(folder, library=tmp_path / "index" / "settings.toml").settings.retrieval.top_k == 4


HOSTILE = """
[retrieval]
top_k = 3
[embedding]
provider = "openai"
base_url = "https://elsewhere.example/v1"
model = "m"
api_key_env = "AWS_SECRET_ACCESS_KEY"
[rerank_endpoint]
base_url = "https://elsewhere.example"
api_key_env = "HOME"
[scopes]
"**" = []
"""


def hostile(folder: Path) -> Path:
    return write(library_file(folder), HOSTILE.replace("[]", '["hidden"]'))


def test_an_opened_folder_cannot_send_documents_or_a_key_away(folder: Path):
    hostile(folder)
    resolved = resolve(folder)
    embedding, endpoint = resolved.settings.embedding, resolved.settings.rerank_endpoint
    assert (embedding.provider, embedding.base_url, embedding.api_key_env) == ("auto", "", "")
    assert (endpoint.base_url, endpoint.api_key_env, resolved.settings.scopes) == ("", "", ())
    assert resolved.settings.retrieval.top_k == 3
    assert resolved.ignored == (
        "embedding.provider",
        "embedding.base_url",
        "embedding.api_key_env",
        "rerank_endpoint.base_url",
        "rerank_endpoint.api_key_env",
        "scopes",
    )
    assert "embedding.base_url" in resolved.warning
    assert resolved.origins["embedding.base_url"].layer == "default"


def test_an_embedder_that_stays_on_the_machine_needs_no_trust(folder: Path):
    write(library_file(folder), '[embedding]\nprovider = "hash"\n')
    resolved = resolve(folder)
    assert (resolved.settings.embedding.provider, resolved.ignored) == ("hash", ())


def test_a_folder_trusted_once_counts_until_its_endpoints_change(folder: Path):
    path = hostile(folder)
    assert "scopes" in trust_folder(resolve(folder))
    assert resolve(folder).settings.embedding.api_key_env == "AWS_SECRET_ACCESS_KEY"
    write(path, path.read_text().replace("top_k = 3", "top_k = 4"))
    assert resolve(folder).ignored == ()
    write(path, path.read_text().replace("elsewhere", "nowhere"))
    assert "embedding.base_url" in resolve(folder).ignored


def test_trust_follows_the_real_folder_and_not_a_name_for_it(folder: Path, tmp_path: Path):
    hostile(folder)
    trust_folder(resolve(folder))
    (tmp_path / "link").symlink_to(folder)
    assert resolve(tmp_path / "link").ignored == ()
    other = tmp_path / "other"
    other.mkdir()
    hostile(other)
    assert resolve(other).ignored


def test_two_folders_may_be_trusted(folder: Path, tmp_path: Path):
    other = tmp_path / "other"
    for place in (folder, other):
        hostile(place)
        trust_folder(resolve(place))
    assert resolve(folder).ignored == resolve(other).ignored == ()


def test_a_damaged_record_trusts_nobody(folder: Path, home: Path):
    hostile(folder)
    trust_folder(resolve(folder))
    record = next(home.rglob("trusted.json"))
    for damage in ("", "{", "[]", '{"folders": 3}', "[" * 100_000):
        record.write_text(damage)
        assert resolve(folder).ignored


def test_saving_goes_to_the_file_that_counts_at_the_next_start(folder: Path, tmp_path: Path):
    file = write(tmp_path / "given.toml", "[retrieval]\ntop_k = 4\n")
    assert save_changes(resolve(folder, file=file), {"retrieval.top_k": 7}) == ("retrieval.top_k 4 → 7",)
    assert resolve(folder, file=file).settings.retrieval.top_k == 7
    assert not library_file(folder).exists()
    save_changes(resolve(folder), {"retrieval.top_k": 9})
    assert resolve(folder).settings.retrieval.top_k == 9


def test_what_the_user_saves_into_a_library_is_trusted(folder: Path):
    save_changes(resolve(folder), {"embedding.base_url": "http://localhost:1/v1"})
    assert resolve(folder).settings.embedding.base_url == "http://localhost:1/v1"


def test_saving_beside_untrusted_values_does_not_bless_them(folder: Path):
    hostile(folder)
    save_changes(resolve(folder), {"retrieval.top_k": 5})
    assert "embedding.api_key_env" in resolve(folder).ignored
