internal import AnnexLinux

/// The shared state of an extension's endpoint and its unanswered requests. Only one thread uses this object.
final class ExtensionCore {
    let control: ControlSocket
    // The mappings of the memory regions that `receiver` and `sender` use.
    private let own: OwnRegion
    private let peer: PeerRegion
    #if DEBUG
        var receiver: ExtensionReceiver
        var sender: ExtensionSender
    #else
        // In release builds, Swift's check of overlapping accesses would cost a twentieth of a call. Only debug builds
        // keep that check. In all builds, `checkFree` throws an error before an overlapping access.
        @exclusivity(unchecked) var receiver: ExtensionReceiver
        @exclusivity(unchecked) var sender: ExtensionSender
    #endif
    /// The last answer, if this side has not yet checked whether the host sleeps and must be woken for this answer.
    var unchecked: UncheckedAnswer?
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
    /// The number of the last stream that this side opened. This side's numbers are even.
    var lastStream: UInt64 = 0
    var streams: [UInt64: HeldStream] = [:]
    /// Handles streams that the host opens. If this is nil, the extension resets them.
    var onStream: ((ExtensionStream) -> Void)?
    /// Set while `serve` answers requests of plain bytes. The closures that were passed to `serve` must not use the
    /// endpoint meanwhile (see `checkFree`).
    var isServingRaw = false
    /// Descriptors that arrived before this side passed on the frame to which they belong.
    var handedOver: [EarlyHandOver] = []
    /// Runs the tasks that work on requests.
    let tasks: FirstThread
    /// The tasks that work on requests and streams.
    var working: [TaskSubject: Task<Void, Never>] = [:]
    /// The waits of tasks for the answers to their calls to the host, by the number of the call.
    var suspended: [UInt64: Suspension<HostAnswer>] = [:]
    /// Receives the events of `ChannelEvent.lifeEvents`. If this is nil, they are passed on like other events.
    var onLifeEvent: ((UInt16) -> Void)?
    /// Calls that were cancelled before their request was passed to the extension's code.
    var cancelledAhead: Set<UInt64> = []

    init(
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion, waiting: WaitingStyle,
        tasks: FirstThread, _ said: RegionLayout.Description
    ) {
        self.tasks = tasks
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

    /// Throws if a body of `serve` runs. Every use of `receiver` or `sender` begins with this check. Without it,
    /// release builds would not notice an overlapping access, and debug builds would end the program.
    func checkFree() throws(ExtensionFailure) {
        if isServingRaw { throw .inUse }
    }

    /// Calls the handler after each change of the portal's word. The broker changes this word when the portal, a socket
    /// between extension and broker, has a message. The handler must not use this object.
    func watchPortal(_ onChange: @escaping () -> Void) {
        receiver.portal = PortalWord(own.portal, onChange: onChange)
    }

    /// Lets another thread end this thread's waits for the host.
    func wait(until stop: StopGate) {
        receiver.stop = stop
        sender.stop = stop
    }
}

/// What a task of the extension works on. Calls and streams are numbered separately.
enum TaskSubject: Hashable {
    case call(UInt64)
    case stream(UInt64)
}

/// A request that waits for its answer.
struct OpenRequest {
    let call: UInt64
    /// Whether the caller has given up.
    var isCancelled = false
    /// Called once, when the caller gives up.
    var onCancel: (() -> Void)?
}

extension ExtensionCore {
    /// Calls the host and waits for its answer. Frames that arrive meanwhile are handled or kept for later.
    func call(_ method: UInt16, payload: [UInt8], until deadline: UInt64?) throws(ExtensionFailure) -> HostAnswer {
        let call = try sendCall(method, payload: payload, until: deadline)
        while true {
            while let frame = try read() {
                if frame.call == call, frame.kind == .reply || frame.kind == .failure { return try answer(in: frame) }
                try putAside(frame)
            }
            guard try wait(until: deadline) else {
                try send(FrameHeader(kind: .cancel, method: method, call: call), payload: [])
                return .tooLate
            }
        }
    }

    /// Sends a request to the host.
    /// - Returns: the number of the call.
    func sendCall(_ method: UInt16, payload: [UInt8], until deadline: UInt64?) throws(ExtensionFailure) -> UInt64 {
        guard host.contains(.hostedCalls) else { throw .unsupported }
        // Checked before the call gets a number, because the host requires consecutive numbers.
        try check(.request, bytes: payload.count, terms: RequestTerms.size)
        lastCall &+= 1
        let call = lastCall
        let limit = deadline.map { MonotonicClock.remaining(until: $0) } ?? .max
        try send(
            FrameHeader(kind: .request, method: method, call: call), payload: payload, terms: RequestTerms(limit: limit)
        )
        return call
    }

    /// Handles a cancel, a ping, an answer or a frame of an open stream at once. Keeps any other frame for later.
    func putAside(_ frame: Frame) throws(ExtensionFailure) {
        switch frame.kind {
        case .cancel: cancel(frame.call)
        case .ping: try answerPing(frame)
        case .reply, .failure: try resumeCaller(with: frame)
        case .data, .credit, .finish, .reset: try handleStream(frame)
        default: ahead.append(frame)
        }
    }
}
