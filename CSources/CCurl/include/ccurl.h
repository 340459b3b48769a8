// libcurl for Swift: its options are variadic, which Swift cannot call.
#ifndef GW_CCURL_H
#define GW_CCURL_H

#include <stdbool.h>
#include <stdint.h>

/// What a download came to.
typedef enum gw_download_status {
    GW_DOWNLOAD_OK = 0,
    GW_DOWNLOAD_FAILED = 1,    ///< libcurl's reason is in `message`
    GW_DOWNLOAD_TOO_LARGE = 2, ///< the limit was reached; nothing more was taken
    GW_DOWNLOAD_REFUSED = 3,   ///< the caller's sink said no
    GW_DOWNLOAD_CANCELLED = 4,
} gw_download_status;

typedef struct gw_download {
    const char *url;           ///< http or https; up to five redirects are followed, to https only
    int64_t limit;             ///< bytes
    int32_t connect_ms;        ///< longest wait for a connection
    int32_t total_ms;          ///< longest duration, 0 for any
    int32_t stall_seconds;     ///< longest time below 64 bytes/s
    /// Is given every piece; false ends the download.
    bool (*sink)(void *context, const uint8_t *bytes, int64_t count);
    /// Is asked again and again; true ends it.
    bool (*cancelled)(void *context);
    void *context;
    long http_status;          ///< out: of the last answer, 0 when there was none
    char message[256];         ///< out
} gw_download;

/// GETs a URL. Certificates are checked. No signal is used; may be called from any thread.
gw_download_status gw_download_run(gw_download *download);

#endif
