import AnnexChannel
import AnnexHost
import Dispatch
import Synchronization

/// Sixty-four extensions that keep broker and kernel busy: a third by calls that are refused, a third by signals, and the
/// rest by ends, one after the other.
final class Flood: Sendable {
    private static let (refused, signalled, ended) = (21, 21, 22)
    private let sessions: [ExtensionSession]
    private let isOver = Atomic(false)
    private let lanes = DispatchGroup()

    init(_ launcher: Launcher) throws {
        sessions = try (0..<Self.refused + Self.signalled).map { index in
            let session = try launcher.launch()
            let conduct: UInt8 = index < Self.refused ? 0 : 1
            try session.channel.sendAndWait(ChannelEvent(method: 11, payload: [conduct]))
            return session
        }
        for _ in 0..<Self.ended {
            DispatchQueue.global().async(group: lanes) { [self] in
                while !isOver.load(ordering: .acquiring) {
                    guard let session = try? launcher.launch() else { continue }
                    _ = session.completeAndWait()
                }
            }
        }
    }

    func stop() {
        isOver.store(true, ordering: .releasing)
        lanes.wait()
        for session in sessions { _ = session.cancelAndWait() }
    }
}
