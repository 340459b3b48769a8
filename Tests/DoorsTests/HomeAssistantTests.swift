import HubProtocol
import Support
import Testing

@testable import Doors

@Suite struct HomeAssistantTests {
    private let board = HomeAssistant(name: "Grandma's café", prefix: "gaitway", discovery: "homeassistant")

    @Test func topicsHaveNoOddLetters() {
        #expect(board.id == "Grandma_s_caf_" && board.stateTopic == "gaitway/Grandma_s_caf_/state")
        #expect(board.configTopic == "homeassistant/device/gaitway_Grandma_s_caf_/config")
        #expect(HomeAssistant(name: "", prefix: "p", discovery: "d").base == "p/board")
    }

    @Test func everyComponentHasWhatHomeAssistantAsksFor() throws {
        let config = board.config(labels: ["WALKING", "SITTING"], version: "1", takesModels: true)
        guard case .object(let components)? = config["cmps"] else {
            Issue.record("no components")
            return
        }
        #expect(config["dev"]?["ids"] == .array(["gaitway_Grandma_s_caf_"]) && config["o"]?["name"] == "gaitway")
        #expect(components.count == 17)
        var known = Set<String>()
        if case .object(let members) = board.state(BoardState()) { known = Set(members.keys) }
        for (name, component) in components {
            #expect(component["p"]?.text != nil && component["uniq_id"]?.text == "gaitway_Grandma_s_caf__\(name)")
            // What a template reads is in the state.
            guard let template = component["val_tpl"]?.text else { continue }
            let key = template.dropFirst("{{ value_json.".count).dropLast(" }}".count)
            #expect(known.contains(String(key)), "\(name)")
        }
        #expect(components["activity"]?["options"] == .array(["WALKING", "SITTING", "unknown"]))
        #expect(components["activity"]?["unit_of_meas"] == nil && components["activity"]?["stat_cla"] == nil, "an enum has neither")
        #expect(components["update"]?["cmd_t"] == "gaitway/Grandma_s_caf_/update/set" && components["update"]?["pl_inst"] == "install")
        let without = board.config(labels: ["WALKING"], version: "1", takesModels: false)
        #expect(without["cmps"]?["update"] == ["p": "update"], "what is taken away has its platform alone")
        #expect(components["steps"]?["stat_cla"] == "total_increasing")
        #expect(components["fall"]?["evt_typ"] == .array(FallState.allCases.map { .string($0.rawValue) }))
    }

    @Test func whatIsNotKnownIsNull() {
        let nothing = board.state(BoardState())
        for key in ["activity", "moving", "steps", "rate", "battery"] { #expect(nothing[key] == .null, "\(key)") }
        #expect(nothing["problem"] == "ON" && nothing["fallen"] == "OFF" && nothing["label"] == "none")
        var state = BoardState()
        (state.activity, state.fall, state.samplesCome, state.steps) = ("RUNNING", .alarm, true, 12)
        let shown = board.state(state)
        #expect(shown["moving"] == "ON" && shown["running"] == "ON" && shown["fallen"] == "ON" && shown["steps"] == .integer(12))
    }
}
