internal import CAnnexLinux

/// A process that ends another at its time, for who may be stopped meanwhile. It ends with its value, and with the
/// thread that made it.
package struct StandIn: ~Copyable {
    private let process: Int32

    /// - Parameter deadline: on the monotonic clock.
    package init(ending other: borrowing ProcessHandle, at deadline: UInt64) throws(SystemError) {
        process = try SystemError.check("fork", annex_stand_in(other.descriptor.number, deadline))
    }

    deinit { annex_dismiss(process) }
}
