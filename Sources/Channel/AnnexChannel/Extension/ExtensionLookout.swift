/// The channel for who is at work and hears meanwhile what its host has to say. For the endpoint's thread only.
package struct ExtensionLookout {
    private let core: ExtensionCore

    package init(_ endpoint: borrowing ExtensionEndpoint) {
        core = endpoint.core
    }

    /// Reads what is there: pings are answered, events of these methods are taken out, all else is kept for later.
    package func look(for methods: Set<UInt16>) throws(ExtensionFailure) -> [UInt16] {
        try core.readWhatIsThere()
        return core.takeEvents(methods)
    }

    package func send(_ event: ChannelEvent) throws(ExtensionFailure) {
        try core.send(FrameHeader(kind: .event, method: event.method), event.payload)
    }
}

extension ExtensionCore {
    fileprivate func takeEvents(_ methods: Set<UInt16>) -> [UInt16] {
        func isWanted(_ frame: Frame) -> Bool { frame.kind == .event && methods.contains(frame.method) }
        guard ahead.contains(where: isWanted) else { return [] }
        defer { ahead.removeAll(where: isWanted) }
        return ahead.filter(isWanted).map(\.method)
    }
}
