package import AnnexChannel
internal import AnnexLinux

/// Plays the host's part of a recording to an extension, and compares what it says to what it said then.
///
/// Everything happens in the recorded order: what the host sent after an answer is sent after that answer. The time
/// between is not kept. It ends at the first difference. Where the extension calls its host, the recorded answers are
/// given, in their order.
package final class ChannelReplay: Sendable {
    private let steps: [ReplayStep]
    private let inbox = ReplayInbox()

    package init(_ recording: Recording) throws(ReplayFailure) {
        steps = try ReplayStep.steps(of: recording)
    }

    /// How many answers, events and calls of the extension's are compared.
    package var compared: Int {
        steps.count { if case .expect = $0 { true } else { false } }
    }

    /// Hears what the extension sends of its own accord, before those that are there.
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

    /// Once, on a channel with these handlers whose extension has said hello.
    /// - Parameter patience: how long each answer, event or call of the extension's is waited for.
    /// - Returns: the first difference; nil where there is none.
    package func run(
        on channel: HostEndpoint, patience: Duration
    ) async throws(ReplayFailure) -> ReplayDifference? {
        var run = ReplayRun(channel: channel, inbox: inbox, patience: patience)
        do {
            for step in steps {
                if let difference = try await run.take(step) { return difference }
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
    /// What a recorded host served: its answers, and an eye on what the extension sends.
    package init(replaying replay: ChannelReplay) {
        self.init(installing: replay.install)
    }
}

/// Why a recording cannot be replayed. Numbers of messages count from 1.
package enum ReplayFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Streams are shown, not replayed: their chunks and credits follow the time that both sides take.
    case hasStreams(message: Int)
    /// Not everything that the host said was kept.
    case payloadCut(message: Int, length: UInt32)
    case contentsNotKept(message: Int, bytes: UInt64)
    /// What a recorded message hands over cannot be made anew.
    case system(String)

    package var description: String {
        switch self {
        case .hasStreams(let message): "message \(message) belongs to a stream, and streams are not replayed"
        case .payloadCut(let message, let length):
            "message \(message) has \(length) bytes of which not all were kept; record with a larger mostPayloadBytes"
        case .contentsNotKept(let message, let bytes):
            "message \(message) hands over \(bytes) bytes of which not all were kept; record with a larger "
                + "mostHandedOverBytes"
        case .system(let what): what
        }
    }
}
