internal import AnnexLinux
internal import Glibc

/// Writes the limits of a control group. If the kernel lacks a limit, this type skips the limit and leaves it out of
/// the returned `GroupBounds`.
struct ControlFiles {
    /// A group's weights for the processors and the disks. A weight matters only while sibling groups compete for the
    /// processors or disks. The kernel's default weight is 100.
    struct Share: Sendable, Hashable {
        let processor: Int
        let disk: Int

        /// The weights of one sandbox. Each is less than the weight of the host that launches the sandbox.
        static let sandbox = Share(processor: 25, disk: 25)
        /// The weights of a sandbox that yields to all others.
        static let yielding = Share(processor: 1, disk: 1)
    }

    let version: ControlGroupHierarchy.Version

    init(_ version: ControlGroupHierarchy.Version) {
        self.version = version
    }

    func limit(memory bytes: UInt64, in directory: String) throws(SystemError) -> GroupBounds {
        var bounds: GroupBounds = .memory
        switch version {
        case .two:
            try TextFile.write("\(bytes)", to: directory + "/memory.max")
            if try write("0", to: directory + "/memory.swap.max") || !Self.hasSwap { bounds.insert(.swap) }
            if try write("1", to: directory + "/memory.oom.group") { bounds.insert(.wholeEnd) }
        case .one:
            try TextFile.write("\(bytes)", to: directory + "/memory.limit_in_bytes")
            // The limit for memory plus swap equals the limit for memory alone. So a sandbox gains no memory when its
            // pages are swapped out.
            if try write("\(bytes)", to: directory + "/memory.memsw.limit_in_bytes") || !Self.hasSwap {
                bounds.insert(.swap)
            } else {
                // This kernel does not count memory plus swap. This setting asks the kernel to swap the group's pages
                // only if the whole machine must swap.
                _ = try write("0", to: directory + "/memory.swappiness")
            }
        }
        return bounds
    }

    func limit(processes count: UInt64, in directory: String) throws(SystemError) -> GroupBounds {
        try write("\(count)", to: directory + "/pids.max") ? .processes : []
    }

    /// Sets the limits for used and for reserved huge pages to zero. The limit for reserved huge pages is needed
    /// because a mapping reserves huge pages before it uses them.
    func withholdHugePages(in directory: String) throws(SystemError) -> GroupBounds {
        let name = version == .two ? "max" : "limit_in_bytes"
        var isHeld = !Self.hugePageSizes.isEmpty
        for size in Self.hugePageSizes {
            for kind in ["", "rsvd."] {
                let isWritten = try write("0", to: "\(directory)/hugetlb.\(size).\(kind)\(name)")
                isHeld = isHeld && isWritten
            }
        }
        return isHeld ? .hugePages : []
    }

    /// Writes the weights, in version 2 only. Version 1 has separate hierarchies for the controllers of processors
    /// and disks, and Annex makes no groups there. In version 1, only the niceness of the process reduces its share.
    func share(_ share: Share, in directory: String) throws(SystemError) -> GroupBounds {
        guard version == .two else { return [] }
        var bounds: GroupBounds = []
        if try write("\(share.processor)", to: directory + "/cpu.weight") { bounds.insert(.processorShare) }
        if try write("default \(share.disk)", to: directory + "/io.weight") { bounds.insert(.diskShare) }
        return bounds
    }

    /// - Returns: false if the file does not exist.
    private func write(_ text: String, to path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try TextFile.write(text, to: path)
            return true
        } catch {
            guard error.errno == ENOENT else { throw error }
            return false
        }
    }

    /// Whether this kernel supports swap at all.
    private static let hasSwap = unsafe access("/proc/swaps", F_OK) == 0

    /// The kernel's sizes of huge pages as control files spell them, for example `2MB`.
    private static let hugePageSizes: [String] = {
        let folder = "/sys/kernel/mm/hugepages"
        let entries = try? Descriptor.directory(folder).entries(atMost: 64)
        return (entries ?? []).compactMap { $0.name.flatMap(hugePageSize) }
    }()

    /// Turns the name of a directory such as `hugepages-2048kB` into the size as control files spell it. nil if the
    /// name has another form.
    static func hugePageSize(_ name: String) -> String? {
        guard name.hasPrefix("hugepages-"), name.hasSuffix("kB"),
            let kibibytes = UInt64(name.dropFirst("hugepages-".count).dropLast("kB".count))
        else { return nil }
        for (shift, unit) in [(UInt64(20), "GB"), (10, "MB")] where kibibytes >> shift > 0 {
            return "\(kibibytes >> shift)\(unit)"
        }
        return "\(kibibytes)KB"
    }
}

/// The limits of a control group that the kernel accepted. Some kernels lack some of these limits.
package struct GroupBounds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The memory of all members together, swap excluded.
    package static let memory = GroupBounds(rawValue: 1 << 0)
    /// Swapped memory of all members together.
    package static let swap = GroupBounds(rawValue: 1 << 1)
    /// If memory runs out, the kernel kills all members together.
    package static let wholeEnd = GroupBounds(rawValue: 1 << 2)
    package static let processes = GroupBounds(rawValue: 1 << 3)
    /// The members cannot use the machine's huge pages, which no memory limit counts.
    package static let hugePages = GroupBounds(rawValue: 1 << 4)
    /// A smaller share of the processors than the host's share, while both compete.
    package static let processorShare = GroupBounds(rawValue: 1 << 5)
    /// A smaller share of disk reads and writes than the host's share, while both compete.
    package static let diskShare = GroupBounds(rawValue: 1 << 6)
}
