/// Why a watched descriptor's handler runs.
package struct Readiness: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The descriptor is readable or at its end.
    package static let readable = Readiness(rawValue: 1)
    /// The other end is closed or broken.
    package static let hangup = Readiness(rawValue: 2)
}
