// Passwords through libxcrypt, which Debian's own logins use: yescrypt.
#ifndef GW_CCRYPT_H
#define GW_CCRYPT_H

#include <stdbool.h>

enum { GW_PASSWORD_SIZE = 384 };

/// The hash of a password with a fresh salt, as text that names its parameters. `out` has GW_PASSWORD_SIZE bytes. False when the system
/// cannot make one.
bool gw_password_hash(const char *password, char *out);

/// Whether a password has this hash; compared in constant time.
bool gw_password_matches(const char *password, const char *hash);

#endif
