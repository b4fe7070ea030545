internal import AnnexLinux
internal import Glibc

/// A directory in the control group file system in which this process can make groups with a memory controller.
///
/// The hierarchy is found once, from `/proc/self/mountinfo` and `/proc/self/cgroup`. If the machine offers no
/// hierarchy, `RLIMIT_DATA` limits memory and the report says `watched`.
package struct ControlGroupHierarchy: Sendable, Hashable {
    package enum Version: Sendable, Hashable {
        case one
        case two
    }

    package let version: Version
    /// The directory in which a launch makes its memory group.
    package let memory: String
    /// The directory in which a launch makes its pids group. In version 2 it equals `memory`. nil if there is no pids
    /// controller.
    package let processes: String?

    package init(version: Version, memory: String, processes: String?) {
        self.version = version
        self.memory = memory
        self.processes = processes
    }
}

extension ControlGroupHierarchy {
    /// The first hierarchy in which a group can be made. To try a candidate, this call makes a group in it.
    /// - Parameter candidates: the hierarchies to try, in this order.
    package static func find(
        among candidates: [ControlGroupHierarchy] = ControlGroupHierarchy.candidates()
    ) -> ControlGroupHierarchy? {
        var group: ControlGroup?
        return find(among: candidates, keeping: &group)
    }

    /// - Parameter group: receives the group that was made as a test.
    static func find(
        among candidates: [ControlGroupHierarchy], keeping group: inout ControlGroup?
    ) -> ControlGroupHierarchy? {
        for candidate in candidates {
            group = candidate.triedGroup()
            if group != nil { return candidate }
        }
        return nil
    }

    /// Every hierarchy of this machine in which a broker may have made a group, even if only as a test.
    package static func candidates() -> [ControlGroupHierarchy] {
        candidates(
            mounts: ControlGroupMount.all(in: TextFile.read("/proc/self/mountinfo") ?? ""),
            places: TextFile.read("/proc/self/cgroup") ?? "")
    }

    /// Lists version 2 first. A group that holds processes cannot give controllers to its children. Therefore the
    /// parent of this process's own group is a candidate too. The parent is usable under a user's service manager,
    /// because the manager gives controllers to the children of its slices.
    static func candidates(mounts: [ControlGroupMount], places: String) -> [ControlGroupHierarchy] {
        var found: [ControlGroupHierarchy] = []
        if let unified = mounts.first(where: { $0.version == .two }), let own = unified.place(in: places) {
            for place in [own, parent(of: own)] {
                found.append(ControlGroupHierarchy(version: .two, memory: unified.path + place, processes: nil))
            }
        }
        if let memory = mounts.first(where: { $0.controllers.contains("memory") }),
            let own = memory.place(in: places)
        {
            let pids = mounts.first { $0.controllers.contains("pids") }
            let processes = pids.flatMap { mount in mount.place(in: places).map { mount.path + $0 } }
            found.append(ControlGroupHierarchy(version: .one, memory: memory.path + own, processes: processes))
        }
        return found
    }

    /// The parent of a path: `/a` for `/a/b`. The root is its own parent and is written as the empty string.
    private static func parent(of place: String) -> String {
        guard let slash = place.lastIndex(of: "/") else { return "" }
        return String(place[..<slash])
    }

    private func triedGroup() -> ControlGroup? {
        guard offersMemory, let group = try? ControlGroup(in: self, named: OwnedName.next()),
            unsafe access(group.memory + "/" + limitFile, W_OK) == 0
        else { return nil }
        return group
    }

    /// Whether a group that is made here would have a memory controller. Reading a control file is much faster than
    /// making a group.
    private var offersMemory: Bool {
        guard version == .two, let given = TextFile.read(memory + "/cgroup.subtree_control") else { return true }
        return given.split(whereSeparator: \.isWhitespace).contains("memory")
    }

    package var limitFile: String { version == .two ? "memory.max" : "memory.limit_in_bytes" }
}

/// One mounted control group file system.
struct ControlGroupMount: Hashable {
    let version: ControlGroupHierarchy.Version
    let path: String
    /// The controllers of a version 1 mount; empty for version 2.
    let controllers: [String]

    /// Every control group mount in the text of a `mountinfo` file.
    static func all(in mountinfo: String) -> [ControlGroupMount] {
        TextFile.lines(of: mountinfo).filter(mayBeOne).compactMap(parse)
    }

    /// Whether a line contains ` - cgroup`. Most lines do not contain it, and splitting a line is slow.
    private static func mayBeOne(_ line: Substring) -> Bool {
        let letters = Array(line.utf8)
        guard letters.count > mark.count else { return false }
        return (0...(letters.count - mark.count)).contains { letters[$0...].starts(with: mark) }
    }

    private static let mark = Array(" - cgroup".utf8)

    // Parses one line, for example: 36 35 98:0 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory
    private static func parse(_ line: Substring) -> ControlGroupMount? {
        let fields = line.split(separator: " ")
        guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 3, dash > 4 else { return nil }
        let path = String(fields[4])
        switch fields[dash + 1] {
        case "cgroup2": return ControlGroupMount(version: .two, path: path, controllers: [])
        case "cgroup":
            let options = fields[dash + 3].split(separator: ",").map(String.init)
            return ControlGroupMount(version: .one, path: path, controllers: options)
        default: return nil
        }
    }

    /// The path of this process's own group in this hierarchy, from the text of `/proc/self/cgroup`. The root is "".
    /// nil if the text does not list the hierarchy.
    func place(in text: String) -> String? {
        for line in TextFile.lines(of: text) {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let names = fields[1].split(separator: ",")
            let isOurs = version == .two ? fields[0] == "0" : names.contains { controllers.contains(String($0)) }
            if isOurs { return fields[2] == "/" ? "" : String(fields[2]) }
        }
        return nil
    }
}
