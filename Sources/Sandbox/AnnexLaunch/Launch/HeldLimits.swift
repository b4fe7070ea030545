package import AnnexPolicy
internal import Glibc

/// The limits of a policy that the kernel enforces for one launch, and how it enforces them.
package struct HeldLimits: Sendable, Hashable {
    /// The limits that the control group enforces; empty if there is no group.
    package let group: GroupBounds
    /// How many descriptors a process may have.
    package let descriptors: UInt64

    /// The most descriptors of a program whose user has other programs too. For each user, the kernel counts the
    /// descriptors in messages that were not received yet. Before each message, the kernel compares this count with
    /// the limit of the sending process. One message can add 253 descriptors. So the count is at most 768 + 253,
    /// which is below 1,024, the usual limit of the user's other programs.
    package static let mostDescriptorsOfShared: UInt64 = 768

    /// - Parameter sharesItsUser: whether other programs run as the same user. These are the calling user's programs,
    ///   or other programs that root runs.
    package init(_ limits: PolicyLimits, group: GroupBounds, sharesItsUser: Bool) {
        self.group = group
        let wanted = UInt64(max(8, limits.descriptors))
        descriptors = sharesItsUser ? min(wanted, Self.mostDescriptorsOfShared) : wanted
    }

    /// Whether the process gets a lower priority by niceness, because no control group weighs its processor time.
    package var isNice: Bool { !group.contains(.processorShare) }

    /// Whether the kernel enforces a limit on memory of all kinds, for all processes together. If not, the memory is
    /// watched.
    package var isMemoryEnforced: Bool { group.isSuperset(of: [.memory, .swap]) }
}

extension HeldLimits {
    /// The resource limits of every process of the sandbox. Each process has these limits separately.
    /// - Parameter hasReaper: whether there is a reaper, which counts as one more process of the user.
    func resources(_ limits: PolicyLimits, hasReaper: Bool) -> [ResourceLimit] {
        let processes = UInt64(max(1, limits.processes)) + (hasReaper ? 1 : 0)
        var list = [
            // The limit is not 0: if the host's core dump handler is a pipe, the handler runs even at 0. At 1 the
            // kernel skips the handler.
            ResourceLimit(UInt32(RLIMIT_CORE.rawValue), bound: 1),
            ResourceLimit(UInt32(RLIMIT_NOFILE.rawValue), bound: descriptors),
            ResourceLimit(UInt32(RLIMIT_FSIZE.rawValue), bound: limits.file),
            ResourceLimit(UInt32(__RLIMIT_NPROC.rawValue), bound: processes),
            // A few pages for a program that keeps a secret in locked memory. The filter decides whether the program
            // may lock memory.
            ResourceLimit(UInt32(__RLIMIT_MEMLOCK.rawValue), bound: 64 * 1024),
            ResourceLimit(UInt32(__RLIMIT_MSGQUEUE.rawValue), bound: 0),
            ResourceLimit(UInt32(__RLIMIT_SIGPENDING.rawValue), bound: 64),
        ]
        if !PolicyLimits.isNone(limits.processor) {
            let seconds = UInt64(max(1, limits.processor.components.seconds))
            list.append(ResourceLimit(UInt32(RLIMIT_CPU.rawValue), bound: seconds))
        }
        // A control group counts every kind of memory. If there is no such group, this limit applies to private memory.
        if !isMemoryEnforced { list.append(ResourceLimit(UInt32(RLIMIT_DATA.rawValue), bound: limits.memory)) }
        if let addresses = addressSpace(limits) {
            list.append(ResourceLimit(UInt32(RLIMIT_AS.rawValue), bound: addresses))
        }
        return list.map { $0.withinOwn() }
    }

    /// The limit on address space in bytes; nil if there is none. Page tables use up to a 512th of the addresses. A
    /// control group would count page tables. Without such a group, this limit bounds them. The limit applies only to
    /// a sandbox with a single process, because there it bounds the whole sandbox. Programs with several processes
    /// reserve far more than they use (some reserve a thousand GiB), and each process would get the whole limit. So
    /// the memory of these programs is only watched.
    func addressSpace(_ limits: PolicyLimits) -> UInt64? {
        guard !group.contains(.memory), limits.processes <= 1 else { return nil }
        return max(Self.leastAddresses, limits.memory.multipliedClamped(by: 64))
    }

    /// The smallest limit on address space in bytes. Any runtime library that reserves addresses at its start can start
    /// with this limit. The page tables for so many addresses use 32 MiB.
    private static let leastAddresses: UInt64 = 16 << 30
}
