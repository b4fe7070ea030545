internal import AnnexChannel

/// Holds an answer that is sent later, because a noncopyable value cannot be a part of a tuple or of an optional in a class.
final class DeferredAnswer<Content: Message> {
    private var response: PendingResponse<Content>?

    init(_ response: consuming PendingResponse<Content>) {
        self.response = consume response
    }

    /// If the host is gone, the answer has no recipient.
    func send(_ answer: Content) {
        try? response.take()?.send(answer)
    }
}
