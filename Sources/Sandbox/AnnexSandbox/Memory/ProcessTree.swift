package import AnnexLinux
internal import Glibc

/// A process and all that descend from it, as the kernel lists them. The numbers may be others' by the time that they
/// are used: only for looking.
package enum ProcessTree {
    /// The most that are looked at; where there are more, nobody is told of a part of them as if that were all.
    private static let most = 65_536

    /// Whether this kernel lists the children of a process (`CONFIG_PROC_CHILDREN`).
    static let isListed = unsafe access("/proc/thread-self/children", R_OK) == 0

    /// The process itself comes first.
    /// - Throws: where the list cannot be read. A process that ended meanwhile is no error.
    package static func members(of process: Int32) throws(SystemError) -> [Int32] {
        var members = [process]
        var next = 0
        while next < members.count {
            members += try children(of: members[next])
            guard members.count <= most else {
                throw SystemError("children", errno: EFBIG, remedy: "at most \(most) processes are looked at")
            }
            next += 1
        }
        return members
    }

    /// The threads of a process, the first of which may have ended; none where the process has.
    static func threads(of process: Int32) throws(SystemError) -> [Int32] {
        try unlessGone([]) { () throws(SystemError) in
            try Descriptor.directory("/proc/\(process)/task").entries(atMost: most).compactMap { entry in
                entry.name.flatMap { Int32($0) }
            }
        }
    }

    /// Each thread has children of its own.
    private static func children(of process: Int32) throws(SystemError) -> [Int32] {
        var found: [Int32] = []
        for thread in try threads(of: process) {
            let text = try unlessGone("") { () throws(SystemError) in
                try TextFile.contents(of: "/proc/\(process)/task/\(thread)/children")
            }
            found += text.split(separator: " ").compactMap { Int32($0) }
        }
        return found
    }

    /// What `body` reads of a process, or `none` where the process ended meanwhile.
    static func unlessGone<Value>(
        _ none: Value, _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            guard error.errno == ENOENT || error.errno == ESRCH else { throw error }
            return none
        }
    }
}
