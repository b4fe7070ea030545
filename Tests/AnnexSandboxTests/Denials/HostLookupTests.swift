import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexPolicy

/// A lookup of a path on the host must follow no link that a sandbox may have made.
@Suite struct HostLookupTests {
    private let folder: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "annex-lookup-\(UUID().uuidString)")
        folder = place.path
        for name in ["system/real", "shared"] {
            try FileManager.default.createDirectory(
                at: place.appending(path: name), withIntermediateDirectories: true)
        }
        try Data("x".utf8).write(to: place.appending(path: "system/real/file"))
        let links = [
            ("system/short", "real"), ("system/up", "../system/./real"), ("system/far", folder + "/system/real"),
            ("system/round", "round"), ("system/lost", "nowhere"), ("shared/planted", "/etc"),
        ]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: folder + "/" + name, withDestinationPath: target)
        }
    }

    private func look(_ path: String) -> HostLookup.Answer {
        let shared = folder + "/shared"
        var lookup = HostLookup { $0 == shared || $0.hasPrefix(shared + "/") }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = lookup.lookUp(folder + path)
        // A cached answer must be the same.
        #expect(lookup.lookUp(folder + path) == first)
        return first
    }

    @Test func `an existing file is found`() {
        #expect(look("/system/real/file") == .found(folder + "/system/real/file"))
    }

    @Test func `a name that is not UTF-8 is found, and a link with such a target is followed`() throws {
        let name = Array((folder + "/system/").utf8) + [0xFF, 0xFE]
        let odd = [CChar(bitPattern: 0xFF), CChar(bitPattern: 0xFE), 0]
        #expect(mkdir(name.map { CChar(bitPattern: $0) } + [0], 0o755) == 0)
        #expect(symlink(odd, folder + "/system/odd") == 0)
        let lookup = HostLookup { _ in false }
        let text = PathText.text(name)
        #expect(lookup.follow(text) == .found(text) && lookup.isDirect(text))
        #expect(lookup.follow(folder + "/system/odd") == .found(text) && !lookup.isDirect(folder + "/system/odd"))
        #expect(lookup.trail(folder + "/system/odd") == [text])
        #expect(look("/system/\u{FFFD}\u{FFFD}") == .missing)
    }

    @Test func `two names that are equal by Unicode are two files`() throws {
        try Data("x".utf8).write(to: URL(filePath: folder + "/system/caf\u{E9}"))
        var lookup = HostLookup { _ in false }
        #expect(lookup.lookUp(folder + "/system/caf\u{E9}") == .found(folder + "/system/caf\u{E9}"))
        #expect(lookup.lookUp(folder + "/system/cafe\u{301}") == .missing)
        #expect(look("/system/real") == .found(folder + "/system/real"))
    }

    @Test func `a file that does not exist is missing`() {
        #expect(look("/system/real/other") == .missing)
        #expect(look("/system/real/file/below") == .missing)
    }

    @Test(arguments: ["short", "up", "far"])
    func `links of the system are followed as text`(link: String) {
        #expect(look("/system/\(link)/file") == .found(folder + "/system/real/file"))
    }

    @Test func `a link in the last place is found itself`() {
        #expect(look("/system/lost") == .found(folder + "/system/lost"))
        #expect(look("/system/lost/file") == .missing)
    }

    @Test func `FS-11: a link that the sandbox may have planted is not followed`() {
        #expect(look("/shared/planted/passwd") == .unknown)
    }

    @Test func `FS-11: a planted link in the last place is found but not followed`() {
        #expect(look("/shared/planted") == .found(folder + "/shared/planted"))
    }

    @Test func `DEPUTY-07: links that lead round end`() {
        #expect(look("/system/round/file") == .unknown)
    }

    @Test func `DEPUTY-07: the lookup of a path of any length ends`() {
        #expect(look(String(repeating: "/a", count: 100_000)) == .missing)
        #expect(look("/" + String(repeating: "a", count: 5_000)) == .missing)
    }
}
