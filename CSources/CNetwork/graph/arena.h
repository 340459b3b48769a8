// Hands out the caller's memory piece by piece; with no memory it only counts. Private to CNetwork.
#ifndef GW_ARENA_H
#define GW_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { GW_ALIGNMENT = 64 };

typedef struct gw_arena {
    uint8_t *memory;
    size_t used;
} gw_arena;

static inline size_t gw_aligned(size_t bytes) { return (bytes + GW_ALIGNMENT - 1) / GW_ALIGNMENT * GW_ALIGNMENT; }

static inline void *gw_take(gw_arena *arena, size_t bytes) {
    void *piece = arena->memory ? arena->memory + arena->used : 0;
    arena->used += gw_aligned(bytes);
    return piece;
}

#endif
