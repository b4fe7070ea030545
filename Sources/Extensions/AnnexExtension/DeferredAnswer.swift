internal import AnnexChannel

/// Holds a `PendingResponse` until the answer is sent. This type is a class, because a tuple cannot hold a value that
/// cannot be copied, such as a `PendingResponse`.
final class DeferredAnswer<Content: Message> {
    private var response: PendingResponse<Content>?

    init(_ response: consuming PendingResponse<Content>) {
        self.response = consume response
    }

    /// Sends the answer. If the host is gone, the answer has no recipient, and nothing happens.
    func send(_ answer: Content) {
        try? response.take()?.send(answer)
    }
}
