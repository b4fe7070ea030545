internal import CAnnexLinux

extension Descriptor {
    /// From now on reading or writing never waits. The flag is the open file description's, so this is for ends that
    /// only this process holds.
    package func stopBlocking() throws(SystemError) {
        _ = try SystemError.check("fcntl(F_SETFL)", annex_stop_blocking(number))
    }
}
