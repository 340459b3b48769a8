// One transfer as libcurl does it.
#ifndef GW_CURL_TRANSFER_H
#define GW_CURL_TRANSFER_H

#include "ccurl.h"
#include "library.h"

/// A transfer under way.
typedef struct gw_running {
    const gw_curl *library;
    gw_transfer *transfer;
    CURL *curl;
    struct curl_slist *headers;
    int64_t taken, given; ///< bytes of the answer's body and of the request's
    int64_t headed;       ///< bytes of the answers' headers
    gw_transfer_status refused;
    char reason[CURL_ERROR_SIZE];
    struct gw_running *next;
} gw_running;

/// Sets the options of `running->curl`; false when there is no memory.
bool gw_running_describe(gw_running *running);

/// Writes what came of it into its transfer, and frees its headers.
void gw_running_finish(gw_running *running, CURLcode code);

#endif
