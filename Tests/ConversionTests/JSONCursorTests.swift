import Testing

@testable import Conversion

@Suite struct JSONCursorTests {
    @Test func numbersBecomeAListOfTheirType() throws {
        var cursor = JSONCursor(Array(" { \"a\" : [ 1 , -2,\n3 ] ,\"b\":[],\"c\":[1E-1,-2.5e+3] } ".utf8))
        var whole: [Int32] = [], empty: [Int32]?, parts: [Float] = []
        try cursor.members { name, value throws(JSONCursor.Mismatch) in
            switch name {
            case "a": whole = try value.numbers { Int32($0) }
            case "b": empty = try value.numbers { Int32($0) }
            default: parts = try value.numbers { Float($0) }
            }
        }
        try cursor.end()
        #expect(whole == [1, -2, 3] && empty == [] && parts == [0.1, -2500])
    }

    @Test func whatIsNotAskedForIsPassedOver() throws {
        let text = #"{"a":{"b":[[],{},[{"c":null}],true,false,-1.5E3,"]}\"\\"]},"d":"é\u0041\""}"#
        var cursor = JSONCursor(Array(text.utf8)), found: [String] = []
        try cursor.members { name, value throws(JSONCursor.Mismatch) in
            if name == "d" { found.append(try value.text()) } else { try value.skip() }
        }
        try cursor.end()
        #expect(found == [#"é\u0041\""#])
    }

    @Test(arguments: [
        "", "{", "[1,", "[1 2]", "{\"a\" 1}", "{\"a\":}", "{a:1}", "[1,]", "{\"a\":1,}", "tru", "\"\\\"", "\"a", "[1]x", "NaN", "]", "[1}",
    ]) func whatIsNoJSONIsRefused(_ text: String) {
        #expect(throws: JSONCursor.Mismatch.self) {
            var cursor = JSONCursor(Array(text.utf8))
            try cursor.skip()
            try cursor.end()
        }
    }

    @Test(arguments: ["[1,2", "[1,[2]]", "[1,\"2\"]", "[1,,2]", "[2147483648]", "[1.5]", "[--1]", "{}", "1"])
    func whatAreNoWholeNumbersIsRefused(_ text: String) {
        #expect(throws: JSONCursor.Mismatch.self) {
            var cursor = JSONCursor(Array(text.utf8))
            let _: [Int32] = try cursor.numbers { Int32($0) }
        }
    }

    @Test func listsInListsHaveABound() throws {
        func skips(_ depth: Int) -> Bool {
            var cursor = JSONCursor(Array(String(repeating: "[", count: depth).utf8) + Array(String(repeating: "]", count: depth).utf8))
            return (try? cursor.skip()) != nil
        }
        #expect(skips(128) && !skips(129) && !skips(100_000))
    }
}
