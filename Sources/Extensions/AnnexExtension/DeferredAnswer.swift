internal import AnnexChannel

/// Holds a response whose answer is sent later. This type is a class, because a noncopyable value cannot be a part of
/// a tuple or of an optional in a class.
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
