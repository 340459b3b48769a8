import Support
import Training

/// A plan for a battery, for people and for programs.
enum PlanText {
    private static func number(_ value: Double, _ places: Int) -> String { Decimals.text(value, places: places) }

    static func text(_ plan: BatteryPlan) -> String {
        var lines = [
            """
            \(number(plan.board.capacity, 0)) mWh; the board takes \(number(plan.board.idle, 1)) mW idle and \
            \(number(plan.board.active, 1)) mW more while it computes
            """,
            "", Console.styled("\("network".padded(58)) every, s  mJ a decision   hours  accuracy", .dim),
        ]
        // A longer wait is shown where it gains a minute.
        let short = Dictionary(plan.choices.map { ($0.name, $0.hours) }) { min($0, $1) }
        for choice in plan.choices where choice.period < 1.5 || choice.hours > (short[choice.name] ?? 0) + 1 / 60 {
            let mark = choice == plan.chosen ? "*" : " "
            let woken = choice.woken.map { " (\(Units.percent($0)) woken)" } ?? ""
            lines.append(
                """
                \(mark) \((choice.name + woken).padded(56)) \(number(choice.period, 2).aligned(8)) \
                \(number(choice.millijoules, 6).aligned(14)) \(number(choice.hours, 1).aligned(7)) \
                \(Units.percent(choice.accuracy).aligned(9))
                """)
        }
        lines.append("")
        if let chosen = plan.chosen, let best = plan.choices.first {
            lines.append(
                """
                \(number(plan.target, 0)) hours: \(chosen.name), a decision every \(number(chosen.period, 2)) s; \
                \(number((best.accuracy - chosen.accuracy) * 100, 1)) points below the most accurate way
                """)
        } else {
            lines.append(
                """
                \(number(plan.target, 0)) hours cannot be had: the board alone would have to take less than \
                \(number(plan.board.capacity / plan.target, 1)) mW
                """)
        }
        return lines.joined(separator: "\n")
    }

    static func json(_ plan: BatteryPlan) -> JSON {
        func one(_ choice: BatteryPlan.Choice) -> JSON {
            .object([
                ("network", .string(choice.name)), ("bits", .integer(choice.bits)), ("seconds", .number(number(choice.period, 2))),
                ("millijoules", .number(number(choice.millijoules, 9))), ("hours", .number(number(choice.hours, 3))),
                ("accuracy", .number(number(choice.accuracy, 4))), ("woken", choice.woken.map { .number(number($0, 4)) } ?? .null),
            ])
        }
        return .object([
            ("battery_hours", .number(number(plan.target, 1))), ("battery_mwh", .number(number(plan.board.capacity, 1))),
            ("chosen", plan.chosen.map(one) ?? .null), ("choices", .array(plan.choices.map(one))),
        ])
    }
}
