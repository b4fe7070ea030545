internal import CAnnexLinux

/// A process that kills another one at a deadline, for a caller that may be stopped itself meanwhile. The process ends
/// with this value, and with the thread that made it.
package struct StandIn: ~Copyable {
    private let process: Int32

    /// - Parameter deadline: a moment of `MonotonicClock`.
    package init(ending other: borrowing ProcessHandle, at deadline: UInt64) throws(SystemError) {
        process = try SystemError.check("fork", annex_stand_in(other.descriptor.number, deadline))
    }

    deinit { annex_dismiss(process) }
}
