internal import CAnnexLinux

/// Selects one process for each address space among several processes. A child of `vfork` or `posix_spawn` shares its
/// parent's address space until it executes, so its memory must not be counted again.
struct AddressSpaces {
    /// The first process of each address space.
    var processes: [Int32] { ordered + incomparable }

    /// Sorted in the kernel's order of address spaces, so that a binary search finds a duplicate among thousands
    /// quickly.
    private var ordered: [Int32] = []
    /// Processes that the kernel cannot compare: they have ended, or this process may not examine them. Each counts by
    /// itself.
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
                // This process ended meanwhile, so it can no longer be compared.
                incomparable.append(ordered.remove(at: middle))
                high -= 1
            }
        }
        ordered.insert(process, at: low)
    }
}
