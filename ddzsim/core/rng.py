"""The generator of version 1: a counter-based stream of 64-bit words (SplitMix64).

It is ours, so that a seed gives the same deals under every version of every library. A stream is an
array of one uint64; word ``n`` of the stream of key ``k`` is ``mix(k + (n + 1) * GOLDEN)``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.jit import U, kernel, to_int

Word: TypeAlias = np.uint64
Stream: TypeAlias = npt.NDArray[np.uint64]
"""An array of one uint64, the counter of a stream."""

VERSION = 1
"""Raised when the same seed would give other deals or other random choices."""

GOLDEN = U(0x9E3779B97F4A7C15)
LOW_32 = U(0xFFFFFFFF)
SHIFT_32 = U(32)


@kernel
def mix(word: Word) -> Word:
    """Scatter the bits of a word: the output function of SplitMix64.

    >>> hex(mix(GOLDEN))  # the first word of seed 0, as published
    '0xe220a8397b1dcdaf'
    """
    word = (word ^ (word >> U(30))) * U(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U(27))) * U(0x94D049BB133111EB)
    return word ^ (word >> U(31))


@kernel
def key_of(first: Word, second: Word) -> Word:
    """The key of the stream of two words in this order, such as a seed and a round number."""
    return mix(mix(first + GOLDEN) ^ (second * U(0xD1342543DE82EF95) + GOLDEN))


@kernel
def next_word(stream: Stream) -> Word:
    """The next 64 bits of a stream."""
    stream[0] += GOLDEN
    return mix(stream[0])


@kernel
def below(stream: Stream, n: int) -> int:
    """A number from 0 to n - 1, all equally likely, for n up to 2^32 (Lemire's method).

    The high half of a 32-bit word times n; the few words that would favour some numbers are drawn
    again.
    """
    bound = U(n)
    product = (next_word(stream) >> SHIFT_32) * bound
    if product & LOW_32 < bound:
        threshold = (U(0x100000000) - bound) % bound
        while product & LOW_32 < threshold:
            product = (next_word(stream) >> SHIFT_32) * bound
    return to_int(product >> SHIFT_32)
