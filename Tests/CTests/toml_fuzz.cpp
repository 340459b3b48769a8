// Broken TOML must be refused, never crash: mutations of a document, under the sanitizers. toml_fuzz ROUNDS
#include "ctoml.h"
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

static void ignore(void *, const gw_toml_value *) {}

int main(int count, char **words) {
    const std::string seed = "source = \"iio\"\nagreement = 3\n[a.b]\nc = [1, 2, {d = 1e3}]\n[[x]]\nt = 1979-05-27T07:32:00Z\n"
                             "s = '''a'''\nm = \"\"\"b\\u00e9\"\"\"\n# \xc3\xb6\n";
    const std::string letters = "[]{}=\"'\n\r\t.,#\\_-+:0eTZxu\xc2\xa1\xe2\x80\xa8";
    std::mt19937 random(3); // the same everywhere
    auto below = [&](size_t bound) { return static_cast<size_t>(random()) % bound; };
    long refused = 0;
    const long rounds = count > 1 ? std::atol(words[1]) : 1000;
    for (long round = 0; round < rounds; round++) {
        std::string text = seed;
        for (size_t change = 1 + below(6); change > 0 && !text.empty(); change--) {
            size_t at = below(text.size());
            if (below(2) == 0) {
                text[at] = below(3) > 0 ? letters[below(letters.size())] : static_cast<char>(below(256));
            } else {
                text.erase(at, below(4));
            }
        }
        text.resize(below(text.size() + 1));
        char message[256];
        refused += gw_toml_read(text.data(), text.size(), ignore, nullptr, message, sizeof message) != 0 ? 1 : 0;
    }
    std::printf("CTOML: %ld of %ld broken documents refused\n", refused, rounds);
    return refused > rounds / 2 && refused < rounds ? 0 : 1;
}
