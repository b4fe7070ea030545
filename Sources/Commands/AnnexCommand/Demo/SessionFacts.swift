import AnnexHost

/// What the demo shows about a session: its launch, its traffic, its end.
struct SessionFacts {
    let report: LaunchReport
    /// Messages that the host sent and received, including the extension's hello.
    let sent: UInt64
    let received: UInt64
    /// Payload bytes in messages, in both directions. The picture travels beside them and does not count.
    let bytes: UInt64
    let end: Termination

    init(_ session: ExtensionSession, end: Termination) {
        report = session.launchReport
        sent = session.statistics.messagesSent
        received = session.statistics.messagesReceived
        bytes = session.statistics.bytesSent + session.statistics.bytesReceived
        self.end = end
    }
}
