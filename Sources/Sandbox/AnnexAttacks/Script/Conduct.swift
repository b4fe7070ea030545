internal import AnnexPolicy

/// An action of the trial's program that takes more than one system call. The raw values are the values in `conduct.h`.
/// Below, `[0]` stands for the action's first argument, `[1]` for its second argument, and so on.
package enum Conduct: Int64, Sendable, Hashable, CaseIterable {
    /// Makes call [0] by the 32-bit gate of a 64-bit processor.
    case foreignGate = 1
    /// Repeats call [0] with [2]…[5] until it fails, at most [1] times. The result is the number of successes.
    case `repeat` = 2
    /// Repeats call [0] as often as [1] says, even if it fails. The result is the number of successes.
    case probe = 3
    /// Makes call [0] once for each number from [1] to below [2]. The call gets this number as its first argument,
    /// followed by [3]…[5]. The result is the number of successes.
    case scan = 4
    /// Maps and touches at most [0] MiB of memory. The result is the number of MiB.
    case touch = 5
    /// Starts at most [0] children at once. The result is the number of children.
    case forks = 6
    /// Starts at most [0] threads at once. The result is the number of threads.
    case threads = 7
    /// Creates at most [1] empty files in the directory whose path is at [0]. The result is the number of files.
    case files = 8
    /// Starts a child that has its own session and lives for [0] seconds. The result is the child's process number.
    case orphan = 9
    /// Sets at most [2] locks of one byte each on file [0] by command [1] of `fcntl`. The result is the number of
    /// locks.
    case locks = 10
    /// Makes the kernel allocate page tables for [0] GiB of addresses. The result is the number of page tables.
    case tables = 11
    /// Sends copies of descriptor [1] through at most [0] pairs of sockets that no program reads. The result is the
    /// number of copies.
    case flights = 12
    /// Makes at most [0] event queues. Then makes event counters until no more can be made or watched. Each queue
    /// watches every counter. The result is the number of watches.
    case watches = 13
    /// Makes at most [0] pipes of [1] bytes, or of the usual size if larger pipes are refused. The result is the number
    /// of pages.
    case pipes = 14
    /// Queues at most [0] signals. The result is the number of signals.
    case signals = 15
    /// Fills at most [0] pairs of sockets. The result is the number of KiB.
    case buffers = 16
    /// Looks up at most [1] names that do not exist. The names begin with the text at [0]. The result is the number of
    /// lookups.
    case lookups = 17
    /// Sets locks on file [0] by command [1] of `fcntl`, with at most [2] descriptor tables. The result is the number
    /// of locks.
    case lockTables = 18

    /// The calls that the action needs, by number and registers.
    func calls(_ arguments: [TrialArgument]) -> [(number: Int32, arguments: [UInt64])] {
        let given = arguments.map(\.likely)
        func number(_ name: String) -> Int32 { SystemCall(named: name)?.number ?? -1 }
        switch self {
        case .foreignGate: return []
        case .repeat, .probe: return [(Int32(truncatingIfNeeded: given[0]), Array(given.dropFirst(2)))]
        case .scan: return [(Int32(truncatingIfNeeded: given[0]), [given[1]] + given.dropFirst(3))]
        case .touch: return [(number("mmap"), [0, 1 << 20, 3, 0x22, .max, 0])]
        case .forks, .orphan: return [(number("clone"), [17])]
        case .threads: return [(number("clone"), [0x10f00, 0x40_0000])]
        case .files: return [(number("openat"), [UInt64(bitPattern: -100), 0x40_0000, 0o2000301, 0o600])]
        case .locks: return [(number("fcntl"), [given[0], given[1], 0x40_0000])]
        case .lockTables:
            return [
                (number("fcntl"), [given[0], given[1], 0x40_0000]), (number("clone"), [0x10f00, 0x40_0000]),
                (number("close_range"), [0xffff_fffe, 0xffff_fffe, 2]),
            ]
        case .tables: return [(number("mmap"), [0, 1 << 30, 1, 0x4022, .max, 0])]
        case .flights:
            return [(number("socketpair"), [1, 1, 0, 0x40_0000]), (number("sendmsg"), [5, 0x40_0000, 0x4040])]
        case .watches:
            return [(number("epoll_create1"), [0]), (number("eventfd2"), [0, 0]), (number("epoll_ctl"), [5, 1, 6])]
        case .pipes: return [(number("pipe2"), [0x40_0000, 0]), (number("fcntl"), [5, 1031, given[1]])]
        case .signals: return [(number("rt_sigqueueinfo"), [2, 34, 0x40_0000])]
        case .buffers: return [(number("socketpair"), [1, 0o4001, 0, 0x40_0000])]
        case .lookups: return [(number("newfstatat"), [UInt64(bitPattern: -100), 0x40_0000, 0x40_0000, 0])]
        }
    }
}
