internal import AnnexLinux

/// The memory of a process in bytes, as `/proc` shows it.
struct ProcessMemory: Hashable {
    /// Private memory, present or swapped out, with the page tables that the kernel keeps for the process.
    var own: UInt64 = 0
    /// Memory in files that it has mapped.
    var shared: UInt64 = 0

    /// The use of the process alone, with shared memory counted in full.
    ///
    /// - Parameter status: the text of its `/proc/PID/status`.
    init(status: String) {
        own = Self.sum(["RssAnon:", "VmSwap:", "VmPTE:"], in: status)
        shared = Self.sum(["RssShmem:"], in: status)
    }

    /// The process's share of memory that it shares with other processes. Page tables are never shared: each address
    /// space has its own.
    ///
    /// - Parameters:
    ///   - shares: the text of its `/proc/PID/smaps_rollup`.
    ///   - status: the text of its `/proc/PID/status`.
    init(shares: String, status: String) {
        own = Self.sum(["Pss_Anon:", "SwapPss:"], in: shares).addingClamped(Self.sum(["VmPTE:"], in: status))
        shared = Self.sum(["Pss_Shmem:"], in: shares)
    }

    /// No memory.
    init() {}

    /// Whether the thread still has memory. A process has it until it ends, a thread until that thread ends.
    static func isThere(in status: String) -> Bool { status.contains("\nVmPTE:") }

    private static func sum(_ keys: Set<Substring>, in text: String) -> UInt64 {
        text.split(separator: "\n").reduce(0) { sum, line in
            guard let colon = line.firstIndex(of: ":"), keys.contains(line[...colon]) else { return sum }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
            return sum.addingClamped(min(UInt64(value) ?? 0, .max >> 11) << 10)
        }
    }
}
