import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// A program chooses the names, depth and number of the files in its directory.
@Suite struct DirectoryUseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.url.path }

    private func make(_ name: [UInt8], in directory: String) throws {
        let file = creat(
            Array(directory.utf8).map(CChar.init(bitPattern:)) + [0x2F] + name.map(CChar.init(bitPattern:)) + [0], 0o600
        )
        try #require(file >= 0)
        close(file)
    }

    /// Makes files before and after the body's own files, so that the order of the file system does not matter.
    private func around(_ directory: String, _ body: () throws -> Void) throws {
        for number in 0..<20 { try make(Array("a\(number)".utf8), in: directory) }
        try body()
        for number in 0..<20 { try make(Array("z\(number)".utf8), in: directory) }
    }

    private func nest(_ depth: Int) throws -> String {
        var place = path
        for _ in 0..<depth { place += "/d" }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        return place
    }

    @Test func `FS-24: a name that is no text exceeds the limit and only ends the count`() async {
        await #expect(processExitsWith: .success) {
            let tests = try DirectoryUseTests()
            try tests.around(tests.path) { try tests.make([0xFF], in: tests.nest(1)) }
            let excess = DirectoryUse(of: try Descriptor.directory(tests.path), size: 1 << 30, inodes: 1000).excess
            try #require(excess == "more than 1000 files in its private directory")
        }
    }

    @Test func `FS-24: a tree that is too deep exceeds the limit`() async {
        await #expect(processExitsWith: .success) {
            let tests = try DirectoryUseTests()
            for depth in [62, 63, 64] { try tests.around(tests.nest(depth)) {} }
            let excess = DirectoryUse(of: try Descriptor.directory(tests.path), size: 1 << 30, inodes: 1000).excess
            try #require(excess == "folders in its private directory that are nested more than 64 deep")
        }
    }

    @Test(.enabled(if: getuid() == 0, "needs root, which alone can mount here"))
    func `FS-24: a file system in a directory exceeds its limits and is not looked at`() throws {
        let place = try nest(1)
        try #require(mount("annex-test", place, "tmpfs", 0, nil) == 0)
        defer { umount2(place, Int32(MNT_DETACH)) }
        try Data(count: 1 << 20).write(to: URL(filePath: place + "/large"))
        let use = DirectoryUse(of: try Descriptor.directory(path), size: 1 << 30, inodes: 1000)
        #expect(use.excess == "a file system that is mounted in its private directory, and cannot be counted")
        #expect(use.bytes < 1 << 20)
    }

    @Test func `FS-24: a directory may reach its limits but not exceed them`() throws {
        try around(nest(3)) {}
        func excess(_ size: UInt64, _ inodes: UInt64) throws -> String? {
            DirectoryUse(of: try Descriptor.directory(path), size: size, inodes: inodes).excess
        }
        #expect(try excess(1 << 30, 43) == nil)
        #expect(try excess(.max, .max) == nil)
        #expect(try excess(1 << 30, 42) != nil)
        #expect(try excess(1 << 30, 0) != nil)
        try Data(count: 1 << 16).write(to: folder.url.appending(path: "large"))
        #expect(try excess(1 << 15, 1000)?.contains("bytes in its private directory") == true)
    }

    @Test func `sums that overflow become the largest number`() {
        #expect(UInt64.max.addingClamped(1) == .max && UInt64(3).addingClamped(4) == 7)
        #expect(UInt64(bytesOfBlocks: .max) == .max && UInt64(bytesOfBlocks: 3) == 1536)
    }
}
