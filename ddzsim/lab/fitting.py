"""The monotone way to bid that is worth most: a stronger hand never bids less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

LARGEST_FLOW = 2**30
"""scipy's maximum flow takes 32-bit capacities; larger sums are scaled down to this."""

Weaker = tuple[int, int]
"""Two kinds of hands, the first weaker than the second."""


def best_bids(points: Ints, weaker: Sequence[Weaker], bids: Sequence[int]) -> Ints:
    """The bid of each kind of hand, the highest sum among all ways to bid that are monotone.

    `points`: kinds of hands by a pass and the bids, what each call came to in sum; `weaker`: pairs
    of kinds of which the second is never to bid less; `bids`: those that may be made, rising.

    To bid at least so much on a kind is an item with a gain, that of the call over the next lower
    one. A monotone way to bid is a set of items that holds with each item the lower bid on the same
    kind and the same bid on stronger kinds: a closure, and the best closure is a minimum cut
    (Picard 1976).
    """
    kinds, levels = len(points), len(bids)
    if not levels:
        return np.zeros(kinds, np.int64)
    calls = np.array([0, *bids])
    gains = np.diff(points[:, calls], axis=1)
    scale = max(1.0, np.abs(gains).sum() / LARGEST_FLOW)
    taken = _closure((gains / scale).astype(np.int64).ravel(), _needs(kinds, levels, weaker))
    best: Ints = calls[taken.reshape(kinds, levels).sum(1)]
    return best


def _needs(kinds: int, levels: int, weaker: Sequence[Weaker]) -> npt.NDArray[np.int64]:
    """Pairs of items of which the first may be taken only with the second."""
    items = np.arange(kinds * levels).reshape(kinds, levels)
    lower = np.stack([items[:, 1:].ravel(), items[:, :-1].ravel()])
    if not weaker:
        return lower
    low, high = np.array(weaker).T
    return np.concatenate([lower, np.stack([items[low].ravel(), items[high].ravel()])], 1)


def _closure(gains: Ints, needs: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """The set of items with the highest gain that holds with each item those it needs."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    count = len(gains)
    source, sink = count, count + 1
    items = np.arange(count)
    # What no cut can afford, and still a 32-bit number.
    whole = np.abs(gains).sum() + 1
    up, down = gains > 0, gains < 0
    tails = np.concatenate([np.full(up.sum(), source), items[down], needs[0]])
    heads = np.concatenate([items[up], np.full(down.sum(), sink), needs[1]])
    room = np.concatenate([gains[up], -gains[down], np.full(needs.shape[1], whole)])
    network = csr_matrix((room.astype(np.int32), (tails, heads)), shape=(count + 2, count + 2))
    left = network - maximum_flow(network, source, sink).flow
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    reached = breadth_first_order(left, source, return_predecessors=False)
    taken = np.zeros(count + 2, bool)
    taken[reached] = True
    return taken[:count]


def weaker_by_measure(measures: Ints) -> Iterator[Weaker]:
    """The neighbours among distinct measures that rise."""
    yield from ((at, at + 1) for at in range(len(measures) - 1))


def weaker_cells(shape: tuple[int, int, int]) -> Iterator[Weaker]:
    """Neighbours among cells: fewer big cards, fewer bombs or more plays is weaker."""
    at = np.arange(np.prod(shape)).reshape(shape)
    pairs = ((at[:-1], at[1:]), (at[:, :-1], at[:, 1:]), (at[:, :, 1:], at[:, :, :-1]))
    for weak, strong in pairs:
        yield from zip(weak.ravel().tolist(), strong.ravel().tolist(), strict=True)
