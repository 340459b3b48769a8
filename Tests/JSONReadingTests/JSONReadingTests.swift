import Support
import Testing

@testable import JSONReading

@Suite struct JSONReadingTests {
    /// Foundation reads the same.
    @Test(arguments: [
        "null", "true", "0", "-7", "9007199254740993", "1.5", "-2e-3", "\"a\"", "\"\\u00e9\\ud83d\\ude00\\n\\\"\"", "[]", "{}", "[[],{}]",
        "[1,2.5,-3]", "[1,\"a\",null]",
        "{\"a\":{\"b\":[{\"c\":1},{\"c\":[true,false]}],\"d\":null},\"e\":\"\"}",
        " { \"metadata\" : { \"network_type\" : \"wifi\" , \"battery_level\" : 73 } } ",
    ])
    func asFoundation(_ text: String) {
        let read: JSONValue? = JSONValue(reading: Array(text.utf8))
        #expect(read != nil && read == JSONValue(parsing: Array(text.utf8)))
    }

    @Test(arguments: ["", " ", "{", "[1,", "{\"a\"}", "{'a':1}", "nul", "1e999", "\"\u{1}\"", "[1] 2", "{\"a\":1,}"])
    func whatIsNone(_ text: String) { #expect(JSONValue(reading: Array(text.utf8)) == nil) }

    @Test func bytesThatAreNoText() { #expect(JSONValue(reading: [0x22, 0xff, 0x22]) == nil) }

    @Test func levels() {
        func nested(_ depth: Int) -> [UInt8] { Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8) }
        #expect(JSONValue(reading: nested(500))?.bytes == nested(500))
        #expect(JSONValue(reading: nested(501)) == nil && JSONValue(reading: nested(5000)) == nil)
    }

    @Test func membersThatAreWanted() throws {
        let text = #"{"x":{"a":[1,{"a":2}],"b":[[],[]]},"a":{"x":1},"y":[1,2],"z":"a","b":[{"x":{}}]}"#
        #expect(JSONValue(reading: Array(text.utf8), only: ["a", "b"]) == ["a": ["x": .integer(1)], "b": .array([["x": [:]]])])
        #expect(JSONValue(reading: Array(text.utf8), only: []) == [:])
        // It is about members: what is no object is told as it is.
        #expect(JSONValue(reading: Array("7".utf8), only: ["a"]) == .integer(7))
        #expect(JSONValue(reading: Array(#"{"a":1,"x":{"#.utf8), only: ["a"]) == nil)
        // Levels count also where nobody looks.
        func deep(_ levels: Int) -> [UInt8] {
            Array((#"{"a":1,"x":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}").utf8)
        }
        #expect(JSONValue(reading: deep(499), only: ["a"]) == ["a": .integer(1)])
        #expect(JSONValue(reading: deep(500), only: ["a"]) == nil)
    }
}
