"""Files that are nearly right: real ones with bytes changed, cut, doubled and mixed."""

from __future__ import annotations

from random import Random

TOKENS = (
    *(bytes([byte]) for byte in b"\n\r\t ,;:|\"'#%@[](){}<>&=-.xX01B\0\x7f\x80\xff"),
    b"\r\n",
    b"\n\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b",
    b"-1",
    b"99999999999999999999",
    b"1e308",
    b"NaN",
    b'""',
    b"object,attribute\n",
    b"@ITEM=1=a\n",
    b"% bip\n",
    b"[Objects]",
    b"[END Relational Context]",
    b"&#0;",
    b"&#xD800;",
    b"&lol;",
    b'<!DOCTYPE a [<!ENTITY lol "lol">]>',
    b"<!--",
    b"<![CDATA[",
    b"]]>",
    b"<?xml version='1.0' encoding='utf-16'?>",
    b"<?xml version='1.0' encoding='nonsense'?>",
    b"\\ud800",
    b'"objects": 1,',
    b"graph [",
    "ж中🎬\u2028\u00a0".encode(),
)


def mutated(random: Random, seeds: list[bytes]) -> bytes:
    """One of the seeds after up to eight changes."""
    data = random.choice(seeds)
    for _ in range(random.randint(0, 8)):
        change = random.randrange(8)
        start = random.randint(0, len(data))
        stop = min(len(data), start + random.randint(0, 12))
        if change == 0:
            data = data[:start] + data[stop:]
        elif change == 1:
            data = data[:start]
        elif change == 2:
            data = data[:start] + random.choice(TOKENS) + data[start:]
        elif change == 3:
            data = data[:start] + random.choice(TOKENS) + data[stop:]
        elif change == 4:
            data = data[:stop] + data[start:stop] * random.randint(1, 40) + data[stop:]
        elif change == 5:
            data = data[:start] + random.randbytes(1) + data[start + 1 :]
        elif change == 6:
            other = random.choice(seeds)
            data = data[:start] + other[random.randint(0, len(other)) :]
        else:
            data = data[:start] + random.randbytes(random.randint(0, 8)) + data[start:]
    return data
