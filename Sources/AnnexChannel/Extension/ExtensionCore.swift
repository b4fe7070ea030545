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
    let largestPayload: Int
    /// Calls given up before their request was given out.
    var cancelledAhead: Set<UInt64> = []

    init(
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion, waiting: WaitingStyle
    ) {
        receiver = ExtensionReceiver(own: own, peer: peer, waiting: waiting)
        sender = ExtensionSender(own: own, peer: peer)
        largestPayload = Int(WireFormat.largestPayload(capacity: own.ring.capacity))
        self.control = control
        self.own = own
        self.peer = peer
    }
}
