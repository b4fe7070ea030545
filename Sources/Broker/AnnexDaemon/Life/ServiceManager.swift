internal import AnnexLinux
internal import Glibc

/// Reports the daemon's state to the service manager that started it (`sd_notify`), if there is one.
package enum ServiceManager {
    /// The daemon accepts connections.
    package static func tellReady() { tell("READY=1\nSTATUS=takes connections") }
    /// The daemon is replacing itself with a new program.
    package static func tellReloading() {
        tell("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now() / 1000)")
    }
    package static func tellStopping() { tell("STOPPING=1\nSTATUS=ends extensions") }

    private static func tell(_ text: String) {
        guard let place = getenv("NOTIFY_SOCKET") else { return }
        // An error is ignored, because no service manager has to listen.
        try? LocalSocket.sendDatagram(text, to: String(cString: place))
    }
}
