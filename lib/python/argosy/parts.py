"""Slices and arrays of NumPy, as the compiled part takes them."""
# SPDX-License-Identifier: BSD-3-Clause
import operator

import numpy as np


def type_text(dtype):
    """Returns the type as the headers of NumPy's files have it."""
    dtype = packed(np.dtype(dtype))
    if dtype.hasobject:
        raise TypeError(f"argosy: {dtype} holds objects of Python, which have no bytes of their own in a file")
    if dtype.subdtype:
        raise TypeError(f"argosy: {dtype} is an array; give its element, and more dimensions")
    return repr(np.lib.format.dtype_to_descr(dtype))


def packed(dtype):
    """Returns the type without unused bytes between its fields."""
    if dtype.names is None:
        if dtype.subdtype:
            element, shape = dtype.subdtype
            return np.dtype((packed(element), shape))
        return dtype
    return np.dtype([(name, packed(dtype.fields[name][0])) for name in dtype.names])


def type_of(text):
    """Returns the type of a text of the compiled part."""
    import ast

    return np.lib.format.descr_to_dtype(ast.literal_eval(text))


def native(dtype):
    """Returns the same type in this machine's order of bytes."""
    return dtype.newbyteorder("=")


def shape_of(shape):
    """Returns a shape as a list of integers. One integer is a shape, too."""
    sizes = [operator.index(shape)] if hasattr(shape, "__index__") else [operator.index(n) for n in shape]
    if any(n < 0 for n in sizes):
        raise ValueError(f"argosy: {shape} is no shape; sizes are 0 or more")
    return sizes


def selected(key, shape):
    """Returns starts, counts and steps of a key such as np.s_[100:200, :], and the shape of the result."""
    items = list(key) if isinstance(key, tuple) else [key]
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("argosy: a key has one ellipsis at most")
    if not any(item is Ellipsis for item in items):
        items.append(Ellipsis)
    at = next(i for i, item in enumerate(items) if item is Ellipsis)
    missing = len(shape) - (len(items) - 1)
    if missing < 0:
        raise IndexError(f"argosy: {len(items) - 1} indices for an array of {len(shape)} dimensions")
    items[at:at + 1] = [slice(None)] * missing
    starts, counts, steps, result = [], [], [], []
    for axis, (item, size) in enumerate(zip(items, shape)):
        if isinstance(item, slice):
            start, stop, step = item.indices(size)
            if step < 1:
                raise IndexError(f"argosy: the step of a slice is {step}; give 1 or more, and turn the array around in memory")
            count = max(0, -(-(stop - start) // step))
            result.append(count)
        else:
            try:
                start = operator.index(item)
            except TypeError:
                raise IndexError(f"argosy: {item!r} is no index; give integers, slices and at most one ellipsis") from None
            start += size if start < 0 else 0
            if not 0 <= start < size:
                raise IndexError(f"argosy: index {item} is outside of dimension {axis}, which has {size} elements")
            count, step = 1, 1
        starts.append(start if count else 0)
        counts.append(count)
        steps.append(step)
    return (starts, counts, steps), tuple(result)


def address_of(array):
    return array.__array_interface__["data"][0]


def converted(array, dtype):
    """Returns the array as this type. Integers must keep their values; for others NumPy's rule same_kind holds."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind in "iu" and dtype.kind in "iu":
        result = array.astype(dtype)
        if not np.array_equal(result, array):
            raise OverflowError(f"argosy: {array.dtype} has values that {dtype} cannot hold")
        return result
    return array.astype(dtype, casting="same_kind")


def for_writing(value, dtype, counts, result):
    """Returns the array to write, with `counts` elements along each dimension."""
    return np.broadcast_to(converted(np.asarray(value), dtype), result).reshape(counts)


class Part:
    """An array in memory, and its place in the array of all ranks: see argosy.part."""

    def __init__(self, array, shape, at, order):
        self.array, self.shape, self.at, self.order = array, shape, at, order


def part(array, shape=None, at=(), order="C"):
    """Says where the array of this rank lies in that of all ranks.

        argosy.part(u, shape=(1000, 400), at=np.s_[100:200, :])

    array  an array of NumPy, which need not be contiguous
    shape  the shape of the whole array; that of `array` if it is left out
    at     the slices of this rank; everything if they are left out
    order  "C" or "F", the order of the whole array in the file
    """
    return Part(array, shape, at, order)
