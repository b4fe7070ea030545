import AnnexHost
import AnnexModel
import AnnexService
import AnnexTestSupport
import Foundation

/// One extension at a time, from its launch to its end, with an accident on the way.
struct Course: Sendable {
    private let host: AnnexHost
    private let identifier: String

    init(_ host: AnnexHost, _ identifier: String) {
        self.host = host
        self.identifier = identifier
    }

    /// - Parameter delay: microseconds from the wish to launch it.
    /// - Returns: the reason in a word, and all that is known of the end.
    func run(_ accident: Accident, after delay: Int) async -> (reason: String, text: String) {
        async let happened: Void = happen(accident, after: delay)
        let end = await live(accident, after: delay)
        await happened
        try? host.setEnabled(true, for: identifier)
        return end
    }

    private func live(_ accident: Accident, after delay: Int) async -> (String, String) {
        do {
            let session = try await host.begin(identifier)
            if accident == .hostCancels {
                async let end = Task.detached {
                    try? await Task.sleep(for: .microseconds(delay))
                    return await session.cancel()
                }.value
                _ = try? await session.request([ExtensionItem(contentText: accident.conduct)])
                return Self.told(await end)
            }
            _ = try await session.request([ExtensionItem(contentText: accident.conduct)])
            return Self.told(await session.complete())
        } catch .ended(let termination) {
            return Self.told(termination)
        } catch .refused(let error) {
            return ("refused", "\(error)")
        } catch {
            return ("none", "\(error)")
        }
    }

    private static func told(_ end: Termination) -> (String, String) { (end.reason.rawValue, "\(end)") }

    private func happen(_ accident: Accident, after delay: Int) async {
        try? await Task.sleep(for: .microseconds(delay))
        let wardens = ProcessTable.wardens(of: getpid())
        switch accident {
        case .extensionIsKilled: for process in ProcessTable.children(of: wardens) { kill(process, SIGKILL) }
        case .extensionIsStopped: for process in ProcessTable.children(of: wardens) { kill(process, SIGSTOP) }
        case .wardenIsKilled: for process in wardens { kill(process, SIGKILL) }
        case .isSwitchedOff: try? host.setEnabled(false, for: identifier)
        case .nothing, .hostCancels, .exits, .chatters, .spins: break
        }
    }
}
