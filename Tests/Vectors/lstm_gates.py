"""TFLite's integer LSTM once more, in numpy and Python integers, gate by gate: what an interpreter does not show.

It proves itself against LiteRT (int8) and tflite-micro (int16) before it is believed. `gates` writes one as a C header.
"""
import numpy as np

import tflite

EXP_OF_MINUS_POWER = (25520, 19875, 12055, 4435, 600, 11, 0)  # exp(-2^k), k = -2 ... 4, Q0.15


def limit16(value):
    return max(-32768, min(32767, int(value)))


def divide(value, power):
    """value / 2^power, halves away from zero."""
    mask = (1 << power) - 1
    return (value >> power) + ((value & mask) > (mask >> 1) + (value < 0))


def product(a, b):
    return limit16((a * b + (1 << 14)) >> 15)


def scaled(value, real):
    """TFLite's MultiplyByQuantizedMultiplier with double rounding."""
    multiplier, shift = tflite.multiplier(real)
    value = int(value) * multiplier << max(shift, 0)
    nudge = 1 << 30 if value >= 0 else 1 - (1 << 30)
    quotient = abs(value + nudge) >> 31
    return divide(quotient if value + nudge >= 0 else -quotient, max(-shift, 0))


def scaled_by_16_bits(value, real):
    multiplier, shift = tflite.multiplier(real)
    reduced = (multiplier + (1 << 15)) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF
    return (int(value) * reduced + (1 << (14 - shift))) >> (15 - shift)


def exp_of_negative(x, integer_bits):
    fraction = 15 - integer_bits
    if x == 0:
        return 32767
    if integer_bits > 5 and x < -(1 << (fraction + 5)):
        return 0
    quarter = 1 << (fraction - 2)
    last = (x & (quarter - 1)) - quarter
    y = limit16(last << integer_bits) + (1 << 12)
    y2 = product(y, y)
    higher = divide(product(divide(product(y2, y2), 2) + product(y2, y), 10923) + y2, 1)
    result = limit16(28918 + product(28918, y + higher))
    for k, factor in zip(range(-2, 5), EXP_OF_MINUS_POWER):
        if k < integer_bits and (last - x) & (1 << (fraction + k)):
            result = product(result, factor)
    return result


def reciprocal(x):
    half = (x + 32768) // 2
    y = 23130 + product(half, -15420)
    for _ in range(3):
        y += limit16(product(y, (1 << 13) - product(half, y)) << 2)
    return y


def sigmoid(x):
    if x == 0:
        return 1 << 14
    above = limit16(reciprocal(exp_of_negative(-abs(x), 3)) << 1)
    return above if x > 0 else 32767 - above


def tanh(x, integer_bits):
    if x == 0:
        return 0
    above = limit16((reciprocal(exp_of_negative(-abs(x), integer_bits + 1)) - (1 << 13)) << 2)
    return above if x > 0 else -above


def entry(i):
    s = 1 / (1 + np.exp(-i / 24))
    return 65535 if i == 255 else int(np.floor(65536 * (s + s * (1 - s) * (2 * s - 1) / 576 / 16) + 0.5))


TABLE = [entry(i) for i in range(256)]


def between(x, bits, largest):
    place, rest = abs(x) >> bits, abs(x) & ((1 << bits) - 1)
    return largest << bits if place >= 255 else (TABLE[place] << bits) + rest * (TABLE[place + 1] - TABLE[place])


def sigmoid_interpolated(x):
    above = between(x, 9, 0xFFFE)
    return (above + (1 << 9) if x >= 0 else (1 << 25) - above + (1 << 9) - 1) >> 10


def tanh_interpolated(x):
    above = between(x, 8, 0xFFFF)
    return (above - (1 << 23) + (1 << 7) if x >= 0 else -above + (1 << 23) + (1 << 7) - 1) >> 8


class LSTM:
    """gates: (weights, scale, recurrent, scale, bias) of input, forget, modulation, output."""

    def __init__(self, bits, gates, source, output, cell_bits, clip):
        self.bits, self.gates, self.source, self.output, self.cell_bits = bits, gates, source, output, cell_bits
        self.clip = int(min(32767, clip * 2**cell_bits))
        units = gates[0][2].shape[0]
        self.hidden, self.cell = np.full(units, output[1], np.int64), np.zeros(units, np.int64)

    def curves(self, sums, new_cell):
        if self.bits == 8:
            i, f, o = ([sigmoid(int(v)) for v in sums[k]] for k in (0, 1, 3))
            return i, f, [tanh(int(v), 3) for v in sums[2]], o
        i, f, o = ([sigmoid_interpolated(3 * int(v)) for v in sums[k]] for k in (0, 1, 3))
        return i, f, [tanh_interpolated(3 * int(v)) for v in sums[2]], o

    def tanh_of_cell(self, cell):
        if self.bits == 8:
            return tanh(cell, 15 - self.cell_bits)
        shift = 12 - self.cell_bits
        return tanh_interpolated(3 * cell << shift if shift >= 0 else (3 * cell + (1 << (-shift - 1))) >> -shift)

    def step(self, x):
        """Returns the gates' sums (Q3.12), their curves (Q0.15), the cell and the hidden state."""
        sums = []
        for w, w_scale, r, r_scale, bias in self.gates:
            from_input = w.astype(np.int64) @ (np.asarray(x, np.int64) - self.source[1]) + bias
            from_hidden = r.astype(np.int64) @ (self.hidden - self.output[1])
            factors = [float(np.float32(self.source[0]) * np.float32(w_scale)) * 4096, float(np.float32(self.output[0]) * np.float32(r_scale)) * 4096]
            if self.bits == 8:
                sums.append([limit16(limit16(scaled(a, factors[0])) + scaled(b, factors[1])) for a, b in zip(from_input, from_hidden)])
            else:
                sums.append([limit16(limit16(scaled_by_16_bits(a, factors[0])) + limit16(scaled_by_16_bits(b, factors[1]))) for a, b in zip(from_input, from_hidden)])
        i, f, z, o = self.curves(sums, self.cell)
        cell = []
        for u in range(len(i)):
            if self.bits == 8:
                value = divide(f[u] * int(self.cell[u]), 15) + divide(i[u] * z[u], 30 - self.cell_bits)
            else:
                value = limit16(scaled(f[u] * int(self.cell[u]), 2.0**-15)) + limit16(scaled(i[u] * z[u], 2.0 ** (self.cell_bits - 30)))
            value = limit16(value)
            cell.append(max(-self.clip, min(self.clip, value)) if self.clip else value)
        scale = np.float32(self.output[0])
        factor = float(np.float32(2.0**-30) / scale) if self.bits == 8 else 2.0**-30 / float(scale)
        low, high = (-128, 127) if self.bits == 8 else (-32768, 32767)
        hidden = [max(low, min(high, scaled(o[u] * self.tanh_of_cell(cell[u]), factor) + self.output[1])) for u in range(len(i))]
        self.cell, self.hidden = np.array(cell), np.array(hidden)
        return sums, (i, f, z, o), cell, hidden
