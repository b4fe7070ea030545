internal import AnnexLinux
internal import Glibc

extension ControlSocket {
    /// Tells a host that sleeps in epoll that there is something to read.
    func ring() throws(ExtensionFailure) {
        do throws(SystemError) {
            try send(WireFormat.doorbell)
        } catch {
            // A full queue wakes the host as well.
            if error.errno != EAGAIN { throw ExtensionFailure(sending: error) }
        }
    }
}

extension ExtensionFailure {
    /// What it means that the control socket takes nothing.
    init(sending error: SystemError) {
        self = error.errno == EPIPE || error.errno == ECONNRESET ? .ended : .system(error)
    }
}
