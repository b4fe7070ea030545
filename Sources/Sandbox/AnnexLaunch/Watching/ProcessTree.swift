package import AnnexLinux
internal import Glibc

/// A process and all its descendants, as the kernel lists them. All numbers are those of `/proc` (`ProcNumber`). The kernel may reuse a process number before the caller
/// uses it, so callers must use the numbers for reading only.
package enum ProcessTree {
    /// The most processes or threads that are listed. If there are more, that is an error, so that no partial list is
    /// returned.
    private static let most = 65_536

    /// Whether this kernel lists the children of a process (`CONFIG_PROC_CHILDREN`).
    static let isListed = unsafe access("/proc/thread-self/children", R_OK) == 0

    /// Lists the process itself first, then its descendants.
    ///
    /// - Throws: if the list cannot be read. A process that ended meanwhile is no error.
    package static func members(of process: Int32) throws(SystemError) -> [Int32] {
        var members = [process]
        var next = 0
        while next < members.count {
            members += try children(of: members[next])
            guard members.count <= most else {
                throw SystemError("children", errno: EFBIG, remedy: "at most \(most) processes are examined")
            }
            next += 1
        }
        return members
    }

    /// The threads of a process; empty if the process has ended. The first thread may have ended before the other
    /// threads.
    static func threads(of process: Int32) throws(SystemError) -> [Int32] {
        try unlessGone([]) { () throws(SystemError) in
            try Descriptor.directory("/proc/\(process)/task").entries(atMost: most).compactMap { entry in
                entry.name.flatMap { Int32($0) }
            }
        }
    }

    /// The children of a process. The kernel lists children separately for each thread.
    static func children(of process: Int32) throws(SystemError) -> [Int32] {
        var found: [Int32] = []
        for thread in try threads(of: process) {
            let text = try unlessGone("") { () throws(SystemError) in
                try TextFile.contents(of: "/proc/\(process)/task/\(thread)/children")
            }
            found += text.split(separator: " ").compactMap { Int32($0) }
        }
        return found
    }

    /// Kills all descendants of a process, as far as they can be listed.
    ///
    /// Each descendant is killed through a handle. After the handle is open, the function checks that the number has a
    /// parent in this tree. So no process is killed that got the number of a descendant.
    /// - Parameter started: the start time of the process, which tells it from a later process of the same number.
    static func killDescendants(of process: Int32, started: UInt64) {
        guard let members = try? members(of: process), ProcessStat(process)?.started == started else { return }
        var tree: Set = [process]
        for member in members.dropFirst() {
            guard let number = ProcNumber.own(member), let handle = try? ProcessHandle(process: number),
                let stat = ProcessStat(member),
                tree.contains(stat.parent)
            else { continue }
            tree.insert(member)
            try? handle.sendSignal(SIGKILL)
        }
    }

    /// Returns the result of `body`, or `none` if the process ended meanwhile.
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
