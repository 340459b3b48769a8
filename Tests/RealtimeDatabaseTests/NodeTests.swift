import Support
import Synchronization
import Testing

@testable import RealtimeDatabase

@Suite struct NodeTests {
    private func written(_ json: String) throws -> String { String(decoding: Node.json(try Node.parse(Array(json.utf8))), as: UTF8.self) }

    /// What Firebase's documentation says becomes of lists, nulls and empty things.
    @Test(arguments: [
        ("null", "null"), ("{}", "null"), ("[]", "null"), (#"{"a":null,"b":{}}"#, "null"), (#"{"a":null,"b":1}"#, #"{"b":1}"#),
        ("[1,2.5,-3e-7]", "[1,2.5,-3e-07]"), (#"{"0":1.5,"1":2,"2":3}"#, "[1.5,2,3]"), (#"["a","b"]"#, #"["a","b"]"#),
        // Half of the places are enough for a list; fewer are an object.
        (#"{"0":"a","2":"c"}"#, #"["a",null,"c"]"#), (#"{"0":"a","9":"c"}"#, #"{"0":"a","9":"c"}"#), ("[null,null,5]", #"{"2":5}"#),
        ("[null,5]", "[null,5]"),
        (#"{"01":1,"0":2}"#, #"{"0":2,"01":1}"#), ("[[1,2],[7,-1]]", "[[1,2],[7,-1]]"), ("[[1,2],[]]", "[[1,2]]"),
        (#""\"\\\n\u00e9""#, #""\"\\\né""#), ("true", "true"), ("9007199254740993", "9007199254740993"), ("1e300", "1e+300"),
        (#"{"b":{"c":[true]},"a":"1"}"#, #"{"a":"1","b":{"c":[true]}}"#),
    ]) func whatIsWrittenComesBackSo(_ json: String, _ wanted: String) throws {
        #expect(try written(json) == wanted)
    }

    @Test(arguments: [
        "", "{", "nul", #"{"a.b":1}"#, #"{"$a":1}"#, #"{"a/b":1}"#, #"{"":1}"#, "1e400", "NaN", #"{"a":1}}"#, #"{"x":{"[":{}, "#,
    ]) func whatIsNoTreeIsRefused(_ json: String) {
        #expect(throws: Fault.self) { try Node.parse(Array(json.utf8)) }
    }

    @Test func thirtyTwoLevelsAreTheMost() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array((String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)).utf8)
        }
        #expect(try Node.parse(nested(32)) != nil)
        #expect(throws: Fault.self) { try Node.parse(nested(33)) }
        #expect(throws: Fault.self) { try Node.parse(nested(100_000)) }
    }

    @Test func pathsAreFollowedAndMade() throws {
        var tree = DatabaseTree()
        tree[try NodePath("users/alice/gradients")] = try Node.parse(Array("[1,2,3]".utf8))
        tree[try NodePath("users/alice/gradients/1")] = .number(5)
        #expect(tree[try NodePath("users/alice")] == .object(["gradients": .vector([1, 5, 3])]))
        tree[try NodePath("users/alice/gradients/7")] = .text("x")
        #expect(tree[try NodePath("users/alice/gradients/0")] == .number(1))
        #expect(tree[try NodePath("users/alice/gradients/00")] == nil)
        tree[try NodePath("users/alice/gradients")] = nil
        // A branch without anything is not there.
        #expect(tree[try NodePath("users")] == nil && tree[NodePath()] == nil)
        #expect(throws: Fault.self) { try NodePath("users/a.b") }
    }

    @Test func tagsChangeWithWhatIsThere() throws {
        let a = try Node.parse(Array(#"{"a":[1,2]}"#.utf8)), b = try Node.parse(Array(#"{"a":{"0":1,"1":2}}"#.utf8)),
            c = try Node.parse(Array(#"{"a":[1,3]}"#.utf8))
        #expect(Node.tag(a) == Node.tag(b) && Node.tag(a) != Node.tag(c) && Node.tag(nil) == "null_etag")
        #expect(
            String(decoding: Node.shallow(a), as: UTF8.self) == #"{"a":true}"#
                && String(decoding: Node.shallow(.integer(3)), as: UTF8.self) == "3")
    }

    @Test func theRules() throws {
        let own = try NodePath("users/alice/gradients"), other = try NodePath("users/bob"),
            weights = try NodePath("trainingWeights/weights"), users = try NodePath("users")
        for caller in [DatabaseCaller.nobody, .user("alice"), .person] {
            #expect(caller.mayRead(weights) && !caller.mayWrite(weights))
            #expect(
                caller.mayWrite(own) == (caller == .user("alice")) && !caller.mayWrite(other) && !caller.mayWrite(users)
                    && !caller.mayWrite(NodePath()))
            #expect(caller.mayRead(users) == (caller == .person) && caller.mayRead(NodePath()) == (caller == .person))
        }
        #expect(
            DatabaseCaller.user("alice").mayRead(own) && !DatabaseCaller.user("alice").mayRead(other) && !DatabaseCaller.nobody.mayRead(own)
        )
    }

    @Test func changesAreHeardAboveAndBelow() throws {
        var tree = DatabaseTree(), subscriptions = Subscriptions()
        let heard = Mutex<[String]>([])
        func listen(_ path: String) throws -> Int {
            subscriptions.add(try NodePath(path), of: tree) { event in
                heard.withLock { $0.append(path + ": " + String(decoding: event, as: UTF8.self).split(separator: "\n")[1]) }
            }
        }
        tree[try NodePath("users/alice/flag")] = .bool(false)
        _ = try listen("users/alice")
        let below = try listen("users/alice/flag")
        _ = try listen("users/bob")
        _ = try listen("")
        #expect(
            heard.withLock { $0.sorted() }
                == [
                    #": data: {"path":"/","data":{"users":{"alice":{"flag":false}}}}"#,
                    #"users/alice/flag: data: {"path":"/","data":false}"#, #"users/alice: data: {"path":"/","data":{"flag":false}}"#,
                    #"users/bob: data: {"path":"/","data":null}"#,
                ].sorted())
        heard.withLock { $0 = [] }
        tree[try NodePath("users/alice")] = .object(["flag": .bool(true)])
        subscriptions.tell(try NodePath("users/alice"), of: tree)
        #expect(
            heard.withLock { $0.sorted() }
                == [
                    #": data: {"path":"/users/alice","data":{"flag":true}}"#, #"users/alice/flag: data: {"path":"/","data":true}"#,
                    #"users/alice: data: {"path":"/","data":{"flag":true}}"#,
                ].sorted())
        heard.withLock { $0 = [] }
        subscriptions.remove(below, of: try NodePath("users/alice/flag"))
        subscriptions.tell(try NodePath("users/alice/flag"), of: tree)
        #expect(
            heard.withLock { $0.sorted() }
                == [#": data: {"path":"/users/alice/flag","data":true}"#, #"users/alice: data: {"path":"/flag","data":true}"#].sorted())
    }
}
