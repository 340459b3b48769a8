import Support
import Testing

@testable import WeightFiles

@Suite struct WeightFileTests {
    // ../shared/spec/systems.md, vector 3: b = [0.25], w = [[1], [-0.5]].
    private static let little = bytes(
        "5054544800000001000000020000000162000000010000000100000000000000040000803e000000017700000002000000020000000100000000"
            + "000000080000803f000000bf")
    private static let big = bytes(
        "5054544800000001000000020000000162000000010000000100000000000000043e800000000000017700000002000000020000000100000000"
            + "000000083f800000bf000000")
    private static let arrays: [WeightFile.Array] = [
        .init(name: "b", shape: [1], values: [0.25]), .init(name: "w", shape: [2, 1], values: [1, -0.5]),
    ]

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test func containersOfBothSDKs() throws {
        #expect(try WeightFile(Self.little) == WeightFile(format: .littleEndianContainer, arrays: Self.arrays))
        #expect(try WeightFile(Self.big) == WeightFile(format: .bigEndianContainer, arrays: Self.arrays))
        #expect(WeightFile(format: .littleEndianContainer, arrays: Self.arrays.reversed()).bytes == Self.little)
        #expect(WeightFile(format: .bigEndianContainer, arrays: Self.arrays).bytes == Self.big)
    }

    @Test func everyTruncationIsAnError() throws {
        let numpy = WeightFile(format: .numpy, arrays: [.init(name: "", shape: [2, 3], values: [1, 2, 3, 4, 5, 6])]).bytes
        for whole in [Self.little, Self.big, numpy] {
            for end in 0..<whole.count {
                #expect(throws: Fault.self) { try WeightFile(Array(whole.prefix(end))) }
            }
            #expect(throws: Fault.self) { try WeightFile(whole + [0]) }
        }
    }

    // Written by numpy 2: numpy.save of array([[1, -2.5]]) as float32 and as big-endian float64.
    @Test(arguments: [
        ("<f4", "(1, 2)", [0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x20, 0xC0]),
        (">f8", "(1, 2)", [0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xC0, 0x04, 0, 0, 0, 0, 0, 0]),
    ]) func whatNumPyWrites(_ type: String, _ shape: String, _ data: [UInt8]) throws {
        let text = "{'descr': '\(type)', 'fortran_order': False, 'shape': \(shape), }"
        let header = text + String(repeating: " ", count: 117 - text.utf8.count) + "\n"
        let file = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, 118, 0] + Array(header.utf8) + data
        let read = try WeightFile(file)
        #expect(read.arrays == [.init(name: "", shape: [1, 2], values: [1, -2.5])])
        #expect(try WeightFile(read.bytes) == read && read.bytes.count % 64 == 8)
    }

    @Test func hostileHeadersAndNumbers() {
        func numpy(_ text: String, _ data: [UInt8] = []) -> [UInt8] {
            [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, UInt8(text.utf8.count), 0] + Array(text.utf8) + data
        }
        for text in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "{'descr': '|O', 'shape': (1,)}",
            "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "{'descr': '<f4', 'shape': (-1,)}", "{'shape': ", "",
        ] {
            #expect(throws: Fault.self) { try WeightFile(numpy(text)) }
        }
        #expect(throws: Fault.self) {
            try WeightFile(numpy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", [0, 0, 0xC0, 0x7F]))
        }
    }

    @Test func theMeanOfHonestParticipants() {
        #expect(RobustMean.of([[1, 2], [3, 6]], samples: [10, 10]) == [2, 4])
        #expect(RobustMean.of([[1], [5]], samples: [30, 10]) == [2])
        #expect(RobustMean.median(of: [[1, 9], [2, 8], [100, -1]]) == [2, 8])
    }

    @Test func oneOfTenCannotMoveTheMean() {
        let honest = (0..<9).map { [Float($0) / 10, 1] }
        let mean = RobustMean.of(honest + [[1e20, -1e20]], samples: [Int](repeating: 10, count: 9) + [Int.max])
        #expect(mean[0] >= 0 && mean[0] <= 0.8 && abs(mean[1] - 1) < 0.01)
        #expect(RobustMean.of([[3, 4]], samples: [1], clip: 1).map { ($0 * 10).rounded() } == [6, 8])
    }
}
