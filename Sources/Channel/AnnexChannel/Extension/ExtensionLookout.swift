/// The channel for code that works on a request. The code can call the host and notice events meanwhile. Only the
/// thread that serves the channel may use this value.
package struct ExtensionLookout {
    let core: ExtensionCore

    init(_ core: ExtensionCore) {
        self.core = core
    }

    package init(_ endpoint: borrowing ExtensionEndpoint) {
        self.init(endpoint.core)
    }

    /// Reads the published frames. It answers pings, passes on the events about the extension's life, and keeps all
    /// other frames.
    package func poll() throws(ExtensionFailure) {
        try core.readWhatIsThere()
        core.deliverLifeEvents()
    }

    /// Runs a body at a moment of `MonotonicClock`. If this thread does not wait or await at that moment, the body runs
    /// as soon as the thread does.
    package func perform(at moment: UInt64, _ body: @escaping () -> Void) {
        // SAFETY: the body runs on this thread, as all code that uses the core.
        nonisolated(unsafe) let body = body
        core.tasks.perform(at: moment) { unsafe body() }
    }

    /// Runs a body after each change of the portal's word, on the thread that serves the channel and while it waits or
    /// awaits. It also runs once now.
    package func watchPortal(_ body: @escaping () -> Void) {
        // SAFETY: the body runs on this thread, as all code that uses the core.
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
