// CNetwork: random graphs of every operation. Every kernel of this CPU gives each tensor the reference's bits; the digest of all tensors is
// printed, so that processors and compilers can be compared.
#include "graphs.h"

enum { GRAPHS = 2000, INPUTS = 3 };

static uint64_t digest = UINT64_C(0xcbf29ce484222325); // FNV-1a

static void digest_of(const seen *s) {
    for (int32_t i = 0; i < s->count; i++) { digest = (digest ^ (uint16_t)s->values[i]) * UINT64_C(0x100000001b3); }
}

static void compare(const graph *g, const gw_kernel *kernel, int32_t number, const seen expected[], int16_t inputs[][MOST_ELEMENTS]) {
    static seen got;
    void *memory = 0;
    gw_network *network = placed(g, kernel, &memory);
    CHECK(network, "%s: graph %d is refused", gw_kernel_name(kernel), number);
    for (int32_t c = 0; network && c < INPUTS; c++) {
        got.count = 0;
        gw_network_observe(network, inputs[c], note, &got);
        const int32_t wrong = first_difference(g, &expected[c], &got);
        CHECK(wrong < 0, "%s: graph %d, input %d: tensor %d of operation %d differs", gw_kernel_name(kernel), number, c, wrong,
            wrong > 0 ? (int)g->layers[wrong - 1].operation : -1);
    }
    free(memory);
}

static void try_graph(int32_t number) {
    static graph g;
    static seen expected[INPUTS];
    static int16_t inputs[INPUTS][MOST_ELEMENTS];
    random_state = (uint64_t)number;
    make_graph(&g);
    void *memory = 0;
    gw_network *reference = placed(&g, gw_kernel_at(0), &memory);
    CHECK(reference, "graph %d is refused", number);
    if (!reference) {
        free(memory);
        return;
    }
    for (int32_t c = 0; c < INPUTS; c++) {
        const int32_t least = least_value(g.spec.input.type), most = most_value(g.spec.input.type);
        for (int32_t i = 0; i < elements(&g.spec.input); i++) {
            inputs[c][i] = (int16_t)(c == 0 ? (at_random(2) ? least : most) : random_between(least, most));
        }
        expected[c].count = 0;
        gw_network_observe(reference, inputs[c], note, &expected[c]);
        digest_of(&expected[c]);
    }
    free(memory);
    const gw_kernel *kernel;
    for (int32_t k = 1; (kernel = gw_kernel_at(k)); k++) {
        if (gw_kernel_available(kernel)) { compare(&g, kernel, number, expected, inputs); }
    }
}

int main(void) {
    const gw_kernel *kernel;
    for (int32_t k = 1; (kernel = gw_kernel_at(k)); k++) {
        printf(gw_kernel_available(kernel) ? "kernel %s\n" : "skipped: kernel %s, which this CPU does not have\n", gw_kernel_name(kernel));
    }
    for (int32_t number = 1; number <= GRAPHS; number++) { try_graph(number); }
    for (int32_t operation = 0; operation < OPERATIONS; operation++) {
        CHECK(counted[operation] >= 100, "operation %d: %d times", operation, counted[operation]);
    }
    printf("graphs %016llx\n", (unsigned long long)digest);
    return finish("graphs");
}
