/// One mounted control group file system.
struct ControlGroupMount: Hashable {
    let version: ControlGroupHierarchy.Version
    let path: String
    /// The controllers that a mount of version 1 carries; empty for version 2.
    let controllers: [String]

    /// Every control group mount in the text of a `mountinfo` file.
    static func all(in mountinfo: String) -> [ControlGroupMount] {
        mountinfo.split(separator: "\n").filter(mayBeOne).compactMap(parse)
    }

    /// Whether a line contains ` - cgroup`. Most lines do not, and splitting a line is slow.
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

    /// This process's own group in this hierarchy, from the text of `/proc/self/cgroup`; the root is "". nil if the
    /// text does not list the hierarchy.
    func place(in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let names = fields[1].split(separator: ",")
            let isOurs = version == .two ? fields[0] == "0" : names.contains { controllers.contains(String($0)) }
            if isOurs { return fields[2] == "/" ? "" : String(fields[2]) }
        }
        return nil
    }
}
