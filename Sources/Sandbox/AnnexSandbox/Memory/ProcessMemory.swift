internal import AnnexLinux

/// What a process has of memory, in bytes, as `/proc` tells it.
struct ProcessMemory: Hashable {
    /// Memory of its own: present or swapped out, with the page tables that the kernel keeps for it.
    var own: UInt64 = 0
    /// Memory in files that it has mapped.
    var shared: UInt64 = 0

    /// What it uses for itself.
    /// - Parameter status: the text of its `/proc/PID/status`.
    init(status: String) {
        own = Self.sum(["RssAnon:", "VmSwap:", "VmPTE:"], in: status)
        shared = Self.sum(["RssShmem:"], in: status)
    }

    /// Its part of what it shares with others. The kernel does not share out page tables: each process has its own.
    /// - Parameter shares: the text of its `/proc/PID/smaps_rollup`.
    init(shares: String, status: String) {
        own = Self.sum(["Pss_Anon:", "SwapPss:"], in: shares).addingClamped(Self.sum(["VmPTE:"], in: status))
        shared = Self.sum(["Pss_Shmem:"], in: shares)
    }

    /// Nothing at all.
    init() {}

    /// A process has memory until it ends; a thread, until it ends by itself.
    static func isThere(in status: String) -> Bool { status.contains("\nVmPTE:") }

    private static func sum(_ keys: Set<Substring>, in text: String) -> UInt64 {
        text.split(separator: "\n").reduce(0) { sum, line in
            guard let colon = line.firstIndex(of: ":"), keys.contains(line[...colon]) else { return sum }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
            return sum.addingClamped(min(UInt64(value) ?? 0, .max >> 11) << 10)
        }
    }
}
