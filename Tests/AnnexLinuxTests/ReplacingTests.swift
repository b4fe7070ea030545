import AnnexLinux
import AnnexTestSupport
import Dispatch
import Foundation
import Glibc
import Testing

/// A file that is replaced or made new holds the old bytes or the new ones, and no draft stays.
@Suite(.timeLimit(.minutes(20))) struct ReplacingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened() throws(SystemError) -> Descriptor { try Descriptor.directory(folder.url.path) }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }

    private func createNew(_ name: String, _ text: String) throws -> SystemError? {
        let descriptor = try opened()
        var failure: SystemError?
        Array(text.utf8).withUnsafeBytes { bytes in
            do throws(SystemError) {
                try descriptor.createNew(name, with: bytes, mode: 0o640)
            } catch {
                failure = error
            }
        }
        return failure
    }

    @Test(arguments: [true, false]) func `a file is replaced as a whole, with its mode`(isDurable: Bool) throws {
        let descriptor = try opened()
        for word in ["first", "second"] {
            try descriptor.replace("file", with: Array(word.utf8), mode: 0o664, isDurable: isDurable)
            #expect(try text("file") == word && folder.names == ["file"])
        }
        #expect(try descriptor.openBeneath("file", O_RDONLY).status().mode == 0o664, "whatever the umask is")
    }

    @Test func `a reader that has the old file keeps the old bytes`() throws {
        let descriptor = try opened()
        try descriptor.replace("file", with: Array("old".utf8))
        let held = try descriptor.openBeneath("file", O_RDONLY)
        try descriptor.replace("file", with: Array("new".utf8))
        #expect(try held.readAll(atMost: 10) == Array("old".utf8) && text("file") == "new")
    }

    @Test func `the draft of a killed writer is replaced, and so is a link in its place`() throws {
        let descriptor = try opened()
        let outside = folder.url.appending(path: "outside")
        try Data("kept".utf8).write(to: outside)
        for isLink in [false, true] {
            if isLink {
                try descriptor.makeLink("draft", to: outside.path)
            } else {
                try Data("half".utf8).write(to: folder.url.appending(path: "draft"))
                chmod(folder.url.path + "/draft", 0o666)
            }
            try descriptor.replace("file", with: Array("whole".utf8), draft: "draft")
            #expect(try text("file") == "whole" && folder.names == ["file", "outside"])
            #expect(try descriptor.openBeneath("file", O_RDONLY).status().mode == 0o600)
        }
        #expect(try text("outside") == "kept")
    }

    @Test func `if a file cannot get its name, no draft stays`() throws {
        let descriptor = try opened()
        try descriptor.makeDirectory("file", mode: 0o700)
        #expect(throws: SystemError.self) { try descriptor.replace("file", with: [1]) }
        #expect(throws: SystemError.self) { try descriptor.replace("no/file", with: [1]) }
        #expect(folder.names == ["file"])
    }

    @Test func `a new file never takes the place of another`() throws {
        let descriptor = try opened()
        #expect(try createNew("file", "first") == nil)
        #expect(try createNew("file", "second")?.errno == EEXIST)
        #expect(try text("file") == "first" && folder.names == ["file"])
        #expect(try descriptor.openBeneath("file", O_RDONLY).status().mode == 0o640)
    }

    @Test func `of many writers at once, one makes the file and each replaces it whole`() throws {
        let path = folder.url.path
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            guard let own = try? Descriptor.directory(path) else { return }
            for _ in 0..<50 { try? own.replace("file", with: [UInt8](repeating: UInt8(number), count: 5_000)) }
        }
        let bytes = try Data(contentsOf: folder.url.appending(path: "file"))
        #expect(bytes.count == 5_000 && Set(bytes).count == 1 && folder.names == ["file"])
    }
}
