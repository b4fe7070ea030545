import AnnexBrokerAPI
import AnnexTestSupport
import CTestSupport
import Foundation
import Glibc
import Logging
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

/// An installation writes its own files to the disk, and no other data of the file system. The tests run in separate
/// processes, because a filter applies to a whole process.
@Suite(.timeLimit(.minutes(20))) struct AppStoreDiskTests {
    @Test(arguments: [FILTER_CALL_SYNCFS.rawValue, FILTER_CALL_WRITE_OUT.rawValue])
    func `an installation flushes no whole file system, and needs no call that only saves time`(
        call: UInt32
    ) async throws {
        let folder = try TemporaryFolder()
        let app = try MadeApp("com.example.a", carrying: ["com.example.a.one"])
        await #expect(processExitsWith: .success) {
            [path = folder.url.path as String, app = app.path as String, call = call as UInt32] in
            guard filter_refuse(filter_call(rawValue: call), ENOSYS) == 0 else { exit(9) }
            try AppStoreDiskTests.unpack(app, in: path)
        }
        withExtendedLifetime((folder, app)) {}
    }

    @Test(arguments: [FILTER_CALL_FSYNC.rawValue, FILTER_CALL_WRITE_OUT.rawValue])
    func `an app that the disk does not take is not installed and leaves nothing`(call: UInt32) async throws {
        let folder = try TemporaryFolder()
        let app = try MadeApp("com.example.a", carrying: ["com.example.a.one"])
        await #expect(processExitsWith: .success) {
            [path = folder.url.path as String, app = app.path as String, call = call as UInt32] in
            guard filter_refuse(filter_call(rawValue: call), EIO) == 0 else { exit(9) }
            #expect(throws: BrokerError.self) { try AppStoreDiskTests.unpack(app, in: path) }
            #expect(ProcText.names(in: path).allSatisfy { !$0.hasPrefix("app-") })
        }
        withExtendedLifetime((folder, app)) {}
    }

    @Test func `every file and directory of an installed app is written to the disk`() async throws {
        let folder = try TemporaryFolder()
        let app = try MadeApp("com.example.a", carrying: ["com.example.a.one"])
        await #expect(processExitsWith: .success) {
            [path = folder.url.path as String, app = app.path as String] in
            guard filter_record_syncs(0) == 0 else { exit(9) }
            let made = try AppStoreDiskTests.unpack(app, in: path)
            let below = FileManager.default.enumerator(atPath: "\(path)/\(made)")?.compactMap { $0 as? String } ?? []
            #expect(below.contains("App.app/Info.plist"))
            for place in [path, "\(path)/\(made)"] + below.map({ "\(path)/\(made)/\($0)" }) {
                var status = stat()
                guard lstat(place, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { continue }
                #expect(filter_was_synced(UInt64(status.st_ino)) == 1, "\(place)")
            }
        }
        withExtendedLifetime((folder, app)) {}
    }

    @Test func `an app with a file that the disk does not take is not installed`() async throws {
        let folder = try TemporaryFolder()
        let app = try MadeApp("com.example.a", carrying: ["com.example.a.one"])
        await #expect(processExitsWith: .success) {
            [path = folder.url.path as String, app = app.path as String] in
            guard filter_record_syncs(EIO) == 0 else { exit(9) }
            #expect(throws: BrokerError.self) { try AppStoreDiskTests.unpack(app, in: path) }
            #expect(ProcText.names(in: path).allSatisfy { !$0.hasPrefix("app-") })
        }
        withExtendedLifetime((folder, app)) {}
    }

    @discardableResult static func unpack(_ app: String, in folder: String) throws -> String {
        chmod(folder, 0o700)
        let quiet = Logger(label: "annexd") { _ in SwiftLogNoOpLogHandler() }
        let store = try AppStore(at: folder, of: 7, logger: quiet)
        var options = DaemonOptions(state: folder, isSystem: true)
        options.limits.freeBytes = 1
        let made = try store.unpack(
            BundleArchiveWriter.archive(of: app), as: "App.app", in: StoreSpace(options), ifRoomFor: { _ in true })
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(made.folder)/App.app/Info.plist"))
        return "\(made.folder)"
    }
}
