import AnnexBrokerAPI
import AnnexChannel
import AnnexTestSupport
import Foundation
import Logging
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct StoreSpaceTests {
    private let folder: TemporaryFolder
    private var options: DaemonOptions

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o700)
        options = DaemonOptions(state: folder.url.path, isSystem: true)
        options.limits.freeBytes = 1
    }

    /// A store whose index states this number of bytes.
    private func makeStore(_ user: UInt32, _ bytes: UInt64) throws {
        let path = options.store(of: user)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let build = StoreIndex.Build(version: "1", folder: "app-a", name: "A.app", bytes: bytes)
        let index = StoreIndex(apps: [StoreIndex.App("com.a", elected: build)])
        try Data(index.encoded(within: StoreIndex.limits)).write(to: URL(filePath: path + "/index"))
    }

    private func rejection(_ work: () throws -> Void) -> String {
        do {
            try work()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `all users share one limit for installed apps`() throws {
        var options = options
        options.limits.allInstalledBytes = 1_000
        try makeStore(1, 400)
        try makeStore(2, 300)
        let space = StoreSpace(options)
        func tryMore() throws {
            let held = try space.reserve(200, for: "App.app")
            #expect(rejection { _ = try space.reserve(101, for: "App.app") }.contains("1000 bytes for all users' apps"))
            _ = try space.reserve(100, for: "App.app")
            withExtendedLifetime(held) {}
        }
        try tryMore()
        // Reserved bytes that were not installed are free again. The bytes of removed apps and forgotten users are free
        // too.
        space.record(0, at: options.store(of: 1))
        _ = try space.reserve(700, for: "App.app")
        #expect(try ForgottenUser.remove(2, from: options) == [options.store(of: 2)])
        _ = try space.reserve(1_000, for: "App.app")
    }

    @Test func `the disk keeps its free space when an app is installed`() throws {
        var options = options
        let free = try Descriptor.directory(options.state).availableBytes()
        options.limits.freeBytes = free * 2
        #expect(rejection { _ = try StoreSpace(options).reserve(1, for: "App.app") }.contains("stay free on the disk"))
    }

    @Test func `a user with a running broker cannot be forgotten`() throws {
        try makeStore(1, 400)
        let lock = try UserLock(1, in: options.state, patience: .zero)
        let error = #expect(throws: SystemError.self) { _ = try ForgottenUser.remove(1, from: options) }
        #expect(error?.errno == EBUSY)
        withExtendedLifetime(lock) {}
        #expect(ProcText.names(in: options.store(of: 1)) == ["index"])
        // The lock of another user does not block this one.
        _ = try UserLock(2, in: options.state, patience: .zero)
    }
}
