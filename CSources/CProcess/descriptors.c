#define _GNU_SOURCE
#include "cprocess.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

int gw_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

bool gw_peer(int socket, int32_t *process, uint32_t *user) {
    struct ucred found;
    socklen_t size = sizeof found;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) { return false; }
    *process = found.pid;
    *user = found.uid;
    return true;
}

int gw_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }
