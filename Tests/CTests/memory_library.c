// Many addresses that the loader writes: into one mapping with the code where the linker puts them so.
static int here;
#define FOUR(x) x, x, x, x
#define MANY FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(&here)))))))
int *const addresses[] = {MANY};
const int address_count = sizeof addresses / sizeof *addresses;
int *expected(void) { return &here; }
