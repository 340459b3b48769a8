#include "transfer.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    EXPLANATION_MAX = 64 << 10, // of an answer that is an error
    HEADERS_MAX = 64 << 10,     // of all answers to one request
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    gw_running *r = context;
    int64_t more = (int64_t)(size * count), limit = r->transfer->limit;
    long status = 0;
    r->library->easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 300 && limit < EXPLANATION_MAX) { limit = EXPLANATION_MAX; }
    if (more > limit - r->taken) {
        r->refused = GW_TRANSFER_TOO_LARGE;
        return 0;
    }
    if (!r->transfer->sink(r->transfer->context, (const uint8_t *)bytes, more)) {
        r->refused = GW_TRANSFER_REFUSED;
        return 0;
    }
    r->taken += more;
    return size * count;
}

static size_t head(char *bytes, size_t size, size_t count, void *context) {
    gw_running *r = context;
    r->headed += (int64_t)(size * count);
    if (r->headed > HEADERS_MAX) {
        r->refused = GW_TRANSFER_HEADERS;
        return 0;
    }
    r->transfer->header(r->transfer->context, bytes, (int64_t)(size * count));
    return size * count;
}

static size_t give(char *bytes, size_t size, size_t count, void *context) {
    gw_running *r = context;
    int64_t left = r->transfer->body_count - r->given, room = (int64_t)(size * count);
    size_t wanted = (size_t)(left < room ? left : room);
    if (wanted == 0) { return 0; }
    if (r->transfer->file < 0) {
        memcpy(bytes, r->transfer->body + r->given, wanted);
    } else {
        ssize_t got = pread(r->transfer->file, bytes, wanted, (off_t)r->given);
        if (got <= 0) {
            r->refused = GW_TRANSFER_UNREADABLE;
            return CURL_READFUNC_ABORT;
        }
        wanted = (size_t)got;
    }
    r->given += (int64_t)wanted;
    return wanted;
}

// A connection that was kept may turn out closed: the body then begins anew on another.
static int rewind_body(void *context, curl_off_t offset, int origin) {
    gw_running *r = context;
    if (origin != SEEK_SET) { return CURL_SEEKFUNC_CANTSEEK; }
    r->given = offset;
    return CURL_SEEKFUNC_OK;
}

static struct curl_slist *header_list(const gw_curl *library, const gw_transfer *transfer) {
    // Without "Expect:" libcurl waits for a word of the server before each larger body.
    struct curl_slist *list = library->slist_append(NULL, "Expect:");
    const char *line = transfer->headers;
    for (int32_t i = 0; list && i < transfer->header_count; i++) {
        struct curl_slist *longer = library->slist_append(list, line);
        if (!longer) { library->slist_free_all(list); }
        list = longer;
        line += strlen(line) + 1;
    }
    return list;
}

bool gw_running_describe(gw_running *running) {
    const gw_transfer *t = running->transfer;
    CURL *curl = running->curl;
    __typeof__(curl_easy_setopt) *set = running->library->easy_setopt;
    running->headers = header_list(running->library, t);
    if (!running->headers) { return false; }
    set(curl, CURLOPT_PRIVATE, running);
    set(curl, CURLOPT_URL, t->url);
    set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    set(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    set(curl, CURLOPT_FOLLOWLOCATION, t->follows ? 1L : 0L);
    set(curl, CURLOPT_MAXREDIRS, 5L);
    set(curl, CURLOPT_PATH_AS_IS, 1L);
    set(curl, CURLOPT_HTTPHEADER, running->headers);
    set(curl, CURLOPT_NOSIGNAL, 1L);
    set(curl, CURLOPT_QUICK_EXIT, 1L); // a name that is looked up for long must not hold up the other transfers
    set(curl, CURLOPT_ERRORBUFFER, running->reason);
    set(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)t->connect_ms);
    set(curl, CURLOPT_LOW_SPEED_LIMIT, 64L);
    set(curl, CURLOPT_LOW_SPEED_TIME, (long)t->stall_seconds);
    set(curl, CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)t->send_rate);
    set(curl, CURLOPT_WRITEFUNCTION, take);
    set(curl, CURLOPT_WRITEDATA, running);
    set(curl, CURLOPT_HEADERFUNCTION, head);
    set(curl, CURLOPT_HEADERDATA, running);
    if (t->sends) {
        set(curl, CURLOPT_UPLOAD, 1L);
        set(curl, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
        set(curl, CURLOPT_READFUNCTION, give);
        set(curl, CURLOPT_READDATA, running);
        set(curl, CURLOPT_SEEKFUNCTION, rewind_body);
        set(curl, CURLOPT_SEEKDATA, running);
        set(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)t->body_count);
    } else if (strcmp(t->method, "HEAD") == 0) {
        set(curl, CURLOPT_NOBODY, 1L);
    }
    set(curl, CURLOPT_CUSTOMREQUEST, t->method);
    return true;
}

static gw_transfer_status status_of(const gw_running *r, CURLcode code) {
    if (code == CURLE_OK) { return GW_TRANSFER_OK; }
    if (r->refused != GW_TRANSFER_OK) { return r->refused; }
    if (code == CURLE_ABORTED_BY_CALLBACK) { return GW_TRANSFER_CANCELLED; }
    const bool is_redirect = r->transfer->http_status >= 300 && r->transfer->http_status < 400;
    if (is_redirect && (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_TOO_MANY_REDIRECTS)) { return GW_TRANSFER_ELSEWHERE; }
    return GW_TRANSFER_FAILED;
}

void gw_running_finish(gw_running *running, CURLcode code) {
    gw_transfer *t = running->transfer;
    running->library->easy_getinfo(running->curl, CURLINFO_RESPONSE_CODE, &t->http_status);
    running->library->slist_free_all(running->headers);
    t->received = running->taken + running->headed;
    t->status = status_of(running, code);
    if (t->status != GW_TRANSFER_FAILED) { return; }
    const char *reason = running->reason[0] ? running->reason : running->library->easy_strerror(code);
    snprintf(t->message, sizeof t->message, "%s", reason);
}

int64_t gw_http_date(const char *text) {
    const gw_curl *library = gw_curl_library();
    return library ? (int64_t)library->getdate(text, NULL) : -1;
}
