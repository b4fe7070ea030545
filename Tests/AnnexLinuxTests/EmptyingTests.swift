import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLinux

/// The removal of directories whose contents another program chose.
@Suite(.timeLimit(.minutes(20))) struct EmptyingTests {
    private let folder: TemporaryFolder
    private let top: URL

    init() throws {
        folder = try TemporaryFolder()
        top = folder.url.appending(path: "top")
        try FileManager.default.createDirectory(at: top, withIntermediateDirectories: false)
    }

    private func opened() throws -> Descriptor { try Descriptor.directory(top.path) }

    private func empty() throws {
        let directory = try opened()
        while !(try directory.emptied(atMost: 1000)) {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: top.path).isEmpty)
    }

    /// Makes nested directories, each with a file. It never uses a path that is as long as their depth.
    private func nest(_ depth: Int) throws {
        var here = try opened()
        for _ in 0..<depth {
            try here.makeDirectory("d", mode: 0o700)
            _ = try here.openBeneath("f", O_WRONLY | O_CREAT, mode: 0o600)
            here = try here.openBeneath("d", O_RDONLY | O_DIRECTORY)
        }
    }

    @Test func `FS-25: a tree of ten thousand levels is removed with few descriptors`() throws {
        try nest(10_000)
        try empty()
    }

    @Test func `FS-25: each call does a bounded part of the work`() throws {
        for number in 0..<50 { try Data().write(to: top.appending(path: "\(number)")) }
        let directory = try opened()
        #expect(try !directory.emptied(atMost: 20))
        #expect(try FileManager.default.contentsOfDirectory(atPath: top.path).count == 30)
        #expect(try !directory.emptied(atMost: 0))
        #expect(try directory.emptied(atMost: 1000))
    }

    @Test func `FS-25: names of any bytes and directories without rights are removed`() throws {
        let names: [[CChar]] = [[-1, -2, 0], [27, 91, 50, 74, 10, 0], [32, 0], [45, 114, 102, 0]]
        for name in names {
            let path = Array((top.path + "/").utf8CString.dropLast()) + name
            let file = Glibc.open(path, O_WRONLY | O_CREAT, 0)
            try #require(file >= 0)
            close(file)
        }
        let inner = top.appending(path: "closed/inner/deeper")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        for place in ["closed/inner/deeper", "closed/inner", "closed"] {
            chmod(top.appending(path: place).path, 0)
        }
        try empty()
    }

    @Test func `FS-25: links are removed and never followed`() throws {
        let outside = folder.url.appending(path: "outside")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
        try Data("kept".utf8).write(to: outside.appending(path: "kept"))
        let files = FileManager.default
        try files.createDirectory(at: top.appending(path: "d"), withIntermediateDirectories: false)
        for place in ["link", "d/link"] {
            try files.createSymbolicLink(atPath: top.path + "/" + place, withDestinationPath: outside.path)
        }
        try files.createSymbolicLink(atPath: top.path + "/loop", withDestinationPath: "loop")
        try files.linkItem(atPath: outside.path + "/kept", toPath: top.path + "/d/hard")
        try #require(mkfifo(top.path + "/pipe", 0o600) == 0)
        try empty()
        #expect(try Data(contentsOf: outside.appending(path: "kept")) == Data("kept".utf8))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone may mount here"))
    func `FS-25: a file system that is mounted inside is not entered`() throws {
        let place = top.appending(path: "d/mounted")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try #require(mount("annex-test", place.path, "tmpfs", 0, nil) == 0)
        defer { umount2(place.path, Int32(MNT_DETACH)) }
        try Data("kept".utf8).write(to: place.appending(path: "kept"))
        let directory = try opened()
        let error = #expect(throws: SystemError.self) { while !(try directory.emptied(atMost: 1000)) {} }
        #expect([EXDEV, EBUSY].contains(error?.errno ?? 0) && error?.path == "mounted", "\(String(describing: error))")
        #expect(FileManager.default.fileExists(atPath: place.path + "/kept"))
    }

    @Test func `a lock of one description excludes another until its last duplicate is closed`() throws {
        let one = try opened()
        do {
            var copies = DescriptorList()
            do {
                let other = try opened()
                #expect(try one.lock(.shared))
                #expect(try other.lock(.shared))
                copies.append(try other.duplicate())
            }
            #expect(try !one.lock(.exclusive))
            copies.closeAll()
        }
        #expect(try one.lock(.exclusive))
        let other = try opened()
        #expect(try !other.lock(.shared))
    }
}
