// Memory is given back while another thread loads and unloads a library: what the loader writes must stay. memory_test LIBRARY
#include "cprocess.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { ROUNDS = 200 };

static atomic_bool ended;
static int good;

static void *load(void *path) {
    for (int round = 0; round < ROUNDS; round++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "memory: %s\n", dlerror());
            break;
        }
        int *const *addresses = dlsym(library, "addresses");
        const int *count = dlsym(library, "address_count");
        int *(*expected)(void) = (int *(*)(void))dlsym(library, "expected");
        int wrong = 0;
        for (int i = 0; i < *count; i++) { wrong += addresses[i] != expected(); }
        good += wrong == 0;
        dlclose(library);
    }
    ended = true;
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 2) { return 64; }
    pthread_t loader;
    pthread_create(&loader, NULL, load, arguments[1]);
    int given = 0;
    for (; !ended; given++) { gw_memory_give_back(); }
    pthread_join(loader, NULL);
    printf("memory: given back %d times while a library was loaded %d times, rightly %d times\n", given, ROUNDS, good);
    return good == ROUNDS && given > 0 ? 0 : 1;
}
