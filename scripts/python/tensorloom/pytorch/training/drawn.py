"""The random numbers of tnn_training: which samples are held out, the order of an epoch, the masks of dropout. They are
those of the program bit by bit (workloads/training/labelled_samples.h, step_words.h; models/arithmetic/counter_random.h)."""
import math

import numpy as np

WORD = 0xffffffff
STATE, SHIFT = 312, 156  # of mt19937_64, whose seed sequence has two words for each of its numbers


def seed_sequence(seeds, count):
    """`count` words of std::seed_seq: [rand.util.seedseq] of the C++ standard."""
    words = [0x8b8b8b8b] * count
    length, given = max(len(seeds) + 1, count), len(seeds)
    t = 11 if count >= 623 else 7 if count >= 68 else 5 if count >= 39 else 3 if count >= 7 else (count - 1) // 2
    p = (count - t) // 2
    q = p + t

    def mixed(value):
        return value ^ value >> 27

    for k in range(length):
        first = 1664525 * mixed(words[k % count] ^ words[(k + p) % count] ^ words[(k - 1) % count]) & WORD
        second = first + (given if k == 0 else k % count + (seeds[k - 1] if k <= given else 0)) & WORD
        words[(k + p) % count] = words[(k + p) % count] + first & WORD
        words[(k + q) % count] = words[(k + q) % count] + second & WORD
        words[k % count] = second
    for k in range(length, length + count):
        third = 1566083941 * mixed(words[k % count] + words[(k + p) % count] + words[(k - 1) % count] & WORD) & WORD
        fourth = third - k % count & WORD
        words[(k + p) % count] ^= third
        words[(k + q) % count] ^= fourth
        words[k % count] = fourth
    return words


class MersenneTwister64:
    """std::mt19937_64, from a number or from the words of a seed sequence."""

    def __init__(self, seed):
        if isinstance(seed, int):
            state = [seed]
            for number in range(1, STATE):
                state.append(6364136223846793005 * (state[-1] ^ state[-1] >> 62) + number & 0xffffffffffffffff)
        else:
            words = seed_sequence(list(seed), 2 * STATE)
            state = [low | high << 32 for low, high in zip(words[::2], words[1::2])]
        self.state = np.array(state, np.uint64)
        self.left = []

    def _twist(self):
        x, low = self.state, np.uint64(0x7fffffff)

        def next_of(here, following, far):
            both = here & ~low | following & low
            return far ^ both >> np.uint64(1) ^ np.where(both & np.uint64(1), np.uint64(0xb5026f5aa96619e9), np.uint64(0))

        x[:SHIFT] = next_of(x[:SHIFT], x[1:SHIFT + 1], x[SHIFT:])
        x[SHIFT:-1] = next_of(x[SHIFT:-1], x[SHIFT + 1:], x[:SHIFT - 1])
        x[-1:] = next_of(x[-1:], x[:1], x[SHIFT - 1:SHIFT])
        y = x ^ x >> np.uint64(29) & np.uint64(0x5555555555555555)
        y ^= y << np.uint64(17) & np.uint64(0x71d67fffeda60000)
        y ^= y << np.uint64(37) & np.uint64(0xfff7eee000000000)
        self.left = (y ^ y >> np.uint64(43)).tolist()[::-1]

    def __call__(self):
        if not self.left:
            self._twist()
        return self.left.pop()


def permute(numbers, random):
    """Fisher and Yates, in place."""
    for left in range(len(numbers), 1, -1):
        other = random() % left
        numbers[left - 1], numbers[other] = numbers[other], numbers[left - 1]


def half_up(value):
    """std::lround of a number from 0."""
    return math.floor(value + 0.5)


def held_out(count, wanted, seed, labels=None, classes=1):
    """(training, test): `wanted` samples are the test set, the same share of every class."""
    random = MersenneTwister64(seed)
    by_class = [list(range(count))] if labels is None else [np.flatnonzero(labels == c).tolist() for c in range(classes)]
    training, test, seen = [], [], 0
    for numbers in by_class:
        permute(numbers, random)
        seen += len(numbers)
        taken = seen * wanted // count - len(test)
        test += numbers[:taken]
        training += numbers[taken:]
    return training, test


def without_validation(training, share, seed):
    """The training set without its validation set, a share of it."""
    random = MersenneTwister64([seed & WORD, seed >> 32, WORD, WORD])
    places = list(range(len(training)))
    permute(places, random)
    out = set(places[:min(max(half_up(share * len(training)), 1), len(training) - 1)])
    return [sample for place, sample in enumerate(training) if place not in out]


def order_of_epoch(training, seed, epoch):
    """The samples of an epoch, counted from 0, in their order."""
    order = list(training)
    permute(order, MersenneTwister64([seed & WORD, seed >> 32, epoch]))
    return order


def philox(counter_0, counter_1, key):
    """Philox-2x32-10 of arrays of counters: two arrays of words."""
    word = np.uint64(WORD)
    a, b = np.asarray(counter_0, np.uint64), np.asarray(counter_1, np.uint64)
    for number in range(10):
        product = np.uint64(0xd256d193) * a
        a, b = product >> np.uint64(32) ^ np.uint64(key + 0x9e3779b9 * number & WORD) ^ b, product & word
    return a, b


def mask_key(seed, epoch, step):
    """The key of the masks of a step; epoch and step are counted from 0."""
    of_run = philox(seed & WORD, seed >> 32, 0)[0]
    return int(philox(step, epoch, int(of_run))[0])


def random_fractions(key, stream, count):
    """The first numbers of a stream, multiples of 2^-24 from 0 to below 1, float32."""
    numbers = np.arange((count + 1) // 2, dtype=np.uint64)
    words = np.stack(philox(numbers, np.full(len(numbers), stream, np.uint64), key), axis=1).reshape(-1)[:count]
    return (words >> np.uint64(8)).astype(np.float32) * np.float32(2.0 ** -24)
