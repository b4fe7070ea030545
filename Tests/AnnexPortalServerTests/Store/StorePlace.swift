import AnnexPortal
import AnnexPortalServer
import AnnexTestSupport
import CAnnexSQLite
import Foundation

/// A folder with the store of one group.
final class StorePlace: Sendable {
    private let folder: TemporaryFolder
    /// The path contains no link, because SQLite follows no link on the way to the store.
    let folderPath: String
    var path: String { folderPath + "/store.db" }

    init() throws {
        folder = try TemporaryFolder()
        folderPath = folder.url.resolvingSymlinksInPath().path
        chmod(folderPath, 0o700)
    }

    func opened() throws -> GroupStore { try GroupStore(at: path) }

    func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    func write(_ data: Data) throws {
        try data.write(to: URL(filePath: path))
        chmod(path, 0o600)
    }

    var names: [String] { folder.names }

    /// The error of an attempt to open the store.
    func failure() -> StoreError? {
        do throws(StoreError) {
            _ = try GroupStore(at: path)
            return nil
        } catch {
            return error
        }
    }

    /// Runs statements through a separate connection, like any program that can open the file.
    /// - Returns: the values of the last row.
    @discardableResult
    func sqlite(_ statements: String) throws -> [String] {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open(path, &connection) == SQLITE_OK else { throw Failure(description: "cannot open \(path)") }
        var values: [String] = []
        let code = withUnsafeMutablePointer(to: &values) { values in
            sqlite3_exec(
                connection, statements,
                { values, count, texts, _ in
                    values?.assumingMemoryBound(to: [String].self).pointee = (0..<Int(count)).map {
                        texts?[$0].map { String(cString: $0) } ?? ""
                    }
                    return 0
                }, values, nil)
        }
        guard code == SQLITE_OK else { throw Failure(description: String(cString: sqlite3_errmsg(connection))) }
        return values
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

extension DefaultsEntry {
    init(_ key: String, _ text: String?) { self.init(key: key, value: text.map { Array($0.utf8) }) }
}
