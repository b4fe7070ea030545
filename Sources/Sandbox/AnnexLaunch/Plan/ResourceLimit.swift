internal import Glibc

/// One `setrlimit` of the process.
package struct ResourceLimit: Sendable, Hashable {
    /// `RLIMIT_…`.
    package var resource: UInt32
    package var soft: UInt64
    package var hard: UInt64

    package init(_ resource: UInt32, soft: UInt64, hard: UInt64) {
        self.resource = resource
        self.soft = soft
        self.hard = hard
    }

    /// Sets soft and hard limit to the same value, so that the process cannot raise it.
    package init(_ resource: UInt32, _ bound: UInt64) {
        self.init(resource, soft: bound, hard: bound)
    }

    /// The limit, lowered to this program's own hard limit if that is lower. A higher one could not be set.
    func withinOwn() -> ResourceLimit {
        var own = rlimit()
        // SAFETY: getrlimit writes one struct and keeps nothing.
        guard unsafe getrlimit(__rlimit_resource_t(resource), &own) == 0 else { return self }
        let most = UInt64(own.rlim_max)
        return ResourceLimit(resource, soft: min(soft, most), hard: min(hard, most))
    }
}
