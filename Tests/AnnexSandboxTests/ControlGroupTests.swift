import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

@Suite struct ControlGroupTests {
    static let versionOne = """
        30 24 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
        31 30 0:27 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
        32 30 0:28 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
        """
    static let versionTwo = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"

    @Test func `control groups of version 1 are found by their controllers`() {
        let mounts = ControlGroupMount.all(in: Self.versionOne)
        let places = "5:memory:/user/alice\n4:pids:/\n0::/unused\n"
        let found = ControlGroupHierarchy.candidates(mounts: mounts, places: places)
        #expect(
            found == [
                ControlGroupHierarchy(
                    version: .one, memory: "/sys/fs/cgroup/memory/user/alice", processes: "/sys/fs/cgroup/pids")
            ])
    }

    @Test func `version 2 offers the own group and then its parent`() {
        let mounts = ControlGroupMount.all(in: Self.versionTwo)
        let found = ControlGroupHierarchy.candidates(mounts: mounts, places: "0::/user.slice/app.scope\n")
        #expect(found.map(\.memory) == ["/sys/fs/cgroup/user.slice/app.scope", "/sys/fs/cgroup/user.slice"])
    }

    @Test(arguments: ["", "garbage", "1 2 3 - cgroup", "- - - -", String(repeating: "- ", count: 50)])
    func `broken lines in the list of mounts give no mount`(line: String) {
        #expect(ControlGroupMount.all(in: line).isEmpty)
    }

    @Test(arguments: ["annex", "annex.1.2", "annex.1.x.2.3", "annex.1.2.3.4.5", "other.1.2.3.4", "annex.1.-1..3"])
    func `foreign directories are never taken for groups of Annex`(name: String) {
        #expect(OwnedName(name) == nil)
    }

    @Test func `the name of a group shows whether its owner lives`() throws {
        let own = try #require(OwnedName(OwnedName.next()))
        #expect(own.isOwned)
        // The same pid with another start time is another process.
        #expect(!OwnedName(owner: own.owner, started: own.started &+ 1, count: 1).isOwned)
        // This process cannot check processes of another namespace, so their groups are not removed.
        #expect(OwnedName(space: own.space &+ 1, owner: own.owner, started: 1, count: 1).isOwned)
    }

    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `a group has its limits and is removed with its owner`() throws {
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let directories: [String]
        do {
            let group = try ControlGroup(in: hierarchy, memoryLimit: 64 << 20, processLimit: 1)
            directories = group.directories
            #expect(TextFile.number(group.memory + "/" + hierarchy.limitFile) == 64 << 20)
            #expect(group.memoryUse().kills == 0)
        }
        for directory in directories { #expect(!FileManager.default.fileExists(atPath: directory)) }
    }

    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `a group that another program removed is noticed`() throws {
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let group = try ControlGroup(in: hierarchy, named: OwnedName.next())
        let before = group.isThere
        #expect(rmdir(group.memory) == 0)
        let after = group.isThere
        #expect(before && !after)
    }

    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `a sweep removes only the groups of dead owners`() throws {
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let own = try ControlGroup(in: hierarchy, memoryLimit: 64 << 20, processLimit: 1)
        let left = hierarchy.memory + "/" + OwnedName(owner: getpid(), started: 1, count: .random(in: 0 ... .max)).text
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        // Launchers of other tests remove such stale groups too.
        _ = ControlGroup.sweep(hierarchy)
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: own.memory))
    }

    /// Every directory in which this user can make a group.
    private static let places = Set(ControlGroupHierarchy.candidates().map(\.memory)).filter { access($0, W_OK) == 0 }
        .sorted()

    @Test(.enabled(if: !places.isEmpty, "no control group can be made here"), arguments: places)
    func `the processes of a group end with it`(place: String) async throws {
        let directory = place + "/" + OwnedName.next()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { ControlGroup.remove(directory) }
        // The group has two processes. One of them is not a child of this process.
        let input = Pipe()
        let program = try ChildProcess(
            URL(filePath: "/bin/sh"), arguments: ["-c", "read go; sleep 3600 & exec sleep 3600"],
            input: .file(input.fileHandleForReading))
        try TextFile.write("\(program.number)", to: directory + "/cgroup.procs")
        try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
        func members() -> Int { (TextFile.read(directory + "/cgroup.procs") ?? "").split(separator: "\n").count }
        await eventually { members() == 2 }
        ControlGroup.end(membersOf: directory)
        await eventually { members() == 0 }
        #expect(await program.ended() == .killed(signal: SIGKILL))
    }

    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `the shared limits are held by a group above that is removed last`() throws {
        let share = GroupShare(name: "unused", memory: 256 << 20, processes: 64)
        var spare: ControlGroup?
        var parent: GroupParent? = try GroupParent.find(
            share, among: ControlGroupHierarchy.candidates(), spare: &spare)
        let hasSpare = spare != nil
        #expect(!hasSpare)
        let hierarchy = try #require(parent?.hierarchy)
        #expect(TextFile.number(hierarchy.memory + "/" + hierarchy.limitFile) == 256 << 20)
        if let processes = hierarchy.processes { #expect(TextFile.number(processes + "/pids.max") == 64) }
        do {
            let group = try ControlGroup(in: hierarchy, below: parent?.node, named: OwnedName.next())
            parent = nil
            #expect(group.memory.hasPrefix(hierarchy.memory + "/") && group.isThere)
        }
        #expect(!FileManager.default.fileExists(atPath: hierarchy.memory))
    }

    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `a sweep removes the groups below that of a dead owner too`() throws {
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let left = hierarchy.memory + "/" + OwnedName(owner: getpid(), started: 1, count: .random(in: 0 ... .max)).text
        let below = left + "/" + OwnedName(owner: getpid(), started: 1, count: 7).text
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
        _ = ControlGroup.sweep(hierarchy)
        #expect(!FileManager.default.fileExists(atPath: left))
    }
}
