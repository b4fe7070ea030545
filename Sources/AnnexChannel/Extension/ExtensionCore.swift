internal import AnnexLinux

/// What an extension's endpoint and its unanswered requests share. Used by one thread.
final class ExtensionCore {
    let control: ControlSocket
    let own: OwnRegion
    let peer: PeerRegion
    var reader: RingReader
    var writer: RingWriter
    let wakeReceiver: WakeGate
    let wakeSender: WakeGate
    let dataGate: SleepGate
    let roomGate: SleepGate
    var spinner: Spinner
    /// The doorbell that was rung last: the host asks anew each time it goes to sleep.
    var rung: UInt32 = 0
    /// Frames that were read while looking for a cancel.
    var ahead: [Frame] = []
    /// Requests that have been given out and not answered, and whether the caller has given up.
    var open: [UInt64: Bool] = [:]
    /// Calls given up before their request was given out.
    var cancelledAhead: Set<UInt64> = []

    init(
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion, waiting: WaitingStyle
    ) {
        reader = RingReader(ring: peer.ring, produced: peer.produced, consumed: own.consumed)
        writer = RingWriter(ring: own.ring, produced: own.produced, consumed: peer.consumed)
        wakeReceiver = WakeGate(position: own.produced, flag: peer.receiver)
        wakeSender = WakeGate(position: own.consumed, flag: peer.sender)
        dataGate = SleepGate(flag: own.receiver, position: peer.produced)
        roomGate = SleepGate(flag: own.sender, position: peer.consumed)
        spinner = Spinner(waiting)
        self.control = control
        self.own = own
        self.peer = peer
    }
}
