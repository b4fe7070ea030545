internal import AnnexLinux

extension ExtensionCore {
    /// Calls the host and waits for its answer. Frames that arrive meanwhile are handled or kept for later.
    func call(_ method: UInt16, _ payload: [UInt8], until deadline: UInt64?) throws(ExtensionFailure) -> HostAnswer {
        // Checked before the call gets a number, because the host requires consecutive numbers.
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

    /// Handles a frame at once if it needs no caller, and keeps any other for later.
    func putAside(_ frame: Frame) throws(ExtensionFailure) {
        switch frame.kind {
        case .cancel: cancel(frame.call)
        case .ping: try answerPing(frame)
        // An answer to a call that was given up is dropped.
        case .reply, .failure: if frame.call > lastCall { throw .violated(.unknownCall(frame.call)) }
        case .data, .credit, .finish, .reset: try handleStream(frame)
        default: ahead.append(frame)
        }
    }
}

/// The outcome of a call to the host.
enum HostAnswer {
    case reply([UInt8])
    case failure(code: UInt32, text: String)
    case tooLate
}
