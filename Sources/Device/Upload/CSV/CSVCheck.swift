/// Finds how far a file of rows is whole: what a program that was killed or a power cut left behind.
struct CSVCheck {
    /// Bytes of whole rows, from the start.
    private(set) var whole = 0
    private(set) var rows = 0
    private var columns: Int?
    private var commas = 0, length = 0, isBroken = false

    /// Takes the file piece by piece. A row is whole with its line feed, with digits and their like alone, and with as many columns as
    /// the first. After one that is not, nothing is whole any more: no byte behind it can be trusted.
    mutating func take(_ bytes: some Sequence<UInt8>) {
        guard !isBroken else { return }
        for byte in bytes {
            length += 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"): continue
            case UInt8(ascii: ","): commas += 1
            case UInt8(ascii: "\n") where length > 1 && commas == columns ?? commas:
                columns = commas
                whole += length
                rows += 1
                (commas, length) = (0, 0)
            default:
                isBroken = true
                return
            }
        }
    }
}
