import ArgumentParser
import Support

/// "1,3,5" or "s01,s07"
struct NameList: ExpressibleByArgument, CustomStringConvertible {
    var names: Set<String> = []

    init() {}

    init?(argument: String) {
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard !word.isEmpty else { return nil }
            names.insert(String(word))
        }
    }

    /// The same as the numbers that the HAPT data set gives its people.
    ///
    /// - Throws: `.usage` for one that is no number.
    func numbers() throws(Fault) -> Set<Int> {
        var numbers: Set<Int> = []
        for name in names {
            guard let number = Int(name) else { throw Fault(.usage, "\"\(name)\" is no subject of the HAPT data set: they are numbers") }
            numbers.insert(number)
        }
        return numbers
    }

    var sorted: [String] { names.sorted { ($0.count, $0) < ($1.count, $1) } }
    var description: String { sorted.joined(separator: ",") }
    var defaultValueDescription: String { "none" }
}
