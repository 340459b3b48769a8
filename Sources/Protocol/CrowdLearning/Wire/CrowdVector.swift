package import Support

/// Weights and gradients in all their shapes.
package enum CrowdVector {
    /// A list of numbers, or an object of them by place; numbers may be text. nil where there is nothing.
    ///
    /// - Parameter most: numbers.
    /// - Throws: `.badData` for anything else, and for numbers that are not finite.
    package static func read(_ value: JSONValue?, most: Int = 10_000_000) throws(Fault) -> [Double]? {
        switch value {
        case nil, .null?: return nil
        case .array(let items)?:
            if items.isEmpty { return nil }
            // Servers of 2017 write [[weights], [iteration, -1]].
            if case .array? = items.first { return try read(items.first, most: most) }
            return try numbers(items, most)
        case .object(let members)?:
            if members.isEmpty { return nil }
            guard members.count <= most else { break }
            var items = [JSONValue](repeating: .null, count: members.count)
            for (name, item) in members {
                guard let place = Int(name), items.indices.contains(place) else {
                    throw Fault(.badData, "a vector has no place \"\(name.prefix(20))\"")
                }
                items[place] = item
            }
            return try numbers(items, most)
        default: break
        }
        throw Fault(.badData, "there should be a vector")
    }

    private static func numbers(_ items: [JSONValue], _ most: Int) throws(Fault) -> [Double] {
        guard items.count <= most else { throw Fault(.badData, "a vector of \(items.count) numbers is too long") }
        var found: [Double] = []
        found.reserveCapacity(items.count)
        for (place, item) in items.enumerated() {
            guard let number = item.looseNumber, number.isFinite else {
                throw Fault(.badData, "number \(place) of a vector is none, or not finite")
            }
            found.append(number)
        }
        return found
    }
}

extension JSONValue {
    /// A number, or text that is one.
    package var looseNumber: Double? {
        if case .string(let text) = self { return Double(text) }
        return number
    }
}
