internal import AnnexLinux
internal import Glibc

/// What a service manager is told of a daemon's life (`sd_notify`), where there is one.
package enum ServiceManager {
    /// Connections are taken.
    package static func tellReady() { tell("READY=1\nSTATUS=takes connections") }
    /// The daemon starts anew in its own place.
    package static func tellReloading() {
        tell("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now() / 1000)")
    }
    package static func tellStopping() { tell("STOPPING=1\nSTATUS=ends extensions") }

    private static func tell(_ text: String) {
        guard let place = getenv("NOTIFY_SOCKET") else { return }
        // Nobody has to listen: it is for who wants to know.
        try? LocalSocket.sendDatagram(text, to: String(cString: place))
    }
}
