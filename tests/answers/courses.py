"""Courses of values over a log, a number for each of its rows: levels with noise, what settles, what steps, what is cleaned up.

Noise comes from one table of normal numbers, so that a log of eight hours takes a second or two."""

import math
import random

_source = random.Random(20260105)
_TABLE = [_source.gauss(0, 1) for _ in range(8192)]


def noise(rng, count, inertia=0.7):
    """Returns `count` numbers of mean 0 and standard deviation 1, each near the one before by `inertia` (0 to 1)."""
    place, value, fresh = rng.randrange(len(_TABLE)), 0.0, math.sqrt(1 - inertia * inertia)
    step = rng.randrange(1, 4096) * 2 + 1
    result = []
    for _ in range(count):
        value = inertia * value + fresh * _TABLE[place]
        place = (place + step) & 8191
        result.append(value)
    return result


def level(rng, count, mean, spread, inertia=0.7, rhythm=None, swing=0.0):
    """Returns a course around `mean`, never below 0; `spread` and `swing`, by which it follows `rhythm` (-1 to 1), are shares of it."""
    course = noise(rng, count, inertia)
    if rhythm is None or not swing:
        return [max(0.0, mean * (1 + spread * value)) for value in course]
    return [max(0.0, mean * (1 + swing * day) * (1 + spread * value)) for value, day in zip(course, rhythm)]


def settled(count, start, end, rows):
    """Returns a course that rises from `start` and comes near to `end` after about three times `rows`."""
    return [end - (end - start) * math.exp(-row / rows) for row in range(count)]


def step(count, low, high, row):
    """Returns a course that is `low`, and `high` from `row` on."""
    return [low if index < row else high for index in range(count)]


def sawtooth(count, low, high, rows, phase):
    """Returns a course that rises from `low` to `high` in `rows`, and starts again: memory with a garbage collector."""
    return [low + (high - low) * (((index + phase) % rows) / rows) for index in range(count)]


def line(count, start, per_row):
    """Returns a course that grows by `per_row` with each row."""
    return [start + per_row * row for row in range(count)]


def pages(course):
    """Returns sizes in bytes as whole pages of 4096."""
    return [int(value) >> 12 << 12 for value in course]
