"""The signatures of binary formats: the name of what bytes are, whatever their file is called. Pure; data."""

from __future__ import annotations

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"%PDF-", "PDF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office document"),
    (b"PK\x03\x04", "zip archive"),
    (b"PK\x05\x06", "zip archive"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"BZh91AY&SY", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\x07", "rar archive"),
    (b"!<arch>\n", "ar archive"),
    (b"\x7fELF", "ELF binary"),
    (b"\xcf\xfa\xed\xfe", "Mach-O binary"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O binary"),
    (b"\0asm", "WebAssembly"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\x93NUMPY", "NumPy array"),
    (b"\x89HDF\r\n\x1a\n", "HDF5 data"),
    (b"OggS\0", "Ogg media"),
    (b"fLaC\0", "FLAC audio"),
    (b"wOFF\0", "font"),
    (b"wOF2\0", "font"),
)
_TAR_AT = 257
_TAR = b"ustar"


def signature(raw: bytes) -> str:
    """What binary format ``raw`` begins like; empty for none. Signatures that prose could begin with are not
    here: those files hold NUL bytes soon after."""
    if raw.startswith(_TAR, _TAR_AT):
        return "tar archive"
    return next((name for mark, name in _SIGNATURES if raw.startswith(mark)), "")
