// Hands out the caller's memory piece by piece; with no memory it only counts. Private to CNetwork.
#ifndef GW_ARENA_H
#define GW_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/// The same with what lies there already; nothing is read while it only counts.
static inline void *gw_take_copy(gw_arena *arena, const void *values, size_t bytes) {
    void *piece = gw_take(arena, bytes);
    if (arena->memory) { memcpy(piece, values, bytes); }
    return piece;
}

#endif
