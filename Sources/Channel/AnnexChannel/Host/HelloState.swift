/// Whether the extension has said hello yet, and who waits for it.
enum HelloState: Sendable {
    case awaited([HelloWaiter])
    case said(Hello)
    case failed(CallFailure)
}
