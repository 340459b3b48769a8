#include "ccurl.h"
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>

static void init_once(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

typedef struct transfer {
    gw_download *download;
    int64_t taken;
    gw_download_status refused;
} transfer;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    transfer *t = context;
    int64_t more = (int64_t)(size * count);
    if (more > t->download->limit - t->taken) {
        t->refused = GW_DOWNLOAD_TOO_LARGE;
        return 0;
    }
    if (!t->download->sink(t->download->context, (const uint8_t *)bytes, more)) {
        t->refused = GW_DOWNLOAD_REFUSED;
        return 0;
    }
    t->taken += more;
    return size * count;
}

static int progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    transfer *t = context;
    return t->download->cancelled && t->download->cancelled(t->download->context);
}

gw_download_status gw_download_run(gw_download *download) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
    transfer t = {download, 0, GW_DOWNLOAD_OK};
    char reason[CURL_ERROR_SIZE] = "";
    download->http_status = 0;
    download->message[0] = 0;
    CURL *curl = curl_easy_init();
    if (!curl) {
        snprintf(download->message, sizeof download->message, "libcurl cannot be started");
        return GW_DOWNLOAD_FAILED;
    }
    curl_easy_setopt(curl, CURLOPT_URL, download->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)download->connect_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)download->total_ms);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 64L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)download->stall_seconds);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &t);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &download->http_status);
    curl_easy_cleanup(curl);
    if (code == CURLE_OK) { return GW_DOWNLOAD_OK; }
    if (t.refused != GW_DOWNLOAD_OK) { return t.refused; }
    if (code == CURLE_ABORTED_BY_CALLBACK) { return GW_DOWNLOAD_CANCELLED; }
    snprintf(download->message, sizeof download->message, "%s", reason[0] ? reason : curl_easy_strerror(code));
    return GW_DOWNLOAD_FAILED;
}
