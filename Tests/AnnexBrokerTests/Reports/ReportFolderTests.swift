import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexBroker

@Suite(.timeLimit(.minutes(20))) struct ReportFolderTests {
    private let parent: TemporaryFolder
    private let start = WallClock(microseconds: 1_795_330_714_012_345)

    init() throws { parent = try TemporaryFolder() }

    private var path: String { parent.url.appending(path: "state/annex/reports").path }

    private var names: [ReportName] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap(ReportName.init).sorted()
    }

    private func name(_ number: Int, _ identifier: String = "a") -> ReportName {
        ReportName(identifier, at: WallClock(microseconds: start.microseconds + Int64(number)), mark: UInt64(number))
    }

    private func cap(_ reports: Int, ofOne: Int = 1000, bytes: Int64 = 1 << 20) -> ReportFolder.Cap {
        ReportFolder.Cap(reports: reports, ofOne: ofOne, bytes: bytes)
    }

    @Test func `the report folder is made for its user alone`() throws {
        let folder = try ReportFolder.own(path)
        try folder.write([1, 2, 3], as: name(0))
        for made in ["state", "state/annex", "state/annex/reports"] {
            let found = try FileManager.default.attributesOfItem(atPath: parent.url.appending(path: made).path)
            #expect((found[.posixPermissions] as? Int).map { $0 & 0o077 } == 0, "\(made)")
        }
        let file = try FileManager.default.attributesOfItem(atPath: path + "/" + name(0).text)
        #expect(file[.posixPermissions] as? Int == 0o600 && file[.size] as? Int == 3)
    }

    @Test(arguments: [0o720, 0o702, 0o777]) func `a folder that other users may write to is refused`(mode: Int) throws {
        _ = try ReportFolder.own(path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: SystemError.self) { _ = try ReportFolder.own(path) }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone can give a folder away"))
    func `a folder of another user is refused`() throws {
        _ = try ReportFolder.own(path)
        #expect(chown(path, 65534, 65534) == 0)
        #expect(throws: SystemError.self) { _ = try ReportFolder.own(path) }
    }

    @Test func `FS-11: a link in place of the folder is refused`() throws {
        let other = parent.url.appending(path: "other").path
        _ = try ReportFolder.own(other)
        try FileManager.default.createSymbolicLink(
            atPath: parent.url.appending(path: "link").path, withDestinationPath: other)
        #expect(throws: SystemError.self) { _ = try ReportFolder.own(parent.url.appending(path: "link").path) }
    }

    @Test func `the oldest reports are removed first`() throws {
        let folder = try ReportFolder.own(path)
        for number in 0..<20 { try folder.write([0], as: name(number)) }
        try folder.tidy(keeping: cap(7), at: start)
        #expect(names == (13..<20).map { name($0) })
    }

    @Test func `the bytes of all reports are bounded too`() throws {
        let folder = try ReportFolder.own(path)
        for number in 0..<20 { try folder.write([UInt8](repeating: 0, count: 1000), as: name(number)) }
        try folder.tidy(keeping: cap(100, bytes: 5500), at: start)
        #expect(names == (15..<20).map { name($0) })
    }

    @Test func `an extension that ends repeatedly pushes out no report of another`() throws {
        let folder = try ReportFolder.own(path)
        try folder.write([0], as: name(0, "quiet"))
        for number in 1..<50 { try folder.write([0], as: name(number, "loud")) }
        try folder.tidy(keeping: cap(20, ofOne: 10), at: start)
        #expect(names == [name(0, "quiet")] + (40..<50).map { name($0, "loud") })
    }

    @Test func `reports from the future are removed first after a clock was set back`() throws {
        let folder = try ReportFolder.own(path)
        let future = (0..<5).map { name($0 + 200_000_000_000) }
        for name in future { try folder.write([0], as: name) }
        for number in 0..<5 { try folder.write([0], as: name(number)) }
        try folder.tidy(keeping: cap(7), at: start)
        #expect(names == (0..<5).map { name($0) } + future.suffix(2))
    }

    @Test func `a machine whose clock is not set yet loses no reports within the limit`() throws {
        let folder = try ReportFolder.own(path)
        for number in 0..<5 { try folder.write([0], as: name(number)) }
        try folder.tidy(keeping: cap(7), at: WallClock(microseconds: 0))
        #expect(names == (0..<5).map { name($0) })
    }

    @Test func `files that are no reports are left alone`() throws {
        let folder = try ReportFolder.own(path)
        let others = ["notes.txt", ".hidden", "20261122T065834.012345Z-a.json", ".writing.notes"]
        for other in others { try Data("x".utf8).write(to: URL(filePath: path + "/" + other)) }
        try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: false)
        for number in 0..<5 { try folder.write([0], as: name(number)) }
        try folder.tidy(keeping: cap(1), at: start)
        let left = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(left) == Set(others + ["folder", name(4).text]))
    }

    @Test func `a draft is removed once its writer has ended`() throws {
        let folder = try ReportFolder.own(path)
        let space = ownSpace
        // The name of the first draft states a start time that no process has. A reader cannot check writers of
        // another namespace, so it keeps their drafts for an hour.
        let gone = ".writing.annex.\(space).\(getpid()).1.7"
        let foreign = ".writing.annex.1.\(getpid()).1.7"
        for draft in [gone, foreign] { try Data("x".utf8).write(to: URL(filePath: path + "/" + draft)) }
        try folder.tidy()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [foreign])
        try folder.tidy(at: WallClock(microseconds: WallClock.now().microseconds + 3_700_000_000))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    private var ownSpace: UInt64 {
        var status = stat()
        return stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
    }
}
