#include "cnumbertext.h"
#include <charconv>
#include <cmath>
#include <cstring>

namespace {

char *put(char *text, const char *word) {
    const size_t length = std::strlen(word);
    std::memcpy(text, word, length);
    return text + length;
}

// Digits d.ddd of to_chars without the point.
struct Digits {
    char text[20];
    int count;
    int exponent; // of ten, of the first digit
};

Digits shortest(double magnitude) {
    char written[32];
    const char *end = std::to_chars(written, written + sizeof written, magnitude, std::chars_format::scientific).ptr;
    Digits digits = {{written[0]}, 1, 0};
    const char *at = written + 1;
    if (*at == '.') {
        for (at++; *at != 'e'; at++) { digits.text[digits.count++] = *at; }
    }
    const bool negative = at[1] == '-';
    for (at += 2; at < end; at++) { digits.exponent = digits.exponent * 10 + (*at - '0'); }
    if (negative) { digits.exponent = -digits.exponent; }
    return digits;
}

char *scientific(char *text, const Digits &digits) {
    *text++ = digits.text[0];
    if (digits.count > 1) {
        *text++ = '.';
        std::memcpy(text, digits.text + 1, digits.count - 1);
        text += digits.count - 1;
    }
    const int power = digits.exponent < 0 ? -digits.exponent : digits.exponent;
    text = put(text, digits.exponent < 0 ? "e-" : "e+");
    if (power < 10) { *text++ = '0'; }
    return std::to_chars(text, text + 4, power).ptr;
}

} // namespace

int32_t gw_double_text(double value, char *text) {
    char *at = text;
    if (std::isnan(value)) { return (int32_t)(put(at, "nan") - text); }
    if (std::signbit(value)) { *at++ = '-'; }
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) {
        at = put(at, "inf");
    } else if (magnitude <= 9007199254740992.0 && magnitude == (double)(int64_t)magnitude) {
        at = put(std::to_chars(at, at + 20, (int64_t)magnitude).ptr, ".0");
    } else if (magnitude >= 1e-4 && magnitude < 9007199254740992.0) {
        at = std::to_chars(at, at + 30, magnitude, std::chars_format::fixed).ptr;
    } else {
        at = scientific(at, shortest(magnitude));
    }
    return (int32_t)(at - text);
}

int32_t gw_q12_text(int16_t units, char *text) {
    char *at = text;
    const uint32_t magnitude = (uint32_t)(units < 0 ? -(int32_t)units : units);
    if (units < 0) { *at++ = '-'; }
    *at++ = (char)('0' + (magnitude >> 12));
    *at++ = '.';
    uint32_t rest = magnitude & 4095;
    do { // twelve decimals at the most, all exact; below 1/4096 there is nothing, so no exponent is needed
        rest *= 10;
        *at++ = (char)('0' + (rest >> 12));
        rest &= 4095;
    } while (rest);
    return (int32_t)(at - text);
}
