#include "transfer.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    KEPT = 8,        // handles that are used again: a handle keeps its TLS sessions
    STOPS_MAX = 64,  // descriptors that are watched beside the connections
    RETRY_MS = 1000, // between two looks at a stop that is not watched
};

struct gw_transfers {
    const gw_curl *library;
    CURLM *multi;
    gw_running *running;
    gw_transfer *unbegun; // could not begin: the next that ends
    CURL *kept[KEPT];
    int kept_count;
};

gw_transfers *gw_transfers_open(void) {
    const gw_curl *library = gw_curl_library();
    gw_transfers *transfers = library ? calloc(1, sizeof *transfers) : NULL;
    if (!transfers) { return NULL; }
    transfers->library = library;
    transfers->multi = library->multi_init();
    if (!transfers->multi) {
        free(transfers);
        return NULL;
    }
    return transfers;
}

static CURL *handle_take(gw_transfers *transfers) {
    return transfers->kept_count > 0 ? transfers->kept[--transfers->kept_count] : transfers->library->easy_init();
}

static void handle_give(gw_transfers *transfers, CURL *curl) {
    if (transfers->kept_count == KEPT) {
        transfers->library->easy_cleanup(curl);
        return;
    }
    transfers->library->easy_reset(curl); // options only: sessions stay
    transfers->kept[transfers->kept_count++] = curl;
}

void gw_transfers_begin(gw_transfers *transfers, gw_transfer *transfer) {
    transfer->status = GW_TRANSFER_FAILED;
    transfer->http_status = 0;
    snprintf(transfer->message, sizeof transfer->message, "out of memory");
    gw_running *running = calloc(1, sizeof *running);
    CURL *curl = running ? handle_take(transfers) : NULL;
    if (curl) {
        *running = (gw_running){.library = transfers->library, .transfer = transfer, .curl = curl, .next = transfers->running};
        if (gw_running_describe(running)) {
            if (transfers->library->multi_add_handle(transfers->multi, curl) == CURLM_OK) {
                transfers->running = running;
                return;
            }
            transfers->library->slist_free_all(running->headers);
        }
        handle_give(transfers, curl);
    }
    free(running);
    transfer->next = transfers->unbegun;
    transfers->unbegun = transfer;
}

static gw_transfer *finish(gw_transfers *transfers, gw_running *running, CURLcode code) {
    gw_transfer *transfer = running->transfer;
    gw_running **place = &transfers->running;
    while (*place != running) { place = &(*place)->next; }
    *place = running->next;
    transfers->library->multi_remove_handle(transfers->multi, running->curl); // reads the header fields until then
    gw_running_finish(running, code);
    handle_give(transfers, running->curl);
    free(running);
    return transfer;
}

// One that has ended by itself or was cancelled.
static gw_transfer *ended(gw_transfers *transfers) {
    if (transfers->unbegun) {
        gw_transfer *transfer = transfers->unbegun;
        transfers->unbegun = transfer->next;
        return transfer;
    }
    int left = 0;
    for (CURLMsg *message; (message = transfers->library->multi_info_read(transfers->multi, &left));) {
        if (message->msg != CURLMSG_DONE) { continue; }
        const CURLcode code = message->data.result;
        char *private = NULL;
        transfers->library->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        return finish(transfers, (gw_running *)private, code);
    }
    for (gw_running *running = transfers->running; running; running = running->next) {
        if (running->transfer->cancelled(running->transfer->context)) { return finish(transfers, running, CURLE_ABORTED_BY_CALLBACK); }
    }
    return NULL;
}

gw_transfer *gw_transfers_step(gw_transfers *transfers) {
    int running = 0, count = 0, wait = INT_MAX;
    transfers->library->multi_perform(transfers->multi, &running);
    gw_transfer *transfer = ended(transfers);
    if (transfer) { return transfer; }
    struct curl_waitfd stops[STOPS_MAX];
    for (const gw_running *r = transfers->running; r; r = r->next) {
        if (r->transfer->stop == -1) { continue; }
        if (r->transfer->stop >= 0 && count < STOPS_MAX) {
            stops[count++] = (struct curl_waitfd){.fd = r->transfer->stop, .events = CURL_WAIT_POLLIN};
        } else {
            wait = RETRY_MS;
        }
    }
    transfers->library->multi_poll(transfers->multi, stops, (unsigned)count, wait, NULL);
    return NULL;
}

void gw_transfers_wake(gw_transfers *transfers) { transfers->library->multi_wakeup(transfers->multi); }
