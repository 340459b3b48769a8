#define _GNU_SOURCE
#include "cprocess.h"
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

// Pages that the loader wrote into could not be read again from their file.
static bool is_as_in_file(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) { continue; }
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL))) { return false; }
        }
    }
    return true;
}

// The loader's lock is held meanwhile: no other thread loads or unloads a library, so that these addresses stay code.
static int give_back(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    if (!is_as_in_file(object)) { return 0; }
    uintptr_t page = *(const uintptr_t *)context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || (part->p_flags & PF_W)) { continue; }
        uintptr_t begin = (object->dlpi_addr + part->p_vaddr + page - 1) / page * page,
                  end = (object->dlpi_addr + part->p_vaddr + part->p_memsz) / page * page;
        if (end > begin) { madvise((void *)begin, end - begin, MADV_DONTNEED); }
    }
    return 0;
}

void gw_memory_give_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(give_back, &page);
}
