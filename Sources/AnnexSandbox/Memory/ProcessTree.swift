internal import AnnexLinux

/// A process and all that descend from it, as the kernel lists them. The numbers may be others' by the time that they
/// are used: only for looking.
package enum ProcessTree {
    /// No policy allows more processes than this; what is beyond it nobody looks at.
    private static let most = 4096

    package static func members(of process: Int32) -> [Int32] {
        var members = [process]
        var next = 0
        while next < members.count && members.count < most {
            members += children(of: members[next]).prefix(most - members.count)
            next += 1
        }
        return members
    }

    /// Each thread has children of its own.
    private static func children(of process: Int32) -> [Int32] {
        let folder = "/proc/\(process)/task"
        guard let directory = try? Descriptor.directory(folder), let threads = try? directory.entries(atMost: most)
        else { return [] }
        return threads.compactMap(\.name).flatMap { thread in
            (TextFile.read("\(folder)/\(thread)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }
}
