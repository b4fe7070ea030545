internal import CAnnexLinux

/// One process for each address space among several: who shares all of another's, as a child of `vfork` and
/// `posix_spawn` does until it executes, uses that memory too, not as much again.
struct AddressSpaces {
    /// Of those that share one, who came first.
    var processes: [Int32] { ordered + incomparable }

    /// In the kernel's own order of what they have, so that thousands are told apart in no time.
    private var ordered: [Int32] = []
    /// Whom the kernel compares with nobody: ended meanwhile, or out of its reach. Each counts by itself.
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
                // Gone meanwhile. Nobody is to be measured by it.
                incomparable.append(ordered.remove(at: middle))
                high -= 1
            }
        }
        ordered.insert(process, at: low)
    }
}
