import FoundationEssentials
import Testing

@testable import SwiftyForesight

// The calls of SwiftyForesight's two READMEs and of its releases, as a program has them: that they compile is the test, and that a
// wrong configuration is said and not fatal.
@Suite struct ReadmeTests {
    private func manager() -> CloudManager {
        CloudManager(
            identityID: "us-east-1:00000000-0000-0000-0000-000000000000", userID: "u", writeBucket: CloudManager.none,
            readBucket: CloudManager.none)
    }

    // Without `try` and `await`: calls that wait for nothing.
    @Test func asTheReadmesHaveThem() throws {
        let cloudManager = manager()
        let myModel = SequentialModel(
            modelClass: MLModel(), numInputFeatures: 10, localFilepath: URL(filePath: "/tmp/none.mlmodel"), withManager: cloudManager)
        myModel.fetch()
        myModel.fetchFromRemote(withRemoteFilename: "softmax.mlmodel") { _ in }
        try myModel.setFeatureNames(to: ["a", "b", "c", "d"])
        let myData = LibraData(
            hasTimestamp: false, featureVectors: 2, labelVectorLength: 2, withManager: cloudManager, documents: URL(filePath: "/tmp"))
        let features = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], labels = [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
        myData.addFeatures(features)
        myData.addLabels(labels)
        var formatted: (Bool, Data, URL)?
        myData.formatData { formatted = ($0, $1, $2) }
        myData.formatData(saveFileName: "u_readme.csv")
        #expect(formatted?.0 == true && formatted?.1.count == 48)
        myData.uploadDataToRemote(fromLocalFile: "/tmp/u_readme.csv")
        myData.uploadDataToRemote(fromLocalPath: URL(filePath: "/tmp/u_readme.csv")) { _ in }
        myData.retryFailedUploads()
        myData.clearErrorLogs()
        CloudManager.tableName = CloudManager.tableName
        myData.addMetadata(withAttributes: [Keys.hash: "u", Keys.range: "20180929073331", Keys.m0: "0", Keys.m1: "1"])
        myData.uploadMetadataToRemote()
        myData.uploadMetadata { _ in }
        myData.queryData(fromDate: "20180101000000", toDate: "20190101000000") { _, rows in _ = rows.first?._m0 }
        myData.queryMetadataFromRemote(fromDate: Date(timeIntervalSince1970: 0), toDate: Date()) { _, _ in }
        myData.clearData()
        #expect(myData.data.isEmpty && myData.metadata.isEmpty)
        cloudManager.removeAllUserFiles()
        cloudManager.removeAllUserMetadata { _ in }
        if let url = formatted?.2 { myData.removeLocalFile(atPath: url) }
    }

    @Test func whatIsNotSetIsSaid() async throws {
        let cloudManager = manager(),
            myData = LibraData(
                hasTimestamps: true, featureVectors: 1, labelVectorLength: 1, withManager: cloudManager, documents: URL(filePath: "/tmp"))
        await #expect(throws: (any Error).self) { try await cloudManager.removeAllUserFiles() }
        await #expect(throws: (any Error).self) {
            try await FeedforwardModel(numInputFeatures: 1, localFilepath: "/tmp/none", withManager: cloudManager).fetch()
        }
        await #expect(throws: (any Error).self) { try await myData.uploadDataToRemote(fromLocalFile: "/no/such/file.csv") }
    }
}
