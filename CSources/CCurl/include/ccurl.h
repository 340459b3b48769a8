// libcurl for Swift: its options are variadic, which Swift cannot call.
#ifndef GW_CCURL_H
#define GW_CCURL_H

#include <stdbool.h>
#include <stdint.h>

/// What a transfer came to. An answer of any HTTP status is GW_TRANSFER_OK.
typedef enum gw_transfer_status {
    GW_TRANSFER_OK = 0,
    GW_TRANSFER_FAILED = 1,    ///< libcurl's reason is in `message`
    GW_TRANSFER_TOO_LARGE = 2, ///< the answer reached the limit; nothing more was taken
    GW_TRANSFER_REFUSED = 3,   ///< the caller's sink said no
    GW_TRANSFER_CANCELLED = 4,
    GW_TRANSFER_ELSEWHERE = 6,  ///< redirected to where it does not follow
    GW_TRANSFER_UNREADABLE = 5, ///< the file that was sent is shorter than it was said to be
    GW_TRANSFER_HEADERS = 7,    ///< the answers' headers have more than 64 KB
} gw_transfer_status;

/// A request, and what came of it.
typedef struct gw_transfer {
    const char *method;
    const char *url;     ///< http or https
    const char *headers; ///< "name: value" each, with a zero byte after each
    int32_t header_count;
    bool follows; ///< up to five redirects, to https only; never with credentials in `headers`
    bool sends;   ///< whether there is a body: `body`, or `file` from its beginning
    const uint8_t *body;
    int file;              ///< -1 for none
    int64_t body_count;    ///< bytes
    int64_t send_rate;     ///< bytes/s, 0 for any
    int64_t limit;         ///< of the answer's body, bytes; what explains an error may have 64 KB
    int32_t connect_ms;    ///< longest wait for a connection
    int32_t stall_seconds; ///< longest time below 64 bytes/s
    int stop;              ///< a descriptor that is readable once the transfer is to be cancelled; -1 for none, -2 to ask each second
    /// Is given every piece of the answer's body; false ends the transfer.
    bool (*sink)(void *context, const uint8_t *bytes, int64_t count);
    /// Is given the answer's header lines; a status line begins a new answer.
    void (*header)(void *context, const char *bytes, int64_t count);
    /// Is asked whenever anything happens; true ends it.
    bool (*cancelled)(void *context);
    void *context;
    gw_transfer_status status; ///< out
    long http_status;          ///< out: of the last answer, 0 when there was none
    int64_t received;          ///< out: bytes of headers and body
    char message[256];         ///< out
    struct gw_transfer *next;  ///< the loop's own
} gw_transfer;

/// Every transfer of a program at once, with connections that are used again. For one thread, but for gw_transfers_wake.
typedef struct gw_transfers gw_transfers;

/// NULL when libcurl is not installed (it is loaded with the first call) or there is no memory.
gw_transfers *gw_transfers_open(void);

/// Begins a request. Certificates are checked, proxies come from the environment. No signal is used.
///
/// `transfer`, and all that it points at, stays as it is until gw_transfers_step has returned it. That is also how a request ends that
/// cannot begin.
void gw_transfers_begin(gw_transfers *transfers, gw_transfer *transfer);

/// Works until a transfer has ended, something happened that may cancel one, or gw_transfers_wake was called.
///
/// Returns a transfer that has ended, or NULL.
gw_transfer *gw_transfers_step(gw_transfers *transfers);

/// Ends the wait of gw_transfers_step, or its next one. For any thread.
void gw_transfers_wake(gw_transfers *transfers);

/// An HTTP date in seconds since 1970; -1 when it is none.
int64_t gw_http_date(const char *text);

#endif
