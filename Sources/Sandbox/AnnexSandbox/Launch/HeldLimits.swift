package import AnnexPolicy
internal import Glibc

/// Which limits of a policy the kernel holds for one launch, and how: as it was really written.
package struct HeldLimits: Sendable, Hashable {
    /// What the control group bounds; empty where there is none.
    package let group: GroupBounds
    /// How many descriptors a process may have.
    package let descriptors: UInt64

    /// A program whose user has other programs too may have no more descriptors than this. The kernel counts descriptors that are
    /// on their way in messages for each user, and compares the sum with the limit of whoever sends next: with 253 in a
    /// message, this stays below 1,024, which other programs of the user usually have.
    package static let mostDescriptorsOfShared: UInt64 = 768

    /// - Parameter sharesItsUser: whether other programs of this machine are the same user's: its caller's, or other
    ///   programs that root runs.
    package init(_ limits: PolicyLimits, group: GroupBounds, sharesItsUser: Bool) {
        self.group = group
        let wanted = UInt64(max(8, limits.descriptors))
        descriptors = sharesItsUser ? min(wanted, Self.mostDescriptorsOfShared) : wanted
    }

    /// Whether the program yields to its host by niceness: no control group weighs its processor time.
    package var isNice: Bool { !group.contains(.processorShare) }

    /// Whether the kernel bounds memory of all kinds, for all processes together; else it is watched.
    package var isMemoryEnforced: Bool { group.isSuperset(of: [.memory, .swap]) }
}

extension HeldLimits {
    /// What every process of the sandbox is held by, each by itself.
    /// - Parameter hasReaper: the reaper is a process of the same user.
    func resources(_ limits: PolicyLimits, hasReaper: Bool) -> [ResourceLimit] {
        let processes = UInt64(max(1, limits.processes)) + (hasReaper ? 1 : 0)
        var list = [
            // Not 0: a piped handler of the host's runs at 0 too, and stops at 1.
            ResourceLimit(UInt32(RLIMIT_CORE.rawValue), 1),
            ResourceLimit(UInt32(RLIMIT_NOFILE.rawValue), descriptors),
            ResourceLimit(UInt32(RLIMIT_FSIZE.rawValue), limits.file),
            ResourceLimit(UInt32(__RLIMIT_NPROC.rawValue), processes),
            ResourceLimit(UInt32(RLIMIT_CPU.rawValue), UInt64(max(1, limits.processor.components.seconds))),
            // A few pages for who keeps a secret there; whether it may is the filter's to say.
            ResourceLimit(UInt32(__RLIMIT_MEMLOCK.rawValue), 64 * 1024),
            ResourceLimit(UInt32(__RLIMIT_MSGQUEUE.rawValue), 0),
            ResourceLimit(UInt32(__RLIMIT_SIGPENDING.rawValue), 64),
        ]
        // With a control group the kernel counts every kind of memory; without one, private memory ends here.
        if !isMemoryEnforced { list.append(ResourceLimit(UInt32(RLIMIT_DATA.rawValue), limits.memory)) }
        if let addresses = addressSpace(limits) { list.append(ResourceLimit(UInt32(RLIMIT_AS.rawValue), addresses)) }
        return list.map { $0.withinOwn() }
    }

    /// Bytes of addresses where no control group counts page tables, which take up to a 512th of them. Bounded is what
    /// has one process: there it bounds the whole sandbox. Programs that have many reserve far more than they use (a
    /// thousand GiB, some), and many processes would have many times the bound: theirs are watched alone.
    func addressSpace(_ limits: PolicyLimits) -> UInt64? {
        guard !group.contains(.memory), limits.processes <= 1 else { return nil }
        return max(Self.leastAddresses, limits.memory.multipliedClamped(by: 64))
    }

    /// Enough for the reservations of any runtime library that starts in such a sandbox: their page tables are 32 MiB.
    private static let leastAddresses: UInt64 = 16 << 30
}
