/// The kinds of file systems that a process has mounted, by the numbers of the mounts.
struct MountTypes {
    private static let memory: Set<Substring> = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"]

    private var isMemory: [UInt64: Bool] = [:]

    /// - Parameter mountinfo: the text of a file of that name.
    init(_ mountinfo: String) {
        for line in mountinfo.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 1, let mount = UInt64(fields[0]) else {
                continue
            }
            isMemory[mount] = Self.memory.contains(fields[dash + 1])
        }
    }

    /// The mounts of the first that tells any.
    init(of members: [Int32]) {
        let texts = members.lazy.compactMap { TextFile.read("/proc/\($0)/mountinfo") }
        self.init(texts.first { !$0.isEmpty } ?? "")
    }

    /// Whether files there may be memory. What is mounted for nobody to see is, as memfds are, and so is whatever the
    /// list does not know.
    func mayBeMemory(_ mount: UInt64) -> Bool { isMemory[mount] ?? true }
}
