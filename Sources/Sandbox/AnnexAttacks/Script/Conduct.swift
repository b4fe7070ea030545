internal import AnnexPolicy

/// What the program can do that one system call is not enough for; the numbers are those of `conduct.h`.
package enum Conduct: Int64, Sendable, Hashable, CaseIterable {
    /// Call [0] by the 32-bit gate of a 64-bit processor.
    case foreignGate = 1
    /// Call [0], at most [1] times until it fails, with [2]…[5]; how often it succeeded.
    case `repeat` = 2
    /// The same, however often it fails; how often it did not.
    case probe = 3
    /// Call [0] with its first argument from [1] to below [2], then [3]…[5]; how many succeeded.
    case scan = 4
    /// Takes and touches memory, at most [0] MiB; how many it got.
    case touch = 5
    /// At most [0] children at once; how many it got.
    case forks = 6
    /// At most [0] threads at once; how many it got.
    case threads = 7
    /// Empty files in the directory named at [0], at most [1]; how many it got.
    case files = 8
    /// A child in a session of its own that lives for [0] seconds; its number.
    case orphan = 9
    /// Locks of one byte each on file [0] by command [1] of `fcntl`, at most [2]; how many it got.
    case locks = 10
    /// Page tables for [0] GiB of addresses; how many it got.
    case tables = 11
    /// Copies of descriptor [1] under way in at most [0] pairs of sockets; how many it got.
    case flights = 12
    /// Each of at most [0] event queues watches all descriptors that are left; how many watches it got.
    case watches = 13
    /// At most [0] pipes of [1] bytes, or of the usual size if larger ones are refused; how many pages it got.
    case pipes = 14
    /// Queued signals, at most [0]; how many it got.
    case signals = 15
    /// At most [0] pairs of sockets, filled; how many KiB it got.
    case buffers = 16
    /// Names that begin as the text at [0] and are nowhere, at most [1]; how many were looked for.
    case lookups = 17
    /// Locks on file [0] by command [1] of `fcntl`, the same ones by at most [2] tables of descriptors; how many it got.
    case lockTables = 18

    /// The calls that it cannot do without: numbers and registers.
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
