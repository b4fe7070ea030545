internal import Synchronization

/// Carries a request to where it is answered.
final class HeldRequest: Sendable {
    private let request: Mutex<HostedRequest?>

    init(_ request: consuming HostedRequest) {
        self.request = Mutex(request)
    }

    func take() -> HostedRequest? {
        request.withLock { $0.take() }
    }
}
