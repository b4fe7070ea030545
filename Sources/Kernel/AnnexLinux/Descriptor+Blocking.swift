internal import CAnnexLinux

extension Descriptor {
    /// Makes reads and writes non-blocking. The flag belongs to the open file description, so use this only for ends
    /// that no other process holds.
    package func stopBlocking() throws(SystemError) {
        _ = try SystemError.check("fcntl(F_SETFL)", annex_stop_blocking(number))
    }
}
