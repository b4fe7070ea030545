import AnnexBundle
import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

/// The check at each launch of an extension. The app of the extension was checked at its installation.
@Suite(.timeLimit(.minutes(20))) struct LaunchCheckTests {
    private let test: SigningFixture
    private let app: AppBundle
    private let bundle: ExtensionBundle
    private let sealed: SealedExtension
    private let program: String
    private let info: String

    init() throws {
        test = try SigningFixture()
        try test.sign()
        app = try AppBundle.open(test.path)
        bundle = try #require(app.extensions.first)
        sealed = try #require(try SealedExtension.all(of: app, sealed: SealedApp.check(app)).first)
        program = "\(test.path)/PlugIns/Part0.appex/Program"
        info = "\(test.path)/PlugIns/Part0.appex/Info.plist"
    }

    private func rejection() throws -> SigningError {
        try #require(throws: SigningError.self) { try sealed.check(bundle) }
    }

    @Test func `P8: an unchanged extension is launched as often as wanted`() throws {
        for _ in 0..<3 { try sealed.check(bundle) }
        // The status of the file changes, but its contents stay the same.
        chmod(program, 0o700)
        chmod(program, 0o755)
        for _ in 0..<3 { try sealed.check(bundle) }
    }

    @Test func `P8: program and Info plist of an unsigned app are checked at launch`() throws {
        let other = try MadeApp("com.example.plain", carrying: ["com.example.plain.part"])
        let plain = try AppBundle.open(other.path)
        let bundle = try #require(plain.extensions.first)
        #expect(try SealedApp.load(plain) == nil && !SealedApp.hasSeal(plain))
        let checked = try #require(try SealedExtension.all(of: plain, sealed: SealedApp.check(plain)).first)
        for _ in 0..<2 { try checked.check(bundle) }
        for name in ["Program", "Info.plist"] {
            let path = "\(other.path)/PlugIns/Part0.appex/\(name)"
            let bytes = try Data(contentsOf: URL(filePath: path))
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 20)
            try file.write(contentsOf: Data([0x5A]))
            #expect(try #require(throws: SigningError.self) { try checked.check(bundle) }.code == .changedContents)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: bytes)
            try checked.check(bundle)
        }
    }

    @Test func `P8: an unsigned app of an earlier broker is read once and compared with its digest`() throws {
        let other = try MadeApp("com.example.plain", carrying: ["com.example.plain.part"])
        let plain = try AppBundle.open(other.path)
        let bundle = try #require(plain.extensions.first)
        let digest = try SealedApp.check(plain).contentDigest.hex
        let unread = UnreadApp(plain, digest: digest)
        for _ in 0..<2 { try unread.check(bundle) }
        try Data("more".utf8).write(to: URL(filePath: other.path + "/PlugIns/Part0.appex/data"))
        // Later launches check only the program and Info.plist.
        try unread.check(bundle)
        let error = try #require(throws: SigningError.self) { try UnreadApp(plain, digest: digest).check(bundle) }
        #expect(error.code == .changedContents && error.remedy == "install the app again", "\(error)")
        #expect(throws: SigningError.self) { try UnreadApp(plain, digest: "").check(bundle) }
    }

    @Test func `P8: a changed unsigned app stays refused without another reading`() throws {
        let other = try MadeApp("com.example.plain", carrying: ["com.example.plain.part"])
        let plain = try AppBundle.open(other.path)
        let bundle = try #require(plain.extensions.first)
        let unread = UnreadApp(plain, digest: try SealedApp.check(plain).contentDigest.hex)
        let added = other.path + "/PlugIns/Part0.appex/data"
        try Data("more".utf8).write(to: URL(filePath: added))
        #expect(throws: SigningError.self) { try unread.check(bundle) }
        try FileManager.default.removeItem(atPath: added)
        #expect(throws: SigningError.self) { try unread.check(bundle) }
    }

    @Test func `P8: an unsigned app that was replaced before it was read is refused`() throws {
        let other = try MadeApp("com.example.plain", carrying: ["com.example.plain.part"])
        func opened() throws -> (UnreadApp, ExtensionBundle) {
            let plain = try AppBundle.open(other.path)
            return (UnreadApp(plain, digest: "aa"), try #require(plain.extensions.first))
        }
        let (unread, bundle) = try opened()
        let error = #expect(throws: SigningError.self) { try unread.check(bundle) }
        #expect(error?.remedy == "begin the extension again")
    }

    @Test func `P8: an installed app is loaded by its seal and each launch reads what it needs`() throws {
        let loaded = try #require(try SealedApp.load(app))
        #expect(try SealedApp.hasSeal(app) && loaded.team == SealedApp.check(app).team)
        let sealed = try #require(try SealedExtension.all(of: app, sealed: loaded).first)
        for _ in 0..<2 { try sealed.check(bundle) }
        try test.write("changed", to: "PlugIns/Part0.appex/Info.plist")
        #expect(throws: SigningError.self) { try sealed.check(bundle) }
        try test.putSeal([1, 2, 3])
        #expect(throws: SigningError.self) { _ = try SealedApp.load(app) }
    }

    @Test func `P8: one changed byte of program, Info plist or seal is refused at launch`() throws {
        for path in [program, info, "\(test.path)/_CodeSignature/Seal"] {
            let bytes = try Data(contentsOf: URL(filePath: path))
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 20)
            try file.write(contentsOf: Data([0x5A]))
            let error = try rejection()
            #expect(error.code == .changedContents && error.remedy == "install the app again", "\(error)")
            try file.seek(toOffset: 0)
            try file.write(contentsOf: bytes)
            try sealed.check(bundle)
        }
    }

    @Test func `P8: a replaced program is refused at launch even with the same bytes`() throws {
        let bytes = try Data(contentsOf: URL(filePath: program))
        unlink(program)
        try bytes.write(to: URL(filePath: program))
        #expect(try rejection().what.contains("replaced"))
    }

    @Test func `P8: a missing seal or Info plist is refused at launch`() throws {
        for path in [info, "\(test.path)/_CodeSignature/Seal"] {
            rename(path, "\(test.path)/../kept")
            #expect(try rejection().code == .changedContents)
            rename("\(test.path)/../kept", path)
            try sealed.check(bundle)
        }
    }

    @Test func `P8: a second name or a right of others is refused at launch`() throws {
        link(program, "\(test.path)/../second")
        #expect(try rejection().what.contains("second name"))
        unlink("\(test.path)/../second")
        try sealed.check(bundle)
        chmod(info, 0o646)
        #expect(try rejection().code == .changedContents)
    }
}
