#include "ctoml.h"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
// toml++ 3.3 asserts what some broken documents make untrue ("[[["); here that is one more way to refuse them.
#undef NDEBUG
#define TOML_ASSERT(expression) ((expression) ? static_cast<void>(0) : throw std::logic_error("not TOML"))
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace {

void visit_table(const toml::table &table, const std::string &prefix, gw_toml_visit *visit, void *context) {
    for (auto &&[key, node] : table) {
        std::string name = prefix + std::string(key.str());
        if (const toml::table *inner = node.as_table()) {
            visit_table(*inner, name + ".", visit, context);
            continue;
        }
        std::string text = node.value<std::string>().value_or("");
        gw_toml_value value = {};
        value.key = name.c_str();
        value.line = static_cast<int32_t>(node.source().begin.line);
        value.type = GW_TOML_OTHER;
        if (node.is_string()) {
            value.type = GW_TOML_STRING;
            value.text = text.c_str();
        } else if (node.is_integer()) {
            value.type = GW_TOML_INTEGER;
            value.integer = node.as_integer()->get();
            value.number = static_cast<double>(value.integer);
        } else if (node.is_floating_point()) {
            value.type = GW_TOML_NUMBER;
            value.number = node.as_floating_point()->get();
        } else if (node.is_boolean()) {
            value.type = GW_TOML_BOOLEAN;
            value.integer = node.as_boolean()->get() ? 1 : 0;
        }
        visit(context, &value);
    }
}

} // namespace

extern "C" int32_t gw_toml_read(const char *text, size_t length, gw_toml_visit *visit, void *context, char *message, size_t message_size) {
    try {
        visit_table(toml::parse(std::string_view(text, length)), "", visit, context);
        return 0;
    } catch (const toml::parse_error &error) {
        std::string_view reason = error.description();
        std::snprintf(message, message_size, "%.*s", static_cast<int>(reason.size()), reason.data());
        auto line = static_cast<int32_t>(error.source().begin.line);
        return line > 0 ? line : 1;
    } catch (const std::exception &error) {
        std::snprintf(message, message_size, "%s", error.what());
        return 1;
    }
}
