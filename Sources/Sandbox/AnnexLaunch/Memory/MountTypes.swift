/// The file system types of a process's mounts, by mount number.
struct MountTypes {
    private static let memory: Set<Substring> = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"]

    private var isMemory: [UInt64: Bool] = [:]

    /// - Parameter mountinfo: the text of a `mountinfo` file.
    init(_ mountinfo: String) {
        for line in mountinfo.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 1, let mount = UInt64(fields[0]) else {
                continue
            }
            isMemory[mount] = Self.memory.contains(fields[dash + 1])
        }
    }

    /// Reads the mounts of the first process whose list is not empty.
    init(of members: [Int32]) {
        let texts = members.lazy.compactMap { TextFile.read("/proc/\($0)/mountinfo") }
        self.init(texts.first { !$0.isEmpty } ?? "")
    }

    /// Whether files of a mount may lie in memory. True for a mount that the list lacks: the kernel's internal mount of
    /// memfds is one of these.
    func mayBeMemory(_ mount: UInt64) -> Bool { isMemory[mount] ?? true }
}
