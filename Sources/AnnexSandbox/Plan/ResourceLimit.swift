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

    /// Soft and hard limit the same, so that the process cannot raise it.
    package init(_ resource: UInt32, _ bound: UInt64) {
        self.init(resource, soft: bound, hard: bound)
    }
}
