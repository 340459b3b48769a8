import FoundationEssentials
import Support
import TestHelpers
import Testing

@testable import SwiftyForesight
@testable import Upload

@Suite struct LibraDataTests {
    private func libra(_ store: FakeStore = FakeStore(), timestamp: Bool = false, features: Int = 2, labels: Int = 2) throws -> LibraData {
        LibraData(
            hasTimestamps: timestamp, featureVectors: features, labelVectorLength: labels, store: store,
            documents: URL(filePath: temporaryDirectory()))
    }

    @Test func vectorOne() async throws {
        let data = try libra()
        #expect(data.addFeatures([[1, 2, 3], [4, 5, 6]]) && data.addLabels([[0, 1], [1, 0], [1, 0]]))
        let (bytes, url) = try await data.formatData()
        #expect(String(decoding: bytes, as: UTF8.self) == "1.0,4.0,0.0,1.0\n2.0,5.0,1.0,0.0\n3.0,6.0,1.0,0.0\n")
        let name = url.lastPathComponent
        #expect(name.hasPrefix("u_") && name.hasSuffix("_data.csv") && name.utf8.count == 2 + 14 + 9)
        #expect(try Files.read(url.path, limit: 1000) == Array(bytes))
        // Another one in the same second has another name.
        #expect(try await data.formatData().url != url)
    }

    @Test func whatIsNoNumberIsWrittenAsTheOriginalDid() async throws {
        let data = try libra(features: 2, labels: 1)
        #expect(data.addFeatures([[1, .nan], [.infinity, -.infinity]]) && data.addLabels([[0], [.nan]]))
        #expect(String(decoding: try await data.formatData().data, as: UTF8.self) == "1.0,inf,0.0\nnan,-inf,nan\n")
    }

    /// Two programs of one user format a file in the same second: both arrive, also when they have to be sent again.
    @Test func twoFilesInOneSecondBothArrive() async throws {
        let store = FakeStore([nil, .temporary(retryAfter: nil), .taken, nil, nil, .taken])
        let first = try libra(store), second = try libra(store)
        var urls: [URL] = []
        for (index, data) in [first, second].enumerated() {
            data.addFeatures([[1, 2], [3, Double(index)]])
            data.addLabels([[0, 1], [1, 0]])
            let made = try await data.formatData().url, name = URL(filePath: data.directory + "/u_20260101000000_data.csv")
            try SystemDisk().rename(made.path, to: name.path)
            urls.append(name)
        }
        try await first.uploadDataToRemote(fromLocalPath: urls[0])
        await #expect(throws: Fault.self) { try await second.uploadDataToRemote(fromLocalPath: urls[1]) }
        try await second.retryFailedUploads()
        let names = store.stored.withLock { $0 }
        #expect(Set(names).count == 2 && names[0] == "u_20260101000000_data.csv")
        #expect(names.allSatisfy { DataFileName.isMade($0, of: "u") })
        #expect(!Files.exists(urls[1].path))
        // A name of one's own is not changed.
        for data in [first, second] {
            data.addFeatures([[1, 2], [data === first ? 1 : 2, 3]])
            let made = try await data.formatData(saveFileName: "u_mine.csv").url
            if data === first {
                try await data.uploadDataToRemote(fromLocalPath: made)
            } else {
                await #expect(throws: Fault.self) { try await data.uploadDataToRemote(fromLocalPath: made) }
            }
        }
    }

    @Test func noLabelsLeaveAComma() async throws {
        let data = try libra(timestamp: true, features: 1, labels: 0)
        data.addFeatures([[1, 2], [3, 4]])
        #expect(String(decoding: try await data.formatData(saveFileName: "u_mine.csv").data, as: UTF8.self) == "1.0,3.0,\n2.0,4.0,\n")
    }

    @Test(arguments: [
        ([[1.0]], "expected 2, got 1"), ([[1, 2], [3]], "expected 2, got 1 in vector 1"), ([], "expected 2, got 0"),
    ])
    func wrongFeatures(_ features: [[Double]], _ complaint: String) async throws {
        let data = try libra()
        #expect(!data.addFeatures(features) && data.data["Features"] == nil)
        do throws(Fault) {
            _ = try await data.formatData()
            Issue.record("no fault")
        } catch {
            #expect(error.code == .usage && error.message.contains(complaint), "\(error)")
        }
    }

    @Test func wrongLabels() async throws {
        let data = try libra()
        data.addFeatures([[1, 2], [3, 4]])
        #expect(!data.addLabels([[0, 1], [1]]))
        data.addLabels([[0, 1]])
        await #expect(throws: Fault(.usage, "The number of label vectors and features is not the same: expected 2 label vectors, got 1")) {
            _ = try await data.formatData()
        }
        data.clearData()
        await #expect(throws: Fault(.usage, "Features have not been written to LibraData.data")) { _ = try await data.formatData() }
        await #expect(throws: Fault.self) { _ = try await data.formatData(saveFileName: "../u.csv") }
    }

    @Test func whatDoesNotGoIsRetried() async throws {
        let store = FakeStore([.temporary(retryAfter: nil), .temporary(retryAfter: nil)]), data = try libra(store)
        data.addFeatures([[1], [2]])
        data.addLabels([[0, 1]])
        let url = try await data.formatData().url, name = url.lastPathComponent
        await #expect(throws: Fault.self) { try await data.uploadDataToRemote(fromLocalPath: url) }
        let log = String(decoding: try Files.read("\(data.directory)/libraerrorlogs_local.plist", limit: 10_000), as: UTF8.self)
        #expect(log.contains("<string>\(name)</string>") && log.contains("plist version=\"1.0\""))
        // A failed retry forgets nothing.
        await #expect(throws: Fault.self) { try await data.retryFailedUploads() }
        try await data.retryFailedUploads()
        #expect(store.stored.withLock { $0 } == [name] && !Files.exists(url.path))
        await #expect(throws: Fault(.noInput, "No data to retry uploading")) { try await data.retryFailedUploads() }
    }

    @Test func logsThatDoNotFitTogetherLoseNothing() async throws {
        let store = FakeStore([.blocked, .blocked]), data = try libra(store)
        data.addFeatures([[1], [2]])
        data.addLabels([[0, 1]])
        for _ in 0..<2 {
            let url = try await data.formatData().url
            await #expect(throws: Fault.self) { try await data.uploadDataToRemote(fromLocalFile: url) }
        }
        // As a power cut between both leaves them.
        try Files.write(Array("<plist version=\"1.0\"><array/></plist>".utf8), to: "\(data.directory)/libraerrorlogs_local.plist")
        try await data.retryFailedUploads()
        #expect(store.stored.withLock { $0 }.count == 2)
    }

    @Test func clearingDeletesFailedFiles() async throws {
        let data = try libra(FakeStore([.blocked]))
        await #expect(throws: Fault.self) { try await data.clearErrorLogs() }
        data.addFeatures([[1], [2]])
        data.addLabels([[0, 1]])
        let url = try await data.formatData().url
        await #expect(throws: Fault.self) { try await data.uploadDataToRemote(fromLocalFile: url.path) }
        try await data.clearErrorLogs()
        #expect(!Files.exists(url.path))
    }

    @Test func metadata() async throws {
        let store = FakeStore(keepsMetadata: true), data = try libra(store)
        await #expect(throws: Fault(.usage, "No data written to LibraData.metadata")) { try await data.uploadMetadataToRemote() }
        data.addMetadata(withAttributes: [Keys.hash: "u"])
        await #expect(throws: Fault(.usage, "No value for _eventDate (Keys.range) attribute")) { try await data.uploadMetadataToRemote() }
        data.addMetadata([Keys.hash: "u", Keys.range: "20180929073331", Keys.m0: "x"])
        try await data.uploadMetadataToRemote()
        let rows = try await data.queryData(fromDate: "20180101000000", toDate: "20190101000000")
        #expect(rows.count == 1 && rows[0]._m0 == "x" && rows[0]._eventDate == "20180929073331" && rows[0]._m1 == nil)
        await #expect(throws: Fault.self) { _ = try await data.queryData(fromDate: "201801010000", toDate: "20190101000000") }
        await #expect(throws: Fault(.usage, "beginDate must precede endDate")) {
            _ = try await data.queryData(fromDate: "20190101000000", toDate: "20180101000000")
        }
    }
}
