// What a program that waits for minutes may give back in the meantime.
#ifndef GW_CMEMORY_H
#define GW_CMEMORY_H

/// Gives back the pages of code, this program's and its libraries', and what the heap has free. The kernel keeps the code's files in its
/// cache as long as it has room, so that what is needed again comes back by minor faults; under pressure it need not look for them.
///
/// Only code that is as in its file is touched, under the loader's lock: another thread may be loading a library. Takes under a millisecond.
void gw_memory_give_back(void);

#endif
