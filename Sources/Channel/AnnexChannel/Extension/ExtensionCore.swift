internal import AnnexLinux

/// What an extension's endpoint and its unanswered requests share. Used by one thread.
final class ExtensionCore {
    let control: ControlSocket
    // The mappings that the two halves point into.
    private let own: OwnRegion
    private let peer: PeerRegion
    var receiver: ExtensionReceiver
    var sender: ExtensionSender
    /// Frames that were read while looking for a cancel.
    var ahead: [Frame] = []
    /// Requests that have been given out and not answered: seldom more than one.
    var open: [OpenRequest] = []
    /// The most bytes of an answer.
    let largestPayload: Int
    /// The most bytes that a frame of this side's has.
    let largestFrame: Int
    /// The most bytes that a frame of the host's has.
    let largestRequest: Int
    /// What the host's side of the wire can do.
    let host: WireFeatures
    /// The number of the last call to the host.
    var lastCall: UInt64 = 0
    /// The number of the last stream that this side opened; they are even.
    var lastStream: UInt64 = 0
    var streams: [UInt64: HeldStream] = [:]
    /// Who takes streams that the host opens.
    var takeStream: ((ExtensionStream) -> Void)?
    /// Both halves are held by the loop of bare bytes, whose bodies must not use them: see `checkFree`.
    var isServingRaw = false
    /// Calls given up before their request was given out.
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

    /// Refuses what would need a half of the endpoint while a body of bare bytes runs. Swift would end the program.
    func checkFree() throws(ExtensionFailure) {
        if isServingRaw { throw .inUse }
    }

    /// Lets another thread end this one's waiting for the host.
    func wait(until stop: StopGate) {
        receiver.stop = stop
        sender.stop = stop
    }
}

/// A request that waits for its answer.
struct OpenRequest {
    let call: UInt64
    /// The caller has given up.
    var isCancelled = false
}
