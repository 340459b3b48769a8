#include "../layers/step.h"

#define OPERATOR(number, operator) [number] = &gw_operator_##operator,
static const gw_operator *const operators[] = {GW_OPERATIONS(OPERATOR)};

#define NAME(number, operator) [number] = #number,
static const char *const names[] = {GW_OPERATIONS(NAME)};

static bool is_known(gw_operation operation) { return (uint32_t)operation < sizeof operators / sizeof operators[0]; }

const gw_operator *gw_operator_of(gw_operation operation) { return is_known(operation) ? operators[operation] : 0; }

const char *gw_operation_name(gw_operation operation) { return is_known(operation) ? names[operation] : 0; }
