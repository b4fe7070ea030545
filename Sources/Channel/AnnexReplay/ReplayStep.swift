internal import AnnexChannel

/// One step of a replay; `message` counts recorded messages from 1.
enum ReplayStep: Sendable {
    /// Sends a request and does not wait for its answer.
    case call(RecordedFrame, message: Int)
    case cancel(UInt64)
    case post(RecordedFrame)
    case answer(RecordedFrame)
    /// Waits for a message of the extension and compares it with this one.
    case expect(RecordedFrame, message: Int)

    /// Converts a whole recording into steps.
    static func steps(of recording: Recording) throws(ReplayFailure) -> [ReplayStep] {
        var steps: [ReplayStep] = []
        var cancelled: Set<UInt64> = []
        for (index, frame) in recording.frames.enumerated() {
            guard let kind = FrameKind(rawValue: frame.kind) else { continue }
            if frame.direction == .toExtension, kind == .cancel { cancelled.insert(frame.call) }
            // An answer to a cancelled call is not awaited.
            if frame.direction == .toHost, kind == .reply || kind == .failure, cancelled.contains(frame.call) {
                continue
            }
            if let step = try step(frame, kind, message: index + 1) { steps.append(step) }
        }
        return steps
    }

    private static func step(
        _ frame: RecordedFrame, _ kind: FrameKind, message: Int
    ) throws(ReplayFailure) -> ReplayStep? {
        let isOurs = frame.direction == .toExtension
        switch kind {
        // The launch brings the hello, and the extension's supervisor sends pings in its own time.
        case .hello, .ping, .pong: return nil
        // Large messages are recorded as a whole.
        case .large, .piece: return nil
        case .open, .data, .credit, .finish, .reset: throw .hasStreams(message: message)
        case .request where isOurs: return .call(try whole(frame, message), message: message)
        case .cancel: return isOurs ? .cancel(frame.call) : nil
        // The end of the session sends the goodbye.
        case .event where isOurs && frame.method == ChannelEvent.goodbye: return nil
        case .event where isOurs: return .post(try whole(frame, message))
        case .reply where isOurs, .failure where isOurs: return .answer(try whole(frame, message))
        case .request, .event, .reply, .failure: return .expect(frame, message: message)
        }
    }

    private static func whole(_ frame: RecordedFrame, _ message: Int) throws(ReplayFailure) -> RecordedFrame {
        guard frame.isWhole else { throw .payloadCut(message: message, length: frame.length) }
        guard frame.pieces.count == Int(frame.descriptors), frame.pieces.allSatisfy(\.isWhole) else {
            throw .contentsNotKept(message: message, bytes: frame.pieces.map(\.size).max() ?? 0)
        }
        return frame
    }
}
