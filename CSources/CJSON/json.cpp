#include "cjson.h"
#include <exception>
#include <simdjson.h>
#include <vector>

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

class Visit {
    gw_json_visit *visit;
    void *context;
    std::vector<double> numbers;

    bool gathers(simdjson::dom::array list) {
        numbers.clear();
        for (element item : list) {
            if (!item.is_number()) { return false; }
            numbers.push_back(item.get_double());
        }
        return !numbers.empty();
    }

    void tell(gw_json_value &value, gw_json_kind kind) {
        value.kind = kind;
        visit(context, &value);
    }

    void end() {
        gw_json_value value = {};
        tell(value, GW_JSON_END);
    }

  public:
    Visit(gw_json_visit *visit, void *context) : visit(visit), context(context) {}

    // `value` has the name.
    void all(element found, gw_json_value value) {
        switch (found.type()) {
        case element_type::NULL_VALUE: tell(value, GW_JSON_NULL); break;
        case element_type::BOOL:
            value.integer = bool(found.get_bool()) ? 1 : 0;
            tell(value, GW_JSON_BOOLEAN);
            break;
        case element_type::INT64:
            value.integer = found.get_int64();
            tell(value, GW_JSON_INTEGER);
            break;
        case element_type::UINT64:
        case element_type::DOUBLE:
            value.number = found.get_double();
            tell(value, GW_JSON_NUMBER);
            break;
        case element_type::STRING: {
            std::string_view text = found.get_string();
            value.text = text.data();
            value.length = text.size();
            tell(value, GW_JSON_TEXT);
            break;
        }
        case element_type::ARRAY: {
            simdjson::dom::array list = found.get_array();
            if (gathers(list)) {
                value.numbers = numbers.data();
                value.length = numbers.size();
                tell(value, GW_JSON_NUMBERS);
                break;
            }
            tell(value, GW_JSON_LIST);
            for (element item : list) { all(item, {}); }
            end();
            break;
        }
        case element_type::OBJECT:
            tell(value, GW_JSON_OBJECT);
            for (auto [name, item] : simdjson::dom::object(found.get_object())) {
                gw_json_value member = {};
                member.name = name.data();
                member.name_length = name.size();
                all(item, member);
            }
            end();
            break;
        }
    }
};

} // namespace

extern "C" bool gw_json_read(const char *text, size_t length, gw_json_visit *visit, void *context) {
    try {
        // Its tables are kept: documents of one program are of much the same size.
        static thread_local simdjson::dom::parser parser;
        element document;
        if (parser.parse(text, length).get(document)) { return false; }
        Visit(visit, context).all(document, {});
        return true;
    } catch (const std::exception &) { // no memory
        return false;
    }
}
