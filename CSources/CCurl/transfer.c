#include "ccurl.h"
#include "library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gw_http {
    const gw_curl *library;
    CURL *curl;
};

enum { EXPLANATION_MAX = 64 << 10 }; // of an answer that is an error

typedef struct progress {
    gw_transfer *transfer;
    const gw_http *http;
    int64_t taken, given;
    gw_transfer_status refused;
} progress;

gw_http *gw_http_open(void) {
    const gw_curl *library = gw_curl_library();
    gw_http *http = library ? malloc(sizeof *http) : NULL;
    if (!http) { return NULL; }
    *http = (gw_http){library, library->easy_init()};
    if (!http->curl) {
        free(http);
        return NULL;
    }
    return http;
}

void gw_http_close(gw_http *http) {
    http->library->easy_cleanup(http->curl);
    free(http);
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    progress *p = context;
    int64_t more = (int64_t)(size * count), limit = p->transfer->limit;
    long status = 0;
    p->http->library->easy_getinfo(p->http->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 300 && limit < EXPLANATION_MAX) { limit = EXPLANATION_MAX; }
    if (more > limit - p->taken) {
        p->refused = GW_TRANSFER_TOO_LARGE;
        return 0;
    }
    if (!p->transfer->sink(p->transfer->context, (const uint8_t *)bytes, more)) {
        p->refused = GW_TRANSFER_REFUSED;
        return 0;
    }
    p->taken += more;
    return size * count;
}

static size_t head(char *bytes, size_t size, size_t count, void *context) {
    progress *p = context;
    p->transfer->header(p->transfer->context, bytes, (int64_t)(size * count));
    return size * count;
}

static size_t give(char *bytes, size_t size, size_t count, void *context) {
    progress *p = context;
    int64_t left = p->transfer->body_count - p->given, room = (int64_t)(size * count);
    size_t wanted = (size_t)(left < room ? left : room);
    if (wanted == 0) { return 0; }
    if (p->transfer->file < 0) {
        memcpy(bytes, p->transfer->body + p->given, wanted);
    } else {
        ssize_t got = pread(p->transfer->file, bytes, wanted, (off_t)p->given);
        if (got <= 0) {
            p->refused = GW_TRANSFER_UNREADABLE;
            return CURL_READFUNC_ABORT;
        }
        wanted = (size_t)got;
    }
    p->given += (int64_t)wanted;
    return wanted;
}

// A connection that was kept may turn out closed: the body then begins anew on another.
static int rewind_body(void *context, curl_off_t offset, int origin) {
    progress *p = context;
    if (origin != SEEK_SET) { return CURL_SEEKFUNC_CANTSEEK; }
    p->given = offset;
    return CURL_SEEKFUNC_OK;
}

static int ask(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    progress *p = context;
    return p->transfer->cancelled(p->transfer->context);
}

static struct curl_slist *header_list(const gw_curl *library, const gw_transfer *transfer) {
    // Without "Expect:" libcurl waits for a word of the server before each larger body.
    struct curl_slist *list = library->slist_append(NULL, "Expect:");
    for (int32_t i = 0; list && i < transfer->header_count; i++) {
        struct curl_slist *longer = library->slist_append(list, transfer->headers[i]);
        if (!longer) { library->slist_free_all(list); }
        list = longer;
    }
    return list;
}

static void describe(progress *p, struct curl_slist *headers, char *reason) {
    const gw_transfer *t = p->transfer;
    CURL *curl = p->http->curl;
    __typeof__(curl_easy_setopt) *set = p->http->library->easy_setopt;
    set(curl, CURLOPT_URL, t->url);
    set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    set(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    set(curl, CURLOPT_FOLLOWLOCATION, t->follows ? 1L : 0L);
    set(curl, CURLOPT_MAXREDIRS, 5L);
    set(curl, CURLOPT_PATH_AS_IS, 1L);
    set(curl, CURLOPT_HTTPHEADER, headers);
    set(curl, CURLOPT_NOSIGNAL, 1L);
    set(curl, CURLOPT_ERRORBUFFER, reason);
    set(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)t->connect_ms);
    set(curl, CURLOPT_LOW_SPEED_LIMIT, 64L);
    set(curl, CURLOPT_LOW_SPEED_TIME, (long)t->stall_seconds);
    set(curl, CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)t->send_rate);
    set(curl, CURLOPT_WRITEFUNCTION, take);
    set(curl, CURLOPT_WRITEDATA, p);
    set(curl, CURLOPT_HEADERFUNCTION, head);
    set(curl, CURLOPT_HEADERDATA, p);
    set(curl, CURLOPT_XFERINFOFUNCTION, ask);
    set(curl, CURLOPT_XFERINFODATA, p);
    set(curl, CURLOPT_NOPROGRESS, 0L);
    if (t->sends) {
        set(curl, CURLOPT_UPLOAD, 1L);
        set(curl, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
        set(curl, CURLOPT_READFUNCTION, give);
        set(curl, CURLOPT_READDATA, p);
        set(curl, CURLOPT_SEEKFUNCTION, rewind_body);
        set(curl, CURLOPT_SEEKDATA, p);
        set(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)t->body_count);
    } else if (strcmp(t->method, "HEAD") == 0) {
        set(curl, CURLOPT_NOBODY, 1L);
    }
    set(curl, CURLOPT_CUSTOMREQUEST, t->method);
}

gw_transfer_status gw_http_transfer(gw_http *http, gw_transfer *transfer) {
    const gw_curl *library = http->library;
    progress p = {transfer, http, 0, 0, GW_TRANSFER_OK};
    char reason[CURL_ERROR_SIZE] = "";
    transfer->http_status = 0;
    transfer->message[0] = 0;
    struct curl_slist *headers = header_list(library, transfer);
    if (!headers) {
        snprintf(transfer->message, sizeof transfer->message, "out of memory");
        return GW_TRANSFER_FAILED;
    }
    library->easy_reset(http->curl); // options only: connections stay
    describe(&p, headers, reason);
    CURLcode code = library->easy_perform(http->curl);
    library->easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &transfer->http_status);
    library->slist_free_all(headers);
    if (code == CURLE_OK) { return GW_TRANSFER_OK; }
    if (p.refused != GW_TRANSFER_OK) { return p.refused; }
    if (code == CURLE_ABORTED_BY_CALLBACK) { return GW_TRANSFER_CANCELLED; }
    if (transfer->http_status >= 300 && transfer->http_status < 400 &&
        (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_TOO_MANY_REDIRECTS)) {
        return GW_TRANSFER_ELSEWHERE;
    }
    snprintf(transfer->message, sizeof transfer->message, "%s", reason[0] ? reason : library->easy_strerror(code));
    return GW_TRANSFER_FAILED;
}

int64_t gw_http_date(const char *text) {
    const gw_curl *library = gw_curl_library();
    return library ? (int64_t)library->getdate(text, NULL) : -1;
}
