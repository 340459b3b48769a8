package import Support
package import Upload

/// A user's files in a bucket of S3 and rows in a table of DynamoDB.
package struct AWSStore: RemoteStore {
    package let userID: String
    package let bucketName: String
    /// nil for none.
    package let tableName: String?
    /// Server, bucket and user: whose files are where.
    package let place: String
    private let services: AWSServices

    /// - Parameter endpoint: an S3-compatible server; nil for AWS's.
    package init(user: String, bucket: String, table: String?, at endpoint: String? = nil, _ services: AWSServices) {
        place = "\(endpoint ?? "s3:/")/\(bucket) as \(user)"
        (userID, bucketName, tableName, self.services) = (user, bucket, table.flatMap { $0.isEmpty ? nil : $0 }, services)
    }

    private var bucket: S3Bucket { services.bucket(bucketName) }

    private func table() throws(RemoteFailure) -> DynamoTable {
        guard let tableName else {
            throw RemoteFailure(
                .blocked, Fault(.configuration, "no table of metadata is set", remedy: "Set CloudManager.tableName, or upload.table."))
        }
        return DynamoTable(name: tableName, call: services.table)
    }

    package var keepsMetadata: Bool { tableName != nil }

    package func store(file path: String, as key: String, digest: String? = nil, _ stop: Stop) throws(RemoteFailure) {
        try bucket.put(path, as: key, type: "text/csv", digest: digest, stop)
    }

    package func store(metadata: [String: String], _ stop: Stop) throws(RemoteFailure) { try table().write(metadata, stop) }

    package func metadata(from: String, to: String, _ stop: Stop) throws(RemoteFailure) -> [[String: String]] {
        try table().rows(user: userID, dates: (from, to), stop)
    }

    /// An object of the bucket, whoever's it is.
    package func object(_ key: String, limit: Int, _ stop: Stop) throws(RemoteFailure) -> [UInt8] {
        try bucket.get(key, limit: limit, stop)
    }

    /// The keys of this user's files.
    package func files(_ stop: Stop) throws(RemoteFailure) -> [String] {
        guard !userID.isEmpty else {
            throw RemoteFailure(.blocked, Fault(.usage, "the user has no ID, so nobody knows which files are theirs"))
        }
        return try bucket.keys(prefix: userID + "_", stop).filter { Self.belongs($0, to: userID) }
    }

    /// Deletes every file of this user.
    ///
    /// - Returns: their keys.
    /// - Throws: the first failure; some may be deleted by then.
    package func removeFiles(_ stop: Stop) throws(RemoteFailure) -> [String] {
        let keys = try files(stop)
        for key in keys { try bucket.delete(key, stop) }
        return keys
    }

    /// Deletes every row of this user.
    ///
    /// - Returns: how many there were.
    /// - Throws: the first failure; some may be deleted by then.
    package func removeRows(_ stop: Stop) throws(RemoteFailure) -> Int {
        let table = try table(), rows = try table.rows(user: userID, dates: nil, keysOnly: true, stop)
        for row in rows { try table.delete(row, stop) }
        return rows.count
    }

    /// `user1` has not the files of `user10`, nor `user` those of `user_1`: behind the ID and "_" come fourteen digits, or a name that
    /// is not another user's ID and fourteen digits.
    static func belongs(_ key: String, to user: String) -> Bool {
        guard key.hasPrefix(user + "_") else { return false }
        let parts = key.dropFirst(user.count + 1).split(separator: "_", omittingEmptySubsequences: false)
        return parts.first.map { DataFileName.isDate($0) } == true || !parts.dropFirst().contains { DataFileName.isDate($0) }
    }
}
