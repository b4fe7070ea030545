import AnnexChannel
import AnnexHost
import Dispatch
import Glibc
import Synchronization

/// Sixty-four extensions that keep the broker and the kernel busy. Each extension is started again as soon as it has
/// ended. A third of the extensions makes calls that are refused. A third sends signals to itself. The rest only begins
/// and ends.
final class Flood: Sendable {
    private enum Conduct: UInt8, CaseIterable {
        case denials, signals, ends
    }

    private static let count = 64
    private let isOver = Atomic(false)
    private let lanes = DispatchGroup()

    init(_ launcher: Launcher) {
        for lane in 0..<Self.count {
            let conduct = Conduct.allCases[lane % Conduct.allCases.count]
            DispatchQueue(label: "flood \(lane)").async(group: lanes) { [self] in
                while !isOver.load(ordering: .acquiring) { Self.live(launcher, conduct: conduct) }
            }
        }
    }

    /// Runs an extension once. If the extension misbehaved too often, the broker does not start it for a while.
    private static func live(_ launcher: Launcher, conduct: Conduct) {
        guard let session = try? launcher.launch() else {
            usleep(10_000)
            return
        }
        if conduct != .ends {
            try? session.channel.sendAndWait(ChannelEvent(method: 11, payload: [conduct.rawValue]))
        }
        _ = session.completeAndWait()
    }

    func stop() {
        isOver.store(true, ordering: .releasing)
        lanes.wait()
    }
}
