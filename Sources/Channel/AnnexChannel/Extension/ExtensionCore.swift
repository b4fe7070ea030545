internal import AnnexLinux

/// The shared state of an extension's endpoint and its unanswered requests. Only one thread uses it.
final class ExtensionCore {
    let control: ControlSocket
    // The mappings behind the two halves.
    private let own: OwnRegion
    private let peer: PeerRegion
    var receiver: ExtensionReceiver
    var sender: ExtensionSender
    /// Frames that were read early, for example while checking for a cancel.
    var ahead: [Frame] = []
    /// Requests that were passed to the extension's code and not answered yet; seldom more than one.
    var open: [OpenRequest] = []
    /// The most bytes of an answer.
    let largestPayload: Int
    /// The most bytes of a frame from this side.
    let largestFrame: Int
    /// The most bytes of a frame from the host.
    let largestRequest: Int
    /// The wire features of the host.
    let host: WireFeatures
    /// The number of the last call to the host.
    var lastCall: UInt64 = 0
    /// The number of the last stream that this side opened; its numbers are even.
    var lastStream: UInt64 = 0
    var streams: [UInt64: HeldStream] = [:]
    /// Handles streams that the host opens; nil: they are reset.
    var takeStream: ((ExtensionStream) -> Void)?
    /// Set while the loop of plain bytes holds both halves; its bodies must not use them (see `checkFree`).
    var isServingRaw = false
    /// Calls that were cancelled before their request was passed on.
    var cancelledAhead: Set<UInt64> = []

    init(
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion, waiting: WaitingStyle,
        _ said: RegionLayout.Description
    ) {
        receiver = ExtensionReceiver(
            own: own, peer: peer, waiting: waiting, hasBell: said.features.contains(.bells))
        sender = ExtensionSender(
            own: own, peer: peer, waiting: waiting, framesMayStay: said.features.contains(.staying))
        largestFrame = Int(WireFormat.largestPayload(capacity: own.ring.capacity))
        let sendsPieces = said.features.contains(.pieces) && own.arena.places > 0
        largestPayload = sendsPieces ? max(largestFrame, Int(said.largestMessage)) : largestFrame
        largestRequest = Int(WireFormat.largestPayload(capacity: peer.ring.capacity))
        self.control = control
        host = said.features
        self.own = own
        self.peer = peer
    }

    /// Throws if a body of plain bytes runs. Without this check, Swift would end the program for overlapping access to
    /// a half.
    func checkFree() throws(ExtensionFailure) {
        if isServingRaw { throw .inUse }
    }

    /// Lets another thread end this thread's waits for the host.
    func wait(until stop: StopGate) {
        receiver.stop = stop
        sender.stop = stop
    }
}

/// A request that waits for its answer.
struct OpenRequest {
    let call: UInt64
    /// Whether the caller has given up.
    var isCancelled = false
}
