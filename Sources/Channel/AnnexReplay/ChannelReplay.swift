package import AnnexChannel
internal import AnnexLinux

/// A replay of a recording. It sends the recorded messages of the host to an extension, and compares the extension's
/// messages with the recorded messages.
///
/// The replay keeps the recorded order: if the host sent a message after an answer, the replay also sends it after that
/// answer. The replay does not keep the time between messages. The replay ends at the first difference. Calls of the
/// extension get the recorded answers, in the recorded order.
package final class ChannelReplay: Sendable {
    private let steps: [ReplayStep]
    private let inbox = ReplayInbox()

    package init(_ recording: RecordingContents) throws(ReplayFailure) {
        steps = try ReplayStep.steps(of: recording)
    }

    /// How many answers, events and calls of the extension are compared.
    package var compared: Int {
        steps.count { if case .expect = $0 { true } else { false } }
    }

    /// Installs handlers for the extension's events and calls. The existing handlers for violations and for the
    /// extension's end still run.
    package func install(in handlers: inout ChannelHandlers) {
        let (onViolation, onPeerClosed) = (handlers.onViolation, handlers.onPeerClosed)
        handlers.onEvent = { [inbox] in inbox.put(.event($0)) }
        handlers.onRequest = { [inbox] request in
            let (method, payload) = (request.method, request.payload)
            inbox.put(.request(method: method, payload: payload, HeldRequest(request)))
        }
        handlers.onViolation = { [inbox] violation in
            inbox.put(.over("it broke the channel's rules: \(violation)"))
            onViolation(violation)
        }
        handlers.onPeerClosed = { [inbox] in
            inbox.put(.over("it has ended"))
            onPeerClosed()
        }
    }

    /// Runs the replay once. The channel must have the handlers that `install` sets, and its extension must have sent
    /// the hello.
    /// - Parameter patience: how long to wait for each answer, event or call of the extension.
    /// - Returns: the first difference; nil if there is no difference.
    package func run(
        on channel: HostEndpoint, patience: Duration
    ) async throws(ReplayFailure) -> ReplayDifference? {
        var run = ReplayRun(channel: channel, inbox: inbox, patience: patience)
        do {
            for step in steps {
                if let difference = try await run.perform(step) { return difference }
            }
            return run.leftOver()
        } catch let failure as ReplayFailure {
            throw failure
        } catch {
            throw .system("\(error)")
        }
    }
}

extension HostService {
    /// Creates a service that gives the recorded answers and observes the extension's events and calls.
    package init(replaying replay: ChannelReplay) {
        self.init(installing: replay.install)
    }
}

/// Why a recording cannot be replayed. The numbers of messages count from 1.
package enum ReplayFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The recording contains a stream. Streams can be shown but not replayed, because their messages and credits
    /// depend on the timing of both sides.
    case hasStreams(message: Int)
    /// A message of the host was not recorded completely.
    case payloadCut(message: Int, length: UInt32)
    case contentsNotKept(message: Int, bytes: UInt64)
    /// The files or memory that a recorded message hands over cannot be recreated, or an event cannot be sent.
    case system(String)

    package var description: String {
        switch self {
        case .hasStreams(let message): "message \(message) belongs to a stream, and streams are not replayed"
        case .payloadCut(let message, let length):
            "the recording does not keep all \(length) bytes of message \(message); "
                + "record with a larger mostPayloadBytes"
        case .contentsNotKept(let message, let bytes):
            "the recording does not keep all \(bytes) bytes that message \(message) hands over; "
                + "record with a larger mostHandedOverBytes"
        case .system(let what): what
        }
    }
}

/// One step of a replay. `message` is the number of a recorded message, counted from 1.
enum ReplayStep: Sendable {
    /// Sends a request and does not wait for its answer.
    case call(RecordedFrame, message: Int)
    case cancel(UInt64)
    case post(RecordedFrame)
    case answer(RecordedFrame)
    /// Waits for a message of the extension and compares it with this recorded message.
    case expect(RecordedFrame, message: Int)

    /// Converts a whole recording into steps.
    static func steps(of recording: RecordingContents) throws(ReplayFailure) -> [ReplayStep] {
        var steps: [ReplayStep] = []
        var cancelled: Set<UInt64> = []
        for (index, frame) in recording.frames.enumerated() {
            guard let kind = FrameKind(rawValue: frame.kind) else { continue }
            if frame.direction == .toExtension, kind == .cancel { cancelled.insert(frame.call) }
            // The replay does not wait for an answer to a cancelled call.
            if frame.direction == .toHost, kind == .reply || kind == .failure, cancelled.contains(frame.call) {
                continue
            }
            if let step = try step(frame, kind: kind, message: index + 1) { steps.append(step) }
        }
        return steps
    }

    private static func step(
        _ frame: RecordedFrame, kind: FrameKind, message: Int
    ) throws(ReplayFailure) -> ReplayStep? {
        let isOurs = frame.direction == .toExtension
        switch kind {
        // The extension has sent its hello before the replay begins. The extension's supervisor sends pings at its own
        // times, so pings are not replayed.
        case .hello, .ping, .pong: return nil
        // A large message is recorded as a whole message, and not as frames of these kinds.
        case .large, .piece: return nil
        case .open, .data, .credit, .finish, .reset: throw .hasStreams(message: message)
        case .request where isOurs: return .call(try whole(frame, message: message), message: message)
        case .cancel: return isOurs ? .cancel(frame.call) : nil
        // The host sends the goodbye at the end of the session, so the replay does not send it.
        case .event where isOurs && frame.method == ChannelEvent.goodbye: return nil
        case .event where isOurs: return .post(try whole(frame, message: message))
        case .reply where isOurs, .failure where isOurs: return .answer(try whole(frame, message: message))
        case .request, .event, .reply, .failure: return .expect(frame, message: message)
        }
    }

    private static func whole(_ frame: RecordedFrame, message: Int) throws(ReplayFailure) -> RecordedFrame {
        guard frame.isWhole else { throw .payloadCut(message: message, length: frame.length) }
        guard frame.pieces.count == Int(frame.descriptors), frame.pieces.allSatisfy(\.isWhole) else {
            throw .contentsNotKept(message: message, bytes: frame.pieces.map(\.size).max() ?? 0)
        }
        return frame
    }
}
