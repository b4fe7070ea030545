internal import AnnexLinux
internal import Glibc

extension ExtensionCore {
    /// The next request or event; nil if none comes before `deadline`.
    func next(until deadline: UInt64?) throws(ExtensionFailure) -> Incoming? {
        while true {
            while let frame = try nextFrame() {
                if let incoming = try incoming(frame) { return incoming }
            }
            if try !wait(until: deadline) { return nil }
        }
    }

    func close(_ call: UInt64) {
        open.removeAll { $0.call == call }
    }

    func nextFrame() throws(ExtensionFailure) -> Frame? {
        if !ahead.isEmpty { return ahead.removeFirst() }
        return try read()
    }

    func read() throws(ExtensionFailure) -> Frame? {
        try checkFree()
        do throws(ChannelViolation) {
            return try receiver.read()
        } catch {
            throw .violated(error)
        }
    }

    func wait(until deadline: UInt64?) throws(ExtensionFailure) -> Bool {
        try checkFree()
        do throws(ChannelViolation) {
            return try receiver.wait(until: deadline)
        } catch {
            throw .violated(error)
        }
    }

    func incoming(_ frame: Frame) throws(ExtensionFailure) -> Incoming? {
        switch frame.kind {
        case .request: return try request(frame)
        case .event: return .event(ChannelEvent(method: frame.method, payload: frame.payload))
        case .open: try accept(frame)
        case .hello, .pong: throw .violated(.unexpectedKind(frame.kind.rawValue))
        default: try putAside(frame)
        }
        return nil
    }

    private func request(_ frame: Frame) throws(ExtensionFailure) -> Incoming? {
        guard let descriptors = try takeHandOver(frame) else {
            try fail(
                frame.call, method: frame.method, code: IncomingRequest.droppedCode,
                text: "the extension's limit on open files is reached")
            return nil
        }
        if cancelledAhead.remove(frame.call) != nil { return nil }
        open.append(OpenRequest(call: frame.call))
        return .request(IncomingRequest(frame, descriptors: descriptors, core: self))
    }

    func cancel(_ call: UInt64) {
        if let index = open.firstIndex(where: { $0.call == call }) {
            open[index].isCancelled = true
            let notify = open[index].onCancel.take()
            notify?()
        } else if ahead.contains(where: { $0.kind == .request && $0.call == call }) {
            cancelledAhead.insert(call)
        }
    }

    func answerPing(_ frame: Frame) throws(ExtensionFailure) {
        try send(FrameHeader(kind: .pong, method: frame.method, call: frame.call), payload: [])
    }
}
