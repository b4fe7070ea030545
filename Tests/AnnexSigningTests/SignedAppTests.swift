import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

/// Signed apps, and the changes that can happen to them afterwards.
@Suite(.timeLimit(.minutes(20))) struct SignedAppTests {
    private let part = "PlugIns/Part0.appex/Program"
    private let data = "PlugIns/Part0.appex/data.txt"

    @Test func `P8: a signed app is verified and names its team`() throws {
        let test = try SigningFixture()
        let signed = try test.sign()
        let found = try test.check()
        #expect(found.team == signed.team && found.team?.name == "Team ours")
        #expect(found.contentDigest == signed.contentDigest)
        #expect(found.seal.app == "com.example.signed" && found.seal.version == "1.0.3")
        #expect(found.seal.fileCount == 5)
        guard case .file(let size, let sum, let isExecutable) = found.seal.content(of: data) else {
            Issue.record("the seal lists no file \(data)")
            return
        }
        // This is the sum that `b2sum -l 256` prints.
        #expect(sum.hex == "af7429aaf79552d2c568573dc134304a0cf7199816d3999e2081be5e152b87a0")
        #expect(size == 8 && !isExecutable)
        #expect(found.seal.content(of: "link") == .link(target: Array("Info.plist".utf8)))
        #expect(found.seal.content(of: "PlugIns") == .directory)
        #expect(found.seal.content(of: "_CodeSignature") == nil)
    }

    @Test func `P8: an unsigned app has the same content digest and no team`() throws {
        let test = try SigningFixture()
        let before = try test.check()
        let signed = try test.sign()
        #expect(before.team == nil && before.contentDigest == signed.contentDigest && before.seal == signed.seal)
        try test.write("Resource", to: data)
        let other = try SigningFixture()
        try other.write("Resource", to: data)
        #expect(try other.check().contentDigest != before.contentDigest)
    }

    @Test func `P8: signing again replaces the signature and leaves nothing else`() throws {
        let test = try SigningFixture()
        try test.sign()
        try test.write("another resource", to: data)
        #expect(try test.differences() == ["\(data) changed"])
        try test.sign(by: "theirs")
        #expect(try test.check().team?.name == "Team theirs")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(test.path)/_CodeSignature")
        #expect(names == ["Seal"])
        let beside = try FileManager.default.contentsOfDirectory(atPath: test.path + "/..")
        #expect(beside == ["App.app"])
    }

    /// A change to a signed app, and the differences that it makes.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let differences: [String]
        let make: @Sendable (String) throws -> Void
    }

    static let changes: [Change] = [
        Change(testDescription: "one byte", differences: ["PlugIns/Part0.appex/Program changed"]) { app in
            let file = try #require(FileHandle(forUpdatingAtPath: "\(app)/PlugIns/Part0.appex/Program"))
            try file.seek(toOffset: 30)
            try file.write(contentsOf: Data([0x5A]))
        },
        Change(testDescription: "a byte more", differences: ["Info.plist changed"]) { app in
            let file = try #require(FileHandle(forUpdatingAtPath: "\(app)/Info.plist"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("\n".utf8))
        },
        Change(testDescription: "an added file", differences: ["PlugIns/more added"]) { app in
            #expect(FileManager.default.createFile(atPath: "\(app)/PlugIns/more", contents: Data()))
            chmod("\(app)/PlugIns/more", 0o644)
        },
        Change(testDescription: "an added directory", differences: ["PlugIns/more added"]) { app in
            mkdir("\(app)/PlugIns/more", 0o755)
        },
        Change(testDescription: "an added link", differences: ["PlugIns/more added"]) { app in
            symlink("Part0.appex", "\(app)/PlugIns/more")
        },
        Change(testDescription: "a file beside the seal", differences: ["_CodeSignature/more added"]) { app in
            #expect(FileManager.default.createFile(atPath: "\(app)/_CodeSignature/more", contents: Data()))
            chmod("\(app)/_CodeSignature/more", 0o644)
        },
        Change(testDescription: "a missing file", differences: ["PlugIns/Part0.appex/data.txt missing"]) { app in
            try FileManager.default.removeItem(atPath: "\(app)/PlugIns/Part0.appex/data.txt")
        },
        Change(
            testDescription: "a renamed file",
            differences: ["PlugIns/Part0.appex/data.text added", "PlugIns/Part0.appex/data.txt missing"]
        ) { app in
            rename("\(app)/PlugIns/Part0.appex/data.txt", "\(app)/PlugIns/Part0.appex/data.text")
        },
        Change(testDescription: "an executable file", differences: ["PlugIns/Part0.appex/data.txt madeExecutable"]) {
            chmod("\($0)/PlugIns/Part0.appex/data.txt", 0o755)
        },
        Change(testDescription: "a retargeted link", differences: ["link retargeted"]) { app in
            unlink("\(app)/link")
            symlink("Program", "\(app)/link")
        },
        Change(testDescription: "a link in place of a file", differences: ["PlugIns/Part0.appex/data.txt otherKind"]) {
            unlink("\($0)/PlugIns/Part0.appex/data.txt")
            symlink("Info.plist", "\($0)/PlugIns/Part0.appex/data.txt")
        },
        Change(testDescription: "a file in place of a link", differences: ["link otherKind"]) { app in
            let info = try Data(contentsOf: URL(filePath: "\(app)/Info.plist"))
            unlink("\(app)/link")
            try info.write(to: URL(filePath: "\(app)/link"))
            chmod("\(app)/link", 0o644)
        },
        Change(testDescription: "a hard link", differences: ["PlugIns/Part0.appex/data.txt hardLinked"]) { app in
            link("\(app)/PlugIns/Part0.appex/data.txt", "\(app)/../outside")
        },
        Change(testDescription: "a file of the group", differences: ["PlugIns/Part0.appex/data.txt writable"]) { app in
            chmod("\(app)/PlugIns/Part0.appex/data.txt", 0o664)
        },
        Change(testDescription: "a directory of the group", differences: ["PlugIns/Part0.appex writable"]) { app in
            chmod("\(app)/PlugIns/Part0.appex", 0o775)
        },
    ]

    @Test(arguments: changes) func `P8: a change after signing is refused and named`(change: Change) throws {
        let test = try SigningFixture()
        try test.sign()
        try change.make(test.path)
        let error = try test.rejection()
        #expect(error.code == .changedContents && error.remedy != nil && error.what.contains("(P8)"))
        #expect(error.differences.map { "\($0.path.shown) \($0.kind.rawValue)" } == change.differences)
    }

    @Test func `P8: every difference is reported and not only the first`() throws {
        let test = try SigningFixture()
        try test.sign()
        for number in 0..<300 { try test.write("", to: "more\(number)") }
        let error = try test.rejection()
        #expect(error.differences.count == 100 && error.what.contains("and 297 more"), "\(error)")
    }

    @Test func `P8: hard links and files of others are not sealed`() throws {
        let test = try SigningFixture()
        let second = "\(test.path)/PlugIns/Part0.appex/second"
        link("\(test.path)/\(data)", second)
        var error = try #require(throws: SigningError.self) { try test.sign() }
        #expect(error.code == .unsafeContents && error.differences.map(\.kind) == [.hardLinked, .hardLinked])
        unlink(second)
        chmod("\(test.path)/\(data)", 0o646)
        error = try #require(throws: SigningError.self) { try test.sign() }
        #expect(error.differences.map(\.kind) == [.writable] && error.remedy?.contains("chmod") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(test.path)/_CodeSignature"), "nothing was written")
    }

    @Test func `FS-26: pipes and sockets are neither signed nor accepted`() throws {
        for isSigned in [false, true] {
            let test = try SigningFixture()
            if isSigned { try test.sign() }
            mkfifo("\(test.path)/PlugIns/Part0.appex/pipe", 0o600)
            #expect(try test.rejection().code == .unsafeContents)
            #expect(throws: SigningError.self) { try test.sign() }
        }
    }

    @Test func `P8: a seal behind a link or in another kind of file is refused`() throws {
        let test = try SigningFixture()
        try test.sign()
        rename("\(test.path)/_CodeSignature/Seal", "\(test.path)/../Seal")
        symlink("../../Seal", "\(test.path)/_CodeSignature/Seal")
        #expect(throws: SigningError.self) { _ = try test.check() }
        unlink("\(test.path)/_CodeSignature/Seal")
        symlink("../Info.plist", "\(test.path)/_CodeSignature/Seal")
        #expect(try test.rejection().code == .damagedSeal)
        unlink("\(test.path)/_CodeSignature/Seal")
        mkdir("\(test.path)/_CodeSignature/Seal", 0o755)
        #expect(try test.rejection().code == .damagedSeal)
        rmdir("\(test.path)/_CodeSignature/Seal")
        mkfifo("\(test.path)/_CodeSignature/Seal", 0o644)
        #expect(throws: (any Error).self) { _ = try test.check() }
    }

    @Test func `P8: a seal that claims a gibibyte is refused unread`() throws {
        let test = try SigningFixture()
        try test.sign()
        truncate("\(test.path)/_CodeSignature/Seal", 1 << 30)
        let error = try test.rejection()
        #expect(error.code == .damagedSeal && error.what.contains("EFBIG"), "\(error)")
    }

    @Test func `FS-25: names are sealed as their bytes`() throws {
        let test = try SigningFixture()
        let names = ["with blanks", "e\u{301}", "\u{E9}", "back\\slash", "\u{1F600}", "quote\"s'", "-rf"]
        for name in names { try test.write(name, to: name) }
        try test.sign()
        #expect(try test.check().seal.fileCount == 5 + names.count)
        // Both spellings look the same, and Swift considers the texts equal.
        rename("\(test.path)/e\u{301}", "\(test.path)/spare")
        #expect(try test.differences() == ["e\u{301} missing", "spare added"])
    }

    @Test func `TTY-03: no name in an error steers the terminal`() throws {
        let test = try SigningFixture()
        try test.sign()
        try test.write("x", to: "PlugIns/Part0.appex/\u{1B}[31m\n")
        let error = try test.rejection()
        #expect(
            error.differences.map(\.description) == [
                "PlugIns/Part0.appex/\\u{1b}[31m\\n: is not part of the signed app"
            ])
        #expect(!error.description.contains("\u{1B}") && !error.description.contains("\n"))
    }

    @Test func `P8: an app of more than 20,000 files is not signed`() throws {
        let test = try SigningFixture()
        mkdir("\(test.path)/many", 0o755)
        for number in 0..<20_001 { close(creat("\(test.path)/many/\(number)", 0o644)) }
        let error = try #require(throws: SigningError.self) { try test.sign() }
        #expect(error.description.contains("at most"), "\(error)")
        #expect(throws: SigningError.self) { _ = try test.check() }
    }

    @Test func `P8: an older version shows its own version and its files do not mix with a newer one`() throws {
        let test = try SigningFixture(version: "1")
        try test.sign()
        let old = try test.seal()
        try test.setVersion("2")
        try test.sign()
        #expect(try test.check().seal.version == "2")
        try test.putSeal(old)
        #expect(try test.differences() == ["Info.plist changed"])
        try test.setVersion("1")
        #expect(try test.check().seal.version == "1")
    }

    @Test func `P8: the seal of another app is refused`() throws {
        let test = try SigningFixture()
        let other = try MadeApp("com.example.signed.other")
        _ = try AppSigner.sign(app: other.path, with: TeamKey(readingFrom: test.keyPath("ours")))
        try test.sign()
        try test.putSeal(Array(try Data(contentsOf: URL(filePath: "\(other.path)/_CodeSignature/Seal"))))
        #expect(try test.rejection().code == .changedContents)
    }

    @Test func `P8: an app that breaks a rule of packaging is not signed`() throws {
        let test = try SigningFixture()
        unlink("\(test.path)/Program")
        let error = try #require(throws: SigningError.self) { try test.sign() }
        #expect(error.code == .invalidBundle && error.what.contains("(P4)"))
    }
}
