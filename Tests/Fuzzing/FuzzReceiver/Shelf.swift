import Synchronization

@testable import AnnexChannel

/// Keeps the peer's requests and streams until the host handles them.
final class Shelf: Sendable {
    private final class Held: Sendable {
        let request: Mutex<HostedRequest?>

        init(_ request: consuming HostedRequest) {
            self.request = Mutex(request)
        }
    }

    private let requests = Mutex<[Held]>([])
    private let streams = Mutex<[ChannelStream]>([])

    func put(_ request: consuming HostedRequest) {
        let held = Held(request)
        requests.withLock { $0.append(held) }
    }

    func put(_ stream: ChannelStream) {
        streams.withLock { $0.append(stream) }
    }

    func takeRequest() -> HostedRequest? {
        let held = requests.withLock { $0.popLast() }
        return held?.request.withLock { $0.take() }
    }

    func takeStreams() -> [ChannelStream] {
        streams.withLock { streams in
            defer { streams = [] }
            return streams
        }
    }

    /// Releases the objects outside the locks, because a released request is answered and a released stream is reset.
    func clear() {
        while let request = takeRequest() { _ = consume request }
        _ = takeStreams()
    }
}
