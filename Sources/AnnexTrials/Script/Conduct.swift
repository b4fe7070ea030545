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
        }
    }
}
