import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// Programs that write to a directory as fast as they can until Annex ends them. What counts is what lies on the disk
/// afterwards.
@Suite(.timeLimit(.minutes(20))) struct FastWriterTests {
    private static let size: UInt64 = 256 << 20
    private static let inodes: UInt64 = 8192

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
    }

    private func program(_ way: String, in directory: String) throws -> SandboxProgram {
        let file = folder.url.appending(path: "takes-much")
        if !FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.copyProgram(
                at: WardenFixture.fixture.deletingLastPathComponent().appending(path: "takes-much"), to: file)
        }
        return SandboxProgram(file.path, arguments: ["fill-fast", way, directory])
    }

    /// Runs a program that writes to its private directory in one way.
    /// - Returns: the report, and what lies in the directory after the end.
    private func run(_ way: String) async throws -> (report: SandboxRunReport, use: DirectoryUse) {
        let kept = folder.url.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: kept) }
        chmod(kept, 0o777)
        let text = """
            policy: fast
            summary: A test.
            includes: [tool]
            paths: { private: { persistent: { size: 256M, inodes: \(Self.inodes) } } }

            """
        let policy = try PolicyLibrary.shipped.adding(["fast": (text, "fast.yaml")]).policy(named: "fast")
        let place = try #require(policy.paths.persistent).path
        var sandbox = Sandbox(policy: policy)
        sandbox.privateDirectory = kept
        let report = try await sandbox.run(program(way, in: place)).report
        return (report, DirectoryUse(of: try Descriptor.directory(kept), size: .max, inodes: .max))
    }

    @Test(arguments: ["write", "mapping", "processes", "in-vain"])
    func `FS-41: a fast writer exceeds the limit of its directory by a quarter at most`(way: String) async throws {
        let bound = Self.size + Self.size / 4
        let uses = try await untilUnhindered(atMost: bound) {
            let (report, use) = try await run(way)
            #expect(report.reason == .diskLimit, "\(report)")
            return use.bytes
        }
        #expect(uses.last.map { $0 <= bound } == true, "\(way): \(uses)")
    }

    /// No check is scheduled here, so only the kernel's counts can cause a look.
    @Test func `FS-41: a directory that reaches its limit is looked at without a check`() async throws {
        let place = folder.url.appending(path: "place").path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let (excess, continuation) = AsyncStream.makeStream(of: String.self)
        let watch = DiskWatch(
            of: try Descriptor.directory(place), at: place, in: { [] }, size: 8 << 20, inodes: 100
        ) { continuation.yield($0) }
        try Data(count: 10 << 20).write(to: URL(filePath: place + "/large"))
        let found = await excess.first { _ in true }
        #expect(found?.contains("bytes in its private directory; 8388608 are allowed") == true, "\(found ?? "")")
        withExtendedLifetime(watch) {}
    }

    /// One call could take the whole disk between two readings of the kernel's counts.
    @Test(arguments: ["allocate", "beyond-the-end"])
    func `FS-41: space on the disk is not reserved by a call`(way: String) async throws {
        let (report, use) = try await run(way)
        #expect(report.reason == .diskLimit, "\(report)")
        #expect(use.bytes <= Self.size && use.files > Self.inodes, "\(way): \(use.bytes >> 20) MiB, \(use.files) files")
    }
}
