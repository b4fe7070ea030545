import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexPolicy

/// If a hostile program names a path, the host must mount nothing because of it.
@Suite struct AutomountTests {
    private static let mountinfo = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        33 22 0:31 / /net rw,relatime shared:14 - autofs /etc/auto.net rw,fd=6,pgrp=1
        34 22 0:32 / /mnt/with\\040space rw,relatime - autofs auto rw
        35 22 0:33 / /afs rw - afs none rw
        36 22 0:34 / /home rw - nfs server:/home rw
        37 22 0:35 / /boot rw master:1 propagate_from:2 - vfat /dev/vda1 rw
        """

    @Test(arguments: [
        ("/net", false), ("/net/data.evil.example", true), ("/net/data.evil.example/x", true), ("/network/x", false),
        ("/mnt/with space/x", true), ("/mnt/with space", false), ("/mnt/x", false), ("/afs/cell.example", true),
        ("/home/me/x", false), ("/boot/x", false), ("/etc/passwd", false), ("/", false),
    ])
    func `a path below an automounter is not looked up`(path: String, isAvoided: Bool) {
        #expect(Automounts(MountTable(Self.mountinfo)).lead(to: path) == isAvoided)
    }

    /// A file of such a mount may never answer, and a look at the mount point is such a question too.
    @Test func `a mount that a program of another user serves is avoided as a whole`() {
        func avoids(_ type: String, user: UInt32, _ path: String) -> Bool {
            Automounts(
                MountTable("36 22 0:34 / /home/other/x rw - \(type) sshfs rw,user_id=\(user),group_id=7,allow_other\n")
            )
            .lead(to: path)
        }
        let other = geteuid() + 1
        for type in ["fuse", "fuse.sshfs", "fuseblk"] {
            for path in ["/home/other/x", "/home/other/x/file"] {
                #expect(avoids(type, user: other, path) && !avoids(type, user: 0, path), "\(type)")
                #expect(!avoids(type, user: geteuid(), path), "\(type)")
            }
            #expect(!avoids(type, user: other, "/home/other") && !avoids(type, user: other, "/home/other/xx"))
        }
        #expect(!avoids("ext4", user: other, "/home/other/x/file") && !avoids("fusectl", user: other, "/home/other/x"))
        #expect(Automounts(MountTable("36 22 0:34 / /x rw - fuse sshfs rw")).lead(to: "/x"))
    }

    /// The user of a FUSE mount chooses its source. The kernel does not escape a combining mark behind a space.
    @Test func `a mount is recognised whatever bytes its line has`() {
        let other = geteuid() + 1
        let source = "36 22 0:34 / /x rw - fuse \u{301}evil rw,user_id=\(other)"
        #expect(Automounts(MountTable(source)).lead(to: "/x/file"))
        let place = Automounts(
            MountTable(Array("36 22 0:34 / /".utf8) + [0xFF] + Array(" rw - autofs a rw".utf8)))
        #expect(place.lead(to: PathText.text([0x2F, 0xFF, 0x2F, 0x61])))
        #expect(!place.lead(to: "/\u{FFFD}/a"))
    }

    @Test func `an automounter at the root is respected`() {
        #expect(Automounts(MountTable("1 0 0:1 / / rw - autofs a rw")).lead(to: "/x"))
        #expect(!Automounts(MountTable("1 0 0:1 / / rw - autofs a rw")).lead(to: "/"))
    }

    @Test func `without the list of mounts no path is looked up`() {
        #expect(Automounts(nil).lead(to: "/etc/passwd"))
        #expect(!Automounts(MountTable("nonsense\n1 2 3\n - \n\\ \\0 / / \\777 - autofs")).lead(to: "/etc"))
    }

    @Test func `a lookup gives no answer about files that would be mounted`() {
        let etc = Automounts(MountTable("1 0 0:1 / /etc rw - autofs a rw"))
        var lookup = HostLookup(automounts: { etc }, isWritable: { _ in false })
        #expect(lookup.lookUp("/etc/passwd") == .unknown)
        #expect(lookup.lookUp("/etc/no/such/thing") == .unknown)
        #expect(lookup.lookUp("/etc") == .found("/etc"))
        #expect(lookup.lookUp("/usr/bin/env") != .unknown)
    }

    /// On most systems, `/bin` is a link to `usr/bin`. On all systems, `/proc/self` is a link to a number.
    @Test func `a link that leads to an automounter is not followed`() throws {
        let own = Automounts(MountTable("1 0 0:1 / /proc/\(getpid())/task rw - autofs a rw"))
        var lookup = HostLookup(automounts: { own }, isWritable: { _ in false })
        #expect(lookup.lookUp("/proc/self/task/1") == .unknown)
        #expect(lookup.lookUp("/proc/self/status") == .found("/proc/\(getpid())/status"))
    }

    // MARK: - Places that were handed over

    /// A folder with a program in `served`, and the mounts of a machine where another user's program serves `served`.
    private func served() throws -> (folder: TemporaryFolder, mounts: Automounts) {
        let folder = try TemporaryFolder()
        let place = folder.url.resolvingSymlinksInPath().path + "/served"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: place + "/tool"))
        chmod(place + "/tool", 0o755)
        return (folder, Automounts(MountTable("36 22 0:34 / \(place) rw - fuse sshfs rw,user_id=\(geteuid() + 1)\n")))
    }

    @Test func `a launch does not wait for a program of another user that serves a part of a narrower place`() throws {
        let (folder, mounts) = try served()
        let path = folder.url.resolvingSymlinksInPath().path
        let place = NarrowerPlace(
            place: GrantLayout.Place(path: path, isDirectory: true, rights: .read), outer: path, isOuterOwn: true)
        let none = Automounts(MountTable(""))
        try place.examine(writable: [], automounts: none) { _ in false }
        let error = #expect(throws: SandboxError.self) {
            try place.examine(writable: [], automounts: mounts) { _ in false }
        }
        #expect(error?.cause.contains("/served cannot be examined") == true && error?.remedy != nil)
    }

    @Test func `no file of such a mount is examined after a run`() throws {
        let (folder, mounts) = try served()
        let path = folder.url.resolvingSymlinksInPath().path
        let policy = try Policy.shipped(named: "tool").granting([
            PathGrant(path: path, rights: .read, isOptional: false, reason: "A test.", place: nil)
        ])
        #expect(ExecutionExamination(policy).file(at: path + "/served/tool") == path + "/served/tool")
        #expect(ExecutionExamination(policy, automounts: { mounts }).file(at: path + "/served/tool") == nil)
    }
}
