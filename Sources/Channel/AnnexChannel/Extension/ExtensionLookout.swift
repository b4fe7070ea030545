/// Access to the channel for code that works on a request. During its work, the code can call the host and notice
/// events. Only the thread that serves the channel may use this value.
package struct ExtensionLookout {
    let core: ExtensionCore

    init(_ core: ExtensionCore) {
        self.core = core
    }

    package init(_ endpoint: borrowing ExtensionEndpoint) {
        self.init(endpoint.core)
    }

    /// Reads the published frames. Handles pings, cancels, answers and frames of open streams. Passes on the events
    /// about the extension's life, and keeps all other frames.
    package func poll() throws(ExtensionFailure) {
        try core.readWhatIsThere()
        core.deliverLifeEvents()
    }

    /// Runs a body after every task that is ready now has worked up to its next suspension.
    package func performSoon(_ body: @escaping () -> Void) {
        // SAFETY: the body runs on this thread, and so does all code that uses the core.
        nonisolated(unsafe) let body = body
        core.tasks.perform { unsafe body() }
    }

    /// Runs a body at a moment of `MonotonicClock`. If this thread is busy at that moment, the body runs as soon as the
    /// thread waits or awaits.
    package func perform(at moment: UInt64, _ body: @escaping () -> Void) {
        // SAFETY: the body runs on this thread, and so does all code that uses the core.
        nonisolated(unsafe) let body = body
        core.tasks.perform(at: moment) { unsafe body() }
    }

    /// Runs a body after each change of the portal's word. The broker changes this word when the portal, a socket
    /// between extension and broker, has a message. The body runs on the thread that serves the channel, while this
    /// thread waits or awaits. The first check of the word always counts as a change.
    package func watchPortal(_ body: @escaping () -> Void) {
        // SAFETY: the body runs on this thread, and so does all code that uses the core.
        nonisolated(unsafe) let body = body
        let tasks = core.tasks
        core.watchPortal { tasks.perform { unsafe body() } }
    }

    package func send(_ event: ChannelEvent) throws(ExtensionFailure) {
        try core.send(FrameHeader(kind: .event, method: event.method), payload: event.payload)
    }

    /// Opens a stream to the host.
    package func openStream(_ method: UInt16, arguments: [UInt8]) throws(ExtensionFailure) -> ExtensionStream {
        guard core.host.contains(.streams) else { throw .unsupported }
        return try core.openStream(method, arguments: arguments, window: ExtensionCore.streamWindow)
    }
}
