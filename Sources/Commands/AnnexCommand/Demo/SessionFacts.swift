import AnnexHost

/// What the demo shows of a session: its launch, its traffic, its end.
struct SessionFacts {
    let report: LaunchReport
    /// Messages out and in, the extension's hello among them.
    let sent: UInt64
    let received: UInt64
    /// Payload bytes in messages, both ways: the picture is not among them.
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
