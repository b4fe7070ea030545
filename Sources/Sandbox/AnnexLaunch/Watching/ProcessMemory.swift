internal import AnnexLinux
internal import CAnnexLinux

/// The memory of a process in bytes, as `/proc` shows it.
struct ProcessMemory: Hashable {
    /// Private memory, present or swapped out, and the page tables that the kernel keeps for the process.
    var own: UInt64 = 0
    /// Shared memory that the process has mapped, such as files on tmpfs.
    var shared: UInt64 = 0

    /// The use of the process alone, with shared memory counted in full.
    ///
    /// - Parameter status: the text of the process's `/proc/PID/status`.
    init(status: String) {
        own = Self.sum(["RssAnon:", "VmSwap:", "VmPTE:"], in: status)
        shared = Self.sum(["RssShmem:"], in: status)
    }

    /// The process's share of memory that it shares with other processes. Page tables are never shared, because each
    /// address space has its own page tables.
    ///
    /// - Parameters:
    ///   - shares: the text of the process's `/proc/PID/smaps_rollup`.
    ///   - status: the text of the process's `/proc/PID/status`.
    init(shares: String, status: String) {
        own = Self.sum(["Pss_Anon:", "SwapPss:"], in: shares).addingClamped(Self.sum(["VmPTE:"], in: status))
        shared = Self.sum(["Pss_Shmem:"], in: shares)
    }

    /// No memory.
    init() {}

    /// Whether the status shows memory. The status of an ended thread shows no memory, even if other threads of its
    /// process still live.
    static func isThere(in status: String) -> Bool { status.contains("\nVmPTE:") }

    private static func sum(_ keys: Set<Substring>, in text: String) -> UInt64 {
        TextFile.lines(of: text).reduce(0) { sum, line in
            guard let colon = line.firstIndex(of: ":"), keys.contains(line[...colon]) else { return sum }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
            return sum.addingClamped(min(UInt64(value) ?? 0, .max >> 11) << 10)
        }
    }
}

/// Selects one process for each address space among several processes. A child of `vfork` or `posix_spawn` shares its
/// parent's address space until the child executes a program. So its memory must not be counted again.
struct AddressSpaces {
    /// The first process of each address space.
    var processes: [Int32] { ordered + incomparable }

    /// The processes in the kernel's order of address spaces. A binary search then finds a duplicate quickly, even
    /// among thousands.
    private var ordered: [Int32] = []
    /// Processes that the kernel cannot compare, because they have ended or because this process is not allowed to
    /// examine them. Each of them counts separately.
    private var incomparable: [Int32] = []

    init(of processes: [Int32]) {
        for process in processes { add(process) }
    }

    private mutating func add(_ process: Int32) {
        guard annex_compare_memory(process, process) == 0 else { return incomparable.append(process) }
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = low + (high - low) / 2
            switch annex_compare_memory(process, ordered[middle]) {
            case 0: return
            case 1: high = middle
            case 2: low = middle + 1
            default:
                // The process in the list has ended meanwhile, so it can no longer be compared.
                incomparable.append(ordered.remove(at: middle))
                high -= 1
            }
        }
        ordered.insert(process, at: low)
    }
}

// Sums of numbers that come from a file system or a program must not trap.

extension UInt64 {
    /// The sum, or the largest number if the sum would overflow.
    func addingClamped(_ more: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(more)
        return overflow ? .max : sum
    }

    /// The difference, or 0 if it would be negative.
    func subtractingClamped(_ less: UInt64) -> UInt64 { self > less ? self - less : 0 }

    /// The product, or the largest number if the product would overflow.
    func multipliedClamped(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }

    /// The number of bytes in 512-byte blocks, or the largest number if the result would overflow.
    init(bytesOfBlocks blocks: UInt64) {
        self = blocks > .max >> 9 ? .max : blocks << 9
    }
}
