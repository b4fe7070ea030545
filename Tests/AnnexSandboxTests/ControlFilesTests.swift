import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The launch report must state exactly the limits that a control group accepts. The tests use simulated folders, so
/// that they cover every kind of kernel.
@Suite struct ControlFilesTests {
    /// A folder with control files and their first contents.
    struct Tree {
        let folder: TemporaryFolder
        var path: String { folder.url.path }

        init(_ files: [String: String] = [:]) throws {
            folder = try TemporaryFolder()
            for (name, text) in files { try add(name, text) }
        }

        func add(_ name: String, _ text: String = "") throws {
            let file = folder.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        subscript(name: String) -> String? { TextFile.read(path + "/" + name) }
    }

    private static let hasSwap = access("/proc/swaps", F_OK) == 0

    @Test func `a control group of version 2 takes all limits`() throws {
        let tree = try Tree([
            "memory.max": "", "memory.swap.max": "", "memory.oom.group": "", "pids.max": "", "cpu.weight": "",
            "io.weight": "",
        ])
        let files = ControlFiles(.two)
        #expect(try files.limit(memory: 64 << 20, in: tree.path) == [.memory, .swap, .wholeEnd])
        #expect(try files.limit(processes: 9, in: tree.path) == .processes)
        #expect(try files.share(.sandbox, in: tree.path) == [.processorShare, .diskShare])
        #expect(tree["memory.max"] == "67108864" && tree["memory.swap.max"] == "0" && tree["memory.oom.group"] == "1")
        #expect(tree["pids.max"] == "9" && tree["cpu.weight"] == "25" && tree["io.weight"] == "default 25")
        let other = try Tree(["cpu.weight": "", "io.weight": ""])
        #expect(try files.share(.yielding, in: other.path) == [.processorShare, .diskShare])
        #expect(other["cpu.weight"] == "1" && other["io.weight"] == "default 1")
    }

    @Test func `a limit without its control file is not reported`() throws {
        let tree = try Tree(["memory.max": ""])
        let files = ControlFiles(.two)
        #expect(try files.limit(memory: 1 << 20, in: tree.path) == (Self.hasSwap ? .memory : [.memory, .swap]))
        #expect(try files.limit(processes: 9, in: tree.path) == [])
        #expect(try files.share(.sandbox, in: tree.path) == [])
        #expect(try files.withholdHugePages(in: tree.path) == [])
        #expect(throws: (any Error).self) { try ControlFiles(.one).limit(memory: 1, in: tree.path) }
    }

    @Test func `version 1 without an account of swap gets a swappiness of 0`() throws {
        let tree = try Tree(["memory.limit_in_bytes": "", "memory.swappiness": "60"])
        let bounds = try ControlFiles(.one).limit(memory: 1 << 20, in: tree.path)
        #expect(bounds.contains(.swap) != Self.hasSwap)
        #expect(tree["memory.swappiness"] == (Self.hasSwap ? "00" : "60"))
        try tree.add("memory.memsw.limit_in_bytes")
        #expect(try ControlFiles(.one).limit(memory: 1 << 20, in: tree.path) == [.memory, .swap])
        #expect(tree["memory.memsw.limit_in_bytes"] == "1048576")
    }

    @Test func `huge pages are withheld from use and from reservation`() throws {
        #expect(ControlFiles.hugePageSize("hugepages-2048kB") == "2MB")
        #expect(ControlFiles.hugePageSize("hugepages-1048576kB") == "1GB")
        #expect(ControlFiles.hugePageSize("hugepages-64kB") == "64KB")
        #expect(ControlFiles.hugePageSize("other") == nil && ControlFiles.hugePageSize("hugepages-xkB") == nil)
        let sizes = ProcText.names(in: "/sys/kernel/mm/hugepages").compactMap(ControlFiles.hugePageSize)
        let tree = try Tree()
        for size in sizes { try tree.add("hugetlb.\(size).max", "m") }
        #expect(try ControlFiles(.two).withholdHugePages(in: tree.path) == [])
        for size in sizes { try tree.add("hugetlb.\(size).rsvd.max", "m") }
        #expect(try ControlFiles(.two).withholdHugePages(in: tree.path) == (sizes.isEmpty ? [] : .hugePages))
        for size in sizes { #expect(tree["hugetlb.\(size).max"] == "0" && tree["hugetlb.\(size).rsvd.max"] == "0") }
    }

    // MARK: Delegation

    private func unit(_ controllers: String = "cpuset cpu io memory hugetlb pids", given: String = "") throws -> Tree {
        try Tree([
            "cgroup.controllers": controllers + "\n", "cgroup.subtree_control": given, "cgroup.procs": "",
            "broker/cgroup.procs": "",
        ])
    }

    @Test func `a delegated group is found from itself and from its leaf`() {
        let isDelegated: (String) -> Bool = { $0 == "/g/a.service" }
        #expect(DelegatedGroup(own: "/g/a.service", isDelegated: isDelegated)?.path == "/g/a.service")
        #expect(DelegatedGroup(own: "/g/a.service/broker", isDelegated: isDelegated)?.path == "/g/a.service")
        #expect(DelegatedGroup(own: "/g/a.service/other", isDelegated: isDelegated) == nil)
        #expect(DelegatedGroup(own: "/g/b.service", isDelegated: isDelegated) == nil)
        #expect(DelegatedGroup(own: "", isDelegated: isDelegated) == nil)
    }

    @Test func `a group with a leaf for the program counts as delegated`() throws {
        #expect(!DelegatedGroup.isDelegated("/proc") && !DelegatedGroup.isDelegated("/nowhere"))
        let tree = try unit()
        #expect(DelegatedGroup.isDelegated(tree.path))
        #expect(DelegatedGroup(own: tree.path + "/broker")?.path == tree.path)
        try FileManager.default.removeItem(atPath: tree.path + "/broker")
        #expect(!DelegatedGroup.isDelegated(tree.path))
    }

    @Test func `the program moves into a leaf and controllers are handed down`() throws {
        let tree = try unit()
        try DelegatedGroup(at: tree.path).settle(77)
        #expect(tree["broker/cgroup.procs"] == "77")
        // A real control file handles each write separately. In this simulated file, the last write overwrites only the
        // beginning of longer earlier writes.
        #expect(tree["cgroup.subtree_control"]?.hasPrefix("+pids") == true)
    }

    @Test func `controllers that are handed down already are not handed down again`() throws {
        let tree = try unit("memory pids", given: "memory pids\n")
        try DelegatedGroup(at: tree.path).settle(77)
        #expect(tree["cgroup.subtree_control"] == "memory pids\n")
    }

    @Test func `a group without memory or with other processes is left as it was`() throws {
        let without = try unit("cpu pids")
        #expect(throws: (any Error).self) { try DelegatedGroup(at: without.path).settle(77) }
        #expect(without["broker/cgroup.procs"] == "")
        // A file that cannot be written simulates EBUSY.
        let busy = try unit()
        try FileManager.default.removeItem(atPath: busy.path + "/cgroup.subtree_control")
        #expect(throws: (any Error).self) { try DelegatedGroup(at: busy.path).settle(77) }
        #expect(busy["cgroup.procs"] == "77")
    }

    @Test func `a program that began in its leaf stays there`() throws {
        let busy = try unit()
        try busy.add("broker/cgroup.procs", "5\n77\n")
        try FileManager.default.removeItem(atPath: busy.path + "/cgroup.subtree_control")
        #expect(throws: (any Error).self) { try DelegatedGroup(at: busy.path).settle(77) }
        #expect(busy["cgroup.procs"] == "" && busy["broker/cgroup.procs"] == "5\n77\n")
        // The number of another process that ends with the same digits does not count.
        let other = try unit()
        try other.add("broker/cgroup.procs", "177\n")
        try DelegatedGroup(at: other.path).settle(77)
        #expect(other["broker/cgroup.procs"]?.hasPrefix("77") == true)
    }
}
