import AnnexBrokerAPI
import AnnexLaunch
import AnnexLinux
import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexBroker

/// The folder of all private directories. The tests cover places, owners, and removals that a kill interrupts.
@Suite(.timeLimit(.minutes(20))) struct PrivateFolderTests {
    private let folder: TemporaryFolder
    private let key = PrivateKey(app: "com.example.notes", identifier: "com.example.notes.widget")

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.url.path + "/private" }

    private func open() throws -> PrivateFolder { try PrivateFolder.own(path) }

    private func names(_ place: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + place)) ?? []).sorted()
    }

    @Test func `the folder is the first of the places that the user named`() throws {
        func place(_ user: UInt32, _ variables: [String: String]) throws -> String {
            try PrivateLocation.standard.path(user: user) { variables[$0] }
        }
        #expect(try place(0, ["HOME": "/root"]) == "/var/lib/annex/private")
        #expect(try place(1000, ["XDG_DATA_HOME": "/data", "HOME": "/home/a"]) == "/data/annex/private")
        #expect(try place(1000, ["XDG_DATA_HOME": "data", "HOME": "/home/a"]) == "/home/a/.local/share/annex/private")
        #expect(throws: SystemError.self) { try place(1000, ["HOME": "a"]) }
        #expect(try PrivateLocation.folder("/srv").path() == "/srv")
        #expect(throws: SystemError.self) { try PrivateLocation.folder("srv").path() }
    }

    @Test func `a private directory is closed to others and is the same one each time`() throws {
        let first = try open().directory(of: key, team: nil, hasOwners: false).directory.status()
        let second = try open().directory(of: key, team: nil, hasOwners: false).directory.status()
        #expect(first.inode == second.inode && first.mode == 0o700 && first.user == geteuid())
        for place in [path, path + "/" + key.app] {
            #expect(try Descriptor.directory(place).status().mode == 0o700)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone gives files to other users"))
    func `each app has an owner of its own, which stays`() throws {
        let folder = try open()
        var owners: Set<UInt32> = []
        for number in 0..<20 {
            let key = PrivateKey(app: "com.example.a\(number)", identifier: "com.example.a\(number).one")
            let other = PrivateKey(app: key.app, identifier: key.app + ".two")
            let owner = try #require(try folder.directory(of: key, team: nil, hasOwners: true).owner)
            #expect(try folder.directory(of: other, team: nil, hasOwners: true).owner == owner)
            #expect(try open().directory(of: key, team: nil, hasOwners: true).owner == owner)
            #expect(try Descriptor.directory("\(path)/\(key)").status().user == owner)
            #expect(IdentityRange.owners.contains(owner) && !IdentityRange.extensions.contains(owner))
            owners.insert(owner)
        }
        #expect(owners.count == 20)
    }

    @Test func `a link, a file and a foreign directory in its place are rejected`() throws {
        let outside = folder.url.appending(path: "outside")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
        let folder = try open()
        for place in [key.app, "\(key)"] {
            try FileManager.default.createSymbolicLink(atPath: path + "/" + place, withDestinationPath: outside.path)
            #expect(throws: SystemError.self) { _ = try folder.directory(of: key, team: nil, hasOwners: false) }
            try FileManager.default.removeItem(atPath: path + "/" + place)
            try FileManager.default.createDirectory(atPath: path + "/" + key.app, withIntermediateDirectories: true)
        }
        try Data().write(to: URL(filePath: "\(path)/\(key)"))
        #expect(throws: SystemError.self) { _ = try folder.directory(of: key, team: nil, hasOwners: false) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path).isEmpty)
        chmod(path, 0o777)
        #expect(throws: SystemError.self) { _ = try PrivateFolder.own(path) }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone gives files to other users"))
    func `a private directory of another user is rejected with the remedy`() throws {
        let folder = try open()
        _ = try folder.directory(of: key, team: nil, hasOwners: true)
        chown("\(path)/\(key)", 65534, 65534)
        let error = #expect(throws: SystemError.self) { _ = try folder.directory(of: key, team: nil, hasOwners: true) }
        #expect(error?.errno == EPERM && error?.remedy?.contains("65534") == true, "\(String(describing: error))")
    }

    @Test func `another team starts with an empty directory`() throws {
        let folder = try open()
        let teams = try (0..<2).map { try TeamKey(named: "Team \($0)").team }
        func inode(of team: Team?) throws -> UInt64 {
            try folder.directory(of: key, team: team, hasOwners: false).directory.status().inode
        }
        let unsigned = try inode(of: nil)
        #expect(try inode(of: nil) == unsigned)
        #expect(try inode(of: teams[0]) == unsigned, "the first team keeps the files of the unsigned app")
        let held = try folder.directory(of: key, team: teams[0], hasOwners: false)
        #expect(try inode(of: teams[1]) != unsigned)
        #expect(try folder.removeSome(atMost: 100) == .inUse)
        _ = held.takeDirectory()
        let second = try inode(of: teams[1])
        #expect(try inode(of: teams[1]) == second)
        #expect(try inode(of: nil) != second, "an unsigned app is of no team")
        while try folder.removeSome(atMost: 100) != .done {}
        #expect(names(PrivateFolder.removed).isEmpty && names(key.app) == [key.identifier])
    }

    // MARK: Removal

    @Test func `a removed directory is emptied in steps, once no instance uses it`() throws {
        let folder = try open()
        let used = try folder.directory(of: key, team: nil, hasOwners: false)
        for number in 0..<30 { try Data().write(to: URL(filePath: "\(path)/\(key)/\(number)")) }
        try folder.setAside(app: key.app)
        #expect(names() == [PrivateFolder.removed])
        #expect(try folder.removeSome(atMost: 100) == .inUse)
        // A new launch gets a new directory.
        let next = try folder.directory(of: key, team: nil, hasOwners: false)
        #expect(try next.directory.status().inode != used.directory.status().inode)
        _ = used.takeDirectory()
        #expect(try folder.removeSome(atMost: 10) == .unfinished)
        #expect(try folder.removeSome(atMost: 100) == .done)
        #expect(names(PrivateFolder.removed).isEmpty && names() == [PrivateFolder.removed, key.app].sorted())
        withExtendedLifetime(next) {}
    }

    @Test func `one extension of an app is removed and the others stay`() throws {
        let folder = try open()
        let other = PrivateKey(app: key.app, identifier: "com.example.notes.other")
        for key in [key, other] { _ = try folder.directory(of: key, team: nil, hasOwners: false) }
        try folder.setAside(key)
        // Removing a directory that does not exist is no error.
        try folder.setAside(key)
        try folder.setAside(app: "com.example.none")
        while try folder.removeSome(atMost: 10) != .done {}
        #expect(names(key.app) == [other.identifier])
    }

    @Test func `an announcement lasts until it is withdrawn`() throws {
        let folder = try open()
        let subjects: [PrivateSubject] = [.app(key.app), .extension(key.identifier, of: key.app)]
        for subject in subjects + subjects { try folder.announce(subject) }
        #expect(Set(try open().announcements()) == Set(subjects))
        try folder.withdraw(subjects[0])
        try folder.withdraw(subjects[0])
        #expect(try folder.announcements() == [subjects[1]])
        #expect(PrivateSubject(named: "a@b@c") == nil)
    }
}
