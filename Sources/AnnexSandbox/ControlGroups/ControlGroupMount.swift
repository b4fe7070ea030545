/// One mounted control group file system.
struct ControlGroupMount: Hashable {
    let version: ControlGroupHierarchy.Version
    let path: String
    /// Version 1: the controllers that it carries. Empty for version 2.
    let controllers: Set<String>

    /// Every control group mount in the text of a `mountinfo` file.
    static func all(in mountinfo: String) -> [ControlGroupMount] {
        mountinfo.split(separator: "\n").compactMap(parse)
    }

    // 36 35 98:0 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory
    private static func parse(_ line: Substring) -> ControlGroupMount? {
        let fields = line.split(separator: " ")
        guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 3, dash > 4 else { return nil }
        let path = String(fields[4])
        switch fields[dash + 1] {
        case "cgroup2": return ControlGroupMount(version: .two, path: path, controllers: [])
        case "cgroup":
            let options = fields[dash + 3].split(separator: ",").map(String.init)
            return ControlGroupMount(version: .one, path: path, controllers: Set(options))
        default: return nil
        }
    }

    /// This process's own group in this hierarchy, from the text of `/proc/self/cgroup`; the root is "".
    func place(in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let names = Set(fields[1].split(separator: ",").map(String.init))
            let isOurs = version == .two ? fields[0] == "0" : !names.isDisjoint(with: controllers)
            if isOurs { return fields[2] == "/" ? "" : String(fields[2]) }
        }
        return nil
    }
}
