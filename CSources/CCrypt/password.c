#define _GNU_SOURCE
#include "ccrypt.h"
#include <crypt.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(GW_PASSWORD_SIZE >= CRYPT_OUTPUT_SIZE, "room for a hash");

// 32 KB of results and more of working memory: not on a small stack.
static bool hash_with(const char *password, const char *setting, char *out) {
    struct crypt_data *data = calloc(1, sizeof *data);
    if (!data) { return false; }
    const char *hash = crypt_rn(password, setting, data, sizeof *data);
    bool good = hash && hash[0] != '*';
    if (good) { strcpy(out, hash); }
    explicit_bzero(data, sizeof *data);
    free(data);
    return good;
}

bool gw_password_hash(const char *password, char *out) {
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    if (!crypt_gensalt_rn("$y$", 0, NULL, 0, setting, sizeof setting)) { return false; }
    return hash_with(password, setting, out);
}

bool gw_password_matches(const char *password, const char *hash) {
    char made[GW_PASSWORD_SIZE];
    if (!hash_with(password, hash, made)) { return false; }
    size_t length = strlen(hash);
    if (strlen(made) != length) { return false; }
    unsigned char difference = 0;
    for (size_t i = 0; i < length; i++) { difference |= (unsigned char)(made[i] ^ hash[i]); }
    return difference == 0;
}
