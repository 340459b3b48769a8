import Support
import Testing

@testable import Crowd
@testable import CrowdLearning

@Suite struct HandshakeTests {
    private func node(_ json: String) throws -> UserNode { UserNode(try #require(JSONValue(parsing: Array(json.utf8)))) }

    private func view(_ json: String, iteration: Int? = 1, parameters: Int = 1) throws -> Handshake.View {
        Handshake.View(node: try node(json), iteration: iteration, parameterIteration: parameters)
    }

    @Test func nodesOfAllGenerations() throws {
        let ios = try node(#"{"gradientProcessed":false,"gradIter":"4","weightIter":"2","gradients":{"0":1}}"#)
        #expect(ios.flag == "gradientProcessed" && ios.isProcessed == false && ios.number == 4 && ios.weightIteration == 2)
        let seed = try node(#"{"readByServer":true,"gradIter":4}"#)
        #expect(seed.flag == "readByServer" && seed.isProcessed == true)
        #expect(try node(#"{"readByServer":true,"gradientProcessed":false}"#).flag == "gradientProcessed")
        #expect(try node("null") == UserNode() && node(#"{"gradientProcessed":1,"gradIter":"x"}"#) == UserNode())
    }

    @Test func aRound() throws {
        var handshake = Handshake(parameterIteration: 1)
        #expect(handshake.look(try view("null")) == .join)
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":1}"#, iteration: nil)) == .wait(.noWeights))
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":1}"#)) == .send(number: 2))
        handshake.didSend(2, 1)
        let waiting = try view(#"{"gradientProcessed":false,"gradIter":2,"weightIter":1}"#)
        #expect(handshake.look(waiting) == .wait(.notProcessed))
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":2}"#, iteration: 2)) == .counted)
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":2}"#, iteration: 2)) == .send(number: 3))
    }

    @Test func whatIsLateIsSentAnew() throws {
        var handshake = Handshake(parameterIteration: 1)
        handshake.didSend(2, 1)
        // A server of 2017 is silent, Gaitway's says so.
        #expect(handshake.look(try view(#"{"gradientProcessed":false,"gradIter":2,"weightIter":1}"#, iteration: 2)) == .resend(number: 3))
        handshake.didSend(3, 2)
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":3,"stale":true}"#, iteration: 3)) == .stale)
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":3,"stale":true}"#, iteration: 3)) == .send(number: 4))
    }

    @Test func whatNeverArrivedIsSentAgain() throws {
        var handshake = Handshake(parameterIteration: 1)
        handshake.didSend(2, 1)
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":1}"#)) == .send(number: 2))
        // The node is gone: somebody cleared the database.
        handshake.didSend(2, 1)
        #expect(handshake.look(try view("null")) == .join)
    }

    @Test func aProgramThatStartsAgainWaitsForWhatItLeft() throws {
        var handshake = Handshake(parameterIteration: 1)
        #expect(handshake.look(try view(#"{"gradientProcessed":false,"gradIter":7,"weightIter":4}"#, iteration: 4)) == .wait(.notProcessed))
        #expect(handshake.look(try view(#"{"gradientProcessed":false,"gradIter":7,"weightIter":"4"}"#, iteration: 5)) == .resend(number: 8))
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":7}"#, iteration: 5)) == .send(number: 8))
    }

    @Test func otherParametersBeginAnew() throws {
        var handshake = Handshake(parameterIteration: 1)
        handshake.didSend(2, 1)
        #expect(handshake.look(try view(#"{"gradientProcessed":true,"gradIter":2}"#, parameters: 2)) == .reload)
    }

    @Test func theFlagComesLast() {
        let text = String(
            decoding: CheckIn(vector: [0.5, -1e-7], number: 3, weightIteration: 2, parameterIteration: 1).json("readByServer"),
            as: UTF8.self)
        #expect(text == #"{"gradients":[0.5,-1e-07],"gradIter":3,"weightIter":2,"paramIter":1,"readByServer":false}"#)
    }
}

@Suite struct ConditionsTests {
    @Test(
        arguments: [
            (nil, nil, nil, true), (79, false, nil, false), (79, nil, nil, false), (79, true, nil, true), (80, false, 70.0, true),
            (100, true, 70.5, false), (nil, nil, 90, false),
        ] as [(Int?, Bool?, Double?, Bool)]) func whenABoardMay(_ battery: Int?, _ isCharging: Bool?, _ temperature: Double?, _ may: Bool)
    {
        #expect(
            (CrowdConditions(leastBattery: 80, mostTemperature: 70).obstacle(
                battery: battery, isCharging: isCharging, temperature: temperature) == nil) == may)
    }
}
