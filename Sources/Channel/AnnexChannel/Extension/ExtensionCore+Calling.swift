internal import AnnexLinux

extension ExtensionCore {
    /// Calls the host and waits for its answer; whatever else comes meanwhile is kept for later.
    func call(_ method: UInt16, _ payload: [UInt8], until deadline: UInt64?) throws(ExtensionFailure) -> HostAnswer {
        // Before it has a number: the host counts them.
        try check(.request, payload.count, terms: RequestTerms.size)
        lastCall &+= 1
        let call = lastCall
        let limit = deadline.map { MonotonicClock.remaining(until: $0) } ?? .max
        try send(FrameHeader(kind: .request, method: method, call: call), payload, terms: RequestTerms(limit: limit))
        while true {
            while let frame = try read() {
                if let answer = try answer(frame, to: call) { return answer }
            }
            guard try wait(until: deadline) else {
                try send(FrameHeader(kind: .cancel, method: method, call: call), [])
                return .tooLate
            }
        }
    }

    private func answer(_ frame: Frame, to call: UInt64) throws(ExtensionFailure) -> HostAnswer? {
        switch frame.kind {
        case .reply where frame.call == call: return .reply(frame.payload)
        case .failure where frame.call == call:
            let code = WireBytes.number(frame.payload, at: 0, as: UInt32.self) ?? 0
            return .failure(code: code, text: String(decoding: frame.payload.dropFirst(4), as: UTF8.self))
        default:
            try putAside(frame)
            return nil
        }
    }

    /// What need not wait is done at once, everything else when it is asked for.
    func putAside(_ frame: Frame) throws(ExtensionFailure) {
        switch frame.kind {
        case .cancel: cancel(frame.call)
        case .ping: try answerPing(frame)
        // An answer to a call that was given up.
        case .reply, .failure: if frame.call > lastCall { throw .violated(.unknownCall(frame.call)) }
        case .data, .credit, .finish, .reset: try handleStream(frame)
        default: ahead.append(frame)
        }
    }
}

/// How a call to the host ended.
enum HostAnswer {
    case reply([UInt8])
    case failure(code: UInt32, text: String)
    case tooLate
}
