internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

// All of this code runs on the event loop's thread.

extension Connection {
    /// The most packets that are read in one turn, so that other connections get their turn.
    private static let mostAtOnce = 32

    func receive() {
        for _ in 0..<Self.mostAtOnce {
            guard state.withLock({ $0.phase.reads }) else { return }
            guard user.mayRead() else { return pause() }
            do throws(SystemError) {
                switch try socket.receive(atMost: ServiceWire.fromHost.bytes) {
                case .nothing: return
                case .end: return close("the host closed its socket")
                case .message(var message):
                    var list = DescriptorList()
                    swap(&list, &message.descriptors)
                    let isCut = message.bytesWereCut || message.descriptorsWereCut
                    receive(message.bytes, isCut: isCut, handed: HandedOver(list, closing: user.closing))
                }
            } catch {
                return close("\(error)")
            }
        }
    }

    /// Stops reading for 50 ms. If a sender is too fast, its packets stay in the socket until the socket is full. After
    /// that, the sender must wait too.
    private func pause() {
        state.withLock { state in
            defer { state.socketWatch = nil }
            return state.socketWatch
        }?.cancel()
        loop.schedule(after: .milliseconds(50)) { [weak self] in
            guard let self, state.withLock({ !$0.phase.isClosed }) else { return }
            do throws(SystemError) { try watchSocket() } catch { close("\(error)") }
        }
    }

    private func receive(_ bytes: [UInt8], isCut: Bool, handed: HandedOver) {
        guard !isCut else { return reject("the host sent a packet that is too large") }
        let packet: HostPacket
        do throws(DecodingFailure) {
            packet = try HostPacketMessage(decoding: bytes, within: ServiceWire.fromHost).packet
        } catch {
            return reject("the host sent a packet that cannot be read: \(error)")
        }
        switch packet {
        case .hello(let versions): welcome(versions)
        case .portal(let app): becomePortal(of: app)
        case .request(let number, let request): receive(request, number: number, handed: handed)
        case .notice(let number, let notice, let counts): receive(notice, number: number, counts: counts)
        }
    }

    private func welcome(_ versions: ClosedRange<UInt64>) {
        guard let version = ServiceWire.common(with: versions) else {
            return reject(
                "the host supports wire versions \(versions.inWords), this daemon \(ServiceWire.versions.inWords)")
        }
        let isFirst = state.withLock { state in
            guard state.phase.isAwaitingHello else { return false }
            (state.phase, state.version) = (.open, version)
            return true
        }
        guard isFirst else { return reject("the host sent a second hello") }
        // From now on, the client may send descriptors, because its requests for launches carry descriptors.
        socket.setPassRights(true)
        // Half of the limit, so that two hosts of the user find room at the same time.
        let window = version < ServiceWire.firstWithOrigins ? 0 : UInt64(clamping: max(1, limits.openRequests / 2))
        send(.welcome(version: version, window: window))
        // The connection gets notices of changes only from now on, because the welcome must be the first packet that
        // the host gets.
        user.listen(self)
    }

    private func receive(_ request: ServiceRequest, number: UInt64, handed: HandedOver) {
        let isNext = state.withLock { state in
            guard state.phase.isOpen, number > state.last else { return false }
            state.last = number
            return true
        }
        guard isNext else { return reject("the host sent a request before its hello, or out of order") }
        guard user.acquire(\.openRequests, most: limits.openRequests) else {
            return send(.answer(number, .failed(user.overQuota("\(limits.openRequests) open requests"))))
        }
        begin(request, number: number, handed: handed)
    }

    private func receive(_ notice: ExtensionNotice, number: UInt64, counts: SessionStatistics) {
        enum Receiver {
            case handle(any ExtensionHandle), later, tooMuch, unknown
        }
        let receiver: Receiver = state.withLock { state in
            guard state.phase.isOpen, number <= state.last else { return .unknown }
            guard var launched = state.extensions[number] else { return .later }
            if let handle = launched.handle { return .handle(handle) }
            launched.waiting.append(notice)
            launched.counts = counts
            state.extensions[number] = launched
            return launched.waiting.count > 16 ? .tooMuch : .later
        }
        switch receiver {
        case .handle(let handle):
            handle.counted(counts)
            apply(notice, number: number, to: handle)
        // The notice waits until the broker has begun the launch. If the extension has ended, the notice is dropped,
        // because the host may send notices before it knows of the end.
        case .later: break
        case .tooMuch: reject("the host sent too many notices about an extension that is being launched")
        case .unknown: reject("the host sent a notice about an extension that it never launched")
        }
    }
}

extension ClosedRange<UInt64> {
    fileprivate var inWords: String { "\(lowerBound) to \(upperBound)" }
}
