#include "library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static gw_curl library;
static bool is_loaded;

static void load(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle) { return; }
    const struct {
        const char *name;
        void **place;
    } functions[] = {
        {"curl_global_init", (void **)&library.global_init},
        {"curl_easy_init", (void **)&library.easy_init},
        {"curl_easy_reset", (void **)&library.easy_reset},
        {"curl_easy_setopt", (void **)&library.easy_setopt},
        {"curl_easy_getinfo", (void **)&library.easy_getinfo},
        {"curl_easy_strerror", (void **)&library.easy_strerror},
        {"curl_easy_cleanup", (void **)&library.easy_cleanup},
        {"curl_slist_append", (void **)&library.slist_append},
        {"curl_slist_free_all", (void **)&library.slist_free_all},
        {"curl_getdate", (void **)&library.getdate},
        {"curl_multi_init", (void **)&library.multi_init},
        {"curl_multi_add_handle", (void **)&library.multi_add_handle},
        {"curl_multi_remove_handle", (void **)&library.multi_remove_handle},
        {"curl_multi_perform", (void **)&library.multi_perform},
        {"curl_multi_poll", (void **)&library.multi_poll},
        {"curl_multi_wakeup", (void **)&library.multi_wakeup},
        {"curl_multi_info_read", (void **)&library.multi_info_read},
    };
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        *functions[i].place = dlsym(handle, functions[i].name);
        if (!*functions[i].place) { return; }
    }
    is_loaded = library.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const gw_curl *gw_curl_library(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
