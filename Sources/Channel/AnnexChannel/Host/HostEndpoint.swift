internal import AnnexLinux
internal import Synchronization

/// The host's end of a channel: any number of threads and tasks may call through it at once.
///
/// It has no thread of its own. Whoever waits for an answer reads the ring for everybody; when nobody waits, the
/// extension rings the control socket, and the event loop's thread reads. Nothing that the extension does can trap
/// here, block without bound, or make a call resolve twice.
public final class HostEndpoint: Sendable {
    let configuration: ChannelConfiguration
    let handlers: ChannelHandlers
    package let loop: EventLoop
    let control: ControlSocket
    /// What one request may hand over.
    let mostDescriptors: Int
    /// Nil unless the traffic is recorded: then every message goes the general way.
    let tap: (any FrameTap)?
    let own: OwnRegion
    let peer: PeerRegion

    let halves: LockPair<HostReceiver, HostSender>
    var sending: HalfLock<HostSender> { halves.second }
    /// Held while reading and while sleeping for something to read: its holder leads.
    var receiving: HalfLock<HostReceiver> { halves.first }
    /// The extension, when it sleeps for a frame.
    let sleeper: WakeGate
    let inbox: Mutex<ControlInbox>
    let disposal = DescriptorDisposal()
    let calls = Mutex(CallTable())
    /// Runs tasks where the channel is read; see `ChannelExecutor`.
    public let executor: ChannelExecutor
    let hosted = Mutex(HostedCalls())
    let streams = Mutex(HostStreams())
    let outbox = Mutex(HostOutbox())
    let hello = Mutex(HelloState.awaited([]))
    let workspace = WorkspaceSlot()
    /// What ends with the channel.
    private let closing = Mutex<(@Sendable () -> Void)?>(nil)
    let watch = Mutex<EventLoop.Watch?>(nil)

    /// Tasks that were answered and are not resumed yet.
    let answered = Mutex<[AnsweredTask]>([])
    /// Whether there are any.
    let hasAnswered = Atomic<Bool>(false)
    /// Somebody wanted to read while another held the lock, who looks here after letting go.
    let pumpIsWanted = Atomic<Bool>(false)
    /// Threads in `CallTable.sleepers`, so that a leader without followers need not ask the table.
    let followers = Atomic<Int>(0)
    /// Odd while the leader sleeps or is about to.
    let sleepMark = Atomic<UInt64>(0)
    /// Where in the ring it sleeps.
    let sleepPosition = Atomic<UInt32>(0)
    /// How often this side itself has woken the leader.
    let interruptions = Atomic<UInt64>(0)
    /// Threads that sleep for room or are about to.
    let roomSleepers = Atomic<Int>(0)
    /// The leader lets go without an outcome: somebody ends the channel and reads what is left.
    let isEnding = Atomic<Bool>(false)
    let isClosed = Atomic<Bool>(false)
    /// The owner has heard of a violation.
    let isCondemned = Atomic<Bool>(false)
    /// Whatever of the extension's waits for the event loop's thread to be heard.
    let unheard = Atomic<Int>(0)
    /// Events among it, and their bytes.
    let undelivered = Atomic<UInt32>(0)
    let undeliveredBytes = Atomic<UInt64>(0)
    /// How many waits in streams the owner was told of.
    let streamWaits = Atomic<UInt64>(0)
    let peerIsGone = Atomic<Bool>(false)
    /// The extension takes messages in pieces.
    let sendsPieces = Atomic<Bool>(false)
    /// `HostReceiver.turns`, for whoever reads the control socket.
    let turns = Atomic<UInt32>(0)
    let tally: HostTally

    init(
        configuration: ChannelConfiguration, handlers: ChannelHandlers, loop: EventLoop,
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion,
        mostDescriptors: Int, tap: (any FrameTap)?
    ) {
        self.configuration = configuration
        self.mostDescriptors = mostDescriptors
        self.tap = tap
        self.handlers = handlers
        self.loop = loop
        tally = HostTally(label: configuration.label)
        executor = ChannelExecutor(loop)
        self.control = control
        halves = LockPair(
            HostReceiver(own: own, peer: peer, configuration: configuration),
            HostSender(own: own, peer: peer, configuration: configuration, tap: tap))
        inbox = Mutex(ControlInbox(configuration))
        sleeper = WakeGate(flag: peer.receiver, bell: peer.bell, most: 1)
        self.own = own
        self.peer = peer
    }

    deinit {
        runOnClose()
        // Before the socket closes and its number is given away.
        watch.withLock { $0.take() }?.cancel()
        emptyControl()
    }

    /// Runs a body when the channel closes, just before it takes nothing more, or when nobody has it any more; at most
    /// one.
    func onClose(_ body: @escaping @Sendable () -> Void) {
        closing.withLock { $0 = body }
    }

    func runOnClose() {
        closing.withLock { $0.take() }?()
    }

    /// The largest payload of a request or event. Until the extension has said hello, and where it takes no messages in
    /// pieces, as much as a frame carries.
    public var largestPayload: Int {
        // SYNC: pairs with the store in `handleHello`.
        guard sendsPieces.load(ordering: .acquiring) else { return largestFrame }
        return max(largestFrame, Int(configuration.largestMessage))
    }

    /// The largest payload of one frame: half the ring, less a request's terms. A stream's messages have no more.
    public var largestFrame: Int {
        Int(WireFormat.largestPayload(capacity: configuration.hostCapacity) - RequestTerms.size)
    }

    /// What has happened so far; may be read at any time.
    public var counters: ChannelCounters { tally.now }

    /// Whether the caller runs on the event loop's thread, which reads this channel and runs its handlers.
    package var isOnLoop: Bool { loop.isCurrent }

    /// The number under which others read its counters (`ChannelSnapshot.number`); 0 where they cannot.
    package var counterNumber: UInt64 { tally.number }
}
