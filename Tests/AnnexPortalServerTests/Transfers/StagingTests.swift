import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexPortalServer

/// Files between a group's container and its transfers.
@Suite(.timeLimit(.minutes(20))) struct StagingTests {
    private let fixture: GroupFixture
    private let group: OpenGroup
    private let staging: TransferStaging

    init() throws {
        fixture = try GroupFixture()
        group = try fixture.openGroup()
        staging = TransferStaging(of: 1, session: "com.example.sync", in: group)
    }

    private func path(_ name: String) -> String { fixture.container + "/" + name }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
    }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    private func staged(_ index: Int, size: UInt64) throws -> String {
        String(decoding: try staging.file(index, size: size).readAll(atMost: 1 << 20), as: UTF8.self)
    }

    private func refusal(_ paths: [String], atMost most: UInt64 = 1 << 20) -> PortalError? {
        do throws(PortalError) {
            _ = try staging.take(paths, atMost: most)
            return nil
        } catch {
            #expect(staging.restore(paths))
            return error
        }
    }

    @Test func `files leave the container for a folder that no member can open`() throws {
        try FileManager.default.createDirectory(atPath: path("album"), withIntermediateDirectories: true)
        try write("one", to: "one.txt")
        try write("second", to: "album/two.txt")
        #expect(try staging.take(["one.txt", "album/two.txt"], atMost: 9) == [3, 6])
        #expect(text("one.txt") == nil && text("album/two.txt") == nil)
        #expect(try staged(0, size: 3) == "one" && staged(1, size: 6) == "second")
        #expect(throws: SystemError.self) { try staged(1, size: 7) }
        staging.remove()
        #expect(throws: SystemError.self) { try staged(0, size: 3) }
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    @Test func `a descriptor that a member kept open does not change a staged file`() throws {
        try write("before", to: "file")
        let writer = try Descriptor.open(path("file"), O_RDWR)
        let reference = try Descriptor.reference(to: path("file"))
        #expect(try staging.take(["file"], atMost: 100) == [6])
        try writer.writeAll(Array("after!".utf8))
        try? writer.resize(to: 1)
        // A descriptor without any right can be opened anew, as long as its file belongs to the member.
        let again = try? Descriptor.open("/proc/self/fd/\(reference.number)", O_WRONLY | O_TRUNC)
        if let again { try again.writeAll(Array("again!".utf8)) }
        #expect(try staged(0, size: 6) == "before")
    }

    @Test func `a mapping that a member kept does not change a staged file`() throws {
        try write(String(repeating: "a", count: 4096), to: "file")
        let mapping = try Mapping(Descriptor.open(path("file"), O_RDWR), size: 4096, writable: true)
        #expect(try staging.take(["file"], atMost: 4096) == [4096])
        mapping.start.storeBytes(of: UInt8(ascii: "b"), as: UInt8.self)
        #expect(try staged(0, size: 4096) == String(repeating: "a", count: 4096))
    }

    @Test func `links, pipes, folders and paths out of the container are refused, and stay where they are`() throws {
        let outside = fixture.folder.url.path + "/secret"
        try Data("secret".utf8).write(to: URL(filePath: outside))
        try write("target", to: "target")
        #expect(symlink(outside, path("link")) == 0 && symlink("target", path("inner")) == 0)
        #expect(mkfifo(path("pipe"), 0o600) == 0 && mkdir(path("folder"), 0o700) == 0)
        #expect(link(path("target"), path("second")) == 0 && symlink("folder", path("way")) == 0)
        let refused = [
            "link", "inner", "pipe", "folder", "second", "target", "way/file", "missing", "", ".", "..", "/", "../x",
            "a/../target", "./target", "/etc/passwd", "folder/", "//target", "a\0b",
            String(repeating: "x", count: 5000),
            "../../../../../../secret",
        ]
        for path in refused { #expect(refusal([path]) != nil, "\(path.prefix(40))") }
        #expect(refusal(["missing"])?.code == .notFound)
        // No text of a refusal leads out of the container.
        for path in refused { #expect(refusal([path])?.description.contains(fixture.folder.url.path) != true) }
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: fixture.container)) == [
                "folder", "inner", "link", "pipe", "second", "target", "way",
            ])
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    @Test func `if one file cannot be taken, all files are back in the container`() throws {
        try write("one", to: "one")
        try write("two", to: "two")
        #expect(refusal(["one", "two", "three"])?.code == .notFound)
        #expect(refusal(["one", "one"])?.code == .notFound)
        #expect(refusal(["one", "two"], atMost: 5)?.code == .full)
        #expect(text("one") == "one" && text("two") == "two")
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    @Test func `of a copy that was not finished, the file itself goes back`() throws {
        try write("whole", to: "file")
        #expect(try staging.take(["file"], atMost: 100) == [5])
        let folder = try group.transfers.openBeneath("com.example.sync/1", O_RDONLY | O_DIRECTORY)
        try folder.rename("0", toNew: "0.taken")
        try folder.openBeneath("0", O_WRONLY | O_CREAT, mode: 0o400).writeAll(Array("who".utf8))
        #expect(staging.restore(["file"]) && text("file") == "whole")
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    @Test func `files that cannot go back now stay staged, and go back later`() throws {
        try write("one", to: "one")
        #expect(try staging.take(["one"], atMost: 100) == [3])
        // The folder of the session is no folder for a while.
        let transfers = try group.transfers.path()
        #expect(rename(transfers + "/com.example.sync", transfers + "/away") == 0)
        #expect(symlink("away", transfers + "/com.example.sync") == 0)
        #expect(!staging.restore(["one"]))
        #expect(unlink(transfers + "/com.example.sync") == 0)
        #expect(rename(transfers + "/away", transfers + "/com.example.sync") == 0)
        #expect(staging.restore(["one"]) && text("one") == "one")
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    @Test func `a restored file does not replace a newer one`() throws {
        try write("old", to: "file")
        #expect(try staging.take(["file"], atMost: 100) == [3])
        try write("new", to: "file")
        #expect(staging.restore(["file"]))
        #expect(text("file") == "new")
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    // MARK: Downloads

    private func download(_ text: String, keeping isKept: Bool = false) throws {
        let file = try staging.destination(keeping: isKept)
        try file.writeAll(Array(text.utf8))
    }

    @Test func `a download comes to its place as a whole, and replaces the file that has its name`() throws {
        try write("old", to: "film")
        try download("a whole film")
        #expect(text("film") == "old")
        #expect(try staging.place(at: "film", atMost: 1 << 20, isAgain: false))
        #expect(text("film") == "a whole film")
        // After a crash between the rename and the book, the file is in its place already.
        #expect(
            try staging.place(at: "film", atMost: 1 << 20, isAgain: true)
                && !staging.place(at: "film", atMost: 1 << 20, isAgain: false))
        let owner = try Descriptor.reference(to: path("film")).status()
        #expect(owner.mode == 0o600 && owner.user == geteuid())
    }

    @Test func `a descriptor that the agent kept does not change a file that has come to its place`() throws {
        let kept = try staging.destination(keeping: false)
        try kept.writeAll(Array("film".utf8))
        #expect(try staging.place(at: "film", atMost: 4, isAgain: false))
        try kept.writeAll(Array("more".utf8))
        #expect(text("film") == "film")
        staging.remove()
        #expect(try group.transfers.entries(atMost: 10).isEmpty)
    }

    @Test func `a file that is larger than what was promised does not come to its place`() throws {
        do {
            let kept = try staging.destination(keeping: false)
            try kept.writeAll(Array("films".utf8))
            #expect(try !staging.place(at: "film", atMost: 4, isAgain: false))
        }
        #expect(try !staging.place(at: "film", atMost: 4, isAgain: true) && text("film") == nil)
        #expect(try staging.place(at: "film", atMost: 5, isAgain: true) && text("film") == "films")
    }

    @Test func `a download without a place fails, and no file outside of the container changes`() throws {
        #expect(mkdir(path("folder"), 0o700) == 0 && symlink("/tmp", path("link")) == 0)
        for place in ["folder", "missing/film", "link/film", "../film", "/tmp/film", ""] {
            try download("film")
            #expect(try !staging.place(at: place, atMost: 1 << 20, isAgain: true), "\(place)")
        }
        // A link that has the name is replaced, and not followed.
        try download("film")
        #expect(symlink(fixture.folder.url.path + "/victim", path("aim")) == 0)
        #expect(try staging.place(at: "aim", atMost: 1 << 20, isAgain: false))
        #expect(text("aim") == "film" && access(fixture.folder.url.path + "/victim", F_OK) != 0)
    }

    @Test func `the bytes of an earlier attempt stay only if they are wanted`() throws {
        try download("a part")
        #expect(try staging.destination(keeping: true).status().size == 6)
        #expect(try staging.destination(keeping: false).status().size == 0)
    }

    // MARK: Members of another user

    @Test(.enabled(if: geteuid() == 0, "needs root: only root serves members of another user"))
    func `a file of another user is staged by its rename, and can be changed no more`() throws {
        let place = try Descriptor.directory(fixture.folder.url.path)
        let key = GroupKey(team: String(repeating: "cd", count: 32), identifier: "group.com.example.other")
        let group = try OpenGroup(GroupFolder(key, in: place, at: fixture.folder.url.path, owner: 65534))
        let staging = TransferStaging(of: 1, session: "com.example.sync", in: group)
        func add(_ name: String) throws -> UInt64 {
            let file = try group.container.openBeneath(name, O_RDWR | O_CREAT, mode: 0o600)
            try file.writeAll(Array(name.utf8))
            try file.setOwner(65534, group: 65534)
            return try file.status().inode
        }
        let (free, held) = (try add("free"), try add("held"))
        let writer = try group.container.openBeneath("held", O_RDWR)
        #expect(try staging.take(["free", "held"], atMost: 100) == [4, 4])
        let (one, other) = (try staging.file(0, size: 4).status(), try staging.file(1, size: 4).status())
        // The kernel says that no process has the first file open for writing. The second one had to be copied.
        #expect(one.inode == free && other.inode != held)
        #expect(one.user == 0 && other.user == 0 && one.mode == 0o400 && other.mode == 0o400)
        try writer.writeAll(Array("evil".utf8))
        #expect(try staging.file(1, size: 4).readAll(atMost: 100) == Array("held".utf8))
        #expect(staging.restore(["free", "held"]))
        let back = try group.container.openBeneath("free", O_RDONLY).status()
        #expect(back.user == 65534 && back.mode == 0o600 && back.inode == free)
    }
}
