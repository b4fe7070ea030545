internal import AnnexLinux
internal import Glibc

extension ExtensionCore {
    /// The next request or event; nil when `deadline` passes first.
    func next(until deadline: UInt64?) throws(ExtensionFailure) -> Incoming? {
        while true {
            if let frame = try nextFrame(), let incoming = try incoming(frame) { return incoming }
            if ahead.isEmpty, try !hasMore(), try !wait(until: deadline) { return nil }
        }
    }

    /// Whether the caller has given up. Reads on, so that a cancel behind other requests is seen.
    func isCancelled(_ call: UInt64) throws(ExtensionFailure) -> Bool {
        while try hasMore(), let frame = try read() {
            switch frame.kind {
            case .cancel: cancel(frame.call)
            case .ping: try answerPing(frame)
            default: ahead.append(frame)
            }
        }
        return open[call] ?? true
    }

    func close(_ call: UInt64) {
        open[call] = nil
    }

    private func nextFrame() throws(ExtensionFailure) -> Frame? {
        if !ahead.isEmpty { return ahead.removeFirst() }
        return try read()
    }

    private func read() throws(ExtensionFailure) -> Frame? {
        let frame = try checked { () throws(ChannelViolation) in
            if let frame = try reader.next() { return frame as Frame? }
            try reader.look()
            return try reader.next()
        }
        // Room is given back at once: the work that follows may take long.
        if frame != nil, reader.publish() { _ = wakeSender.wakeIfAsleep() }
        return frame
    }

    private func hasMore() throws(ExtensionFailure) -> Bool {
        reader.hasFrames || reader.hasNews
    }

    private func incoming(_ frame: Frame) throws(ExtensionFailure) -> Incoming? {
        switch frame.kind {
        case .request: return try request(frame)
        case .event: return .event(ChannelEvent(method: frame.method, payload: frame.payload))
        case .cancel: cancel(frame.call)
        case .ping: try answerPing(frame)
        case .hello, .reply, .failure, .pong: throw .violated(.unexpectedKind(frame.kind.rawValue))
        }
        return nil
    }

    private func request(_ frame: Frame) throws(ExtensionFailure) -> Incoming? {
        let descriptors = try handOver(frame)
        if cancelledAhead.remove(frame.call) != nil { return nil }
        open[frame.call] = false
        return .request(IncomingRequest(frame, descriptors: descriptors, core: self))
    }

    private func cancel(_ call: UInt64) {
        if open[call] != nil {
            open[call] = true
        } else if ahead.contains(where: { $0.kind == .request && $0.call == call }) {
            cancelledAhead.insert(call)
        }
    }

    private func answerPing(_ frame: Frame) throws(ExtensionFailure) {
        try send(FrameHeader(kind: .pong, method: frame.method, call: frame.call), [])
    }

    /// What the host sent ahead of this request: it is there, or never comes.
    private func handOver(_ frame: Frame) throws(ExtensionFailure) -> DescriptorList {
        guard frame.descriptors > 0 else { return DescriptorList() }
        let reception: ControlReception
        do throws(SystemError) {
            reception = try control.receive(atMost: DescriptorTag.size)
        } catch {
            throw .system(error)
        }
        switch consume reception {
        case .nothing: throw .violated(.descriptorsMissing(call: frame.call))
        case .end: throw .ended
        case .message(var message):
            guard DescriptorTag(message.bytes)?.call == frame.call,
                message.descriptors.count == Int(frame.descriptors)
            else {
                guard message.descriptorsWereCut else { throw .violated(.descriptorsMissing(call: frame.call)) }
                throw .system(SystemError("recvmsg", errno: EMFILE))
            }
            return message.takeDescriptors()
        }
    }

    /// Waits until there is something to read.
    /// - Returns: false when `deadline` has passed.
    private func wait(until deadline: UInt64?) throws(ExtensionFailure) -> Bool {
        spinner.begin()
        var looks: UInt32 = 0
        while !reader.hasNews {
            if spinner.spin() {
                looks &+= 1
                if looks % 64 == 0, isOver(deadline) { return false }
                continue
            }
            spinner.slept()
            dataGate.announce()
            let woken = dataGate.sleep(while: reader.seen, until: deadline)
            dataGate.withdraw()
            if case .refused(let errno) = woken { throw .violated(.sharedWord(errno: errno)) }
            if !reader.hasNews, isOver(deadline) { return false }
        }
        spinner.found()
        return true
    }

    private func isOver(_ deadline: UInt64?) -> Bool {
        deadline.map { MonotonicClock.remaining(until: $0) == 0 } ?? false
    }
}
