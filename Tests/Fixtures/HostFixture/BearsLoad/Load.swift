import AnnexBroker
import AnnexHost
import AnnexPolicy
import AnnexTestSupport
import Synchronization

/// One way in which an extension behaves, and the reason that its end must have.
enum Part: String, CaseIterable, Sendable {
    case works, worksAgainAndAgain, isCancelled, exits, chatters
    case takesTooMuchMemory, floods, sendsMalformedMessage, opensSocket, crashes, traps

    /// Most extensions do honest work.
    static func drawn(using random: inout SeededRandom) -> Part {
        if Int.random(in: 0..<3, using: &random) > 0 { return .worksAgainAndAgain }
        return allCases.randomElement(using: &random) ?? .works
    }

    var isHonest: Bool { [.works, .worksAgainAndAgain, .isCancelled, .exits, .chatters].contains(self) }

    var item: ExtensionItem {
        switch self {
        case .exits, .chatters: ExtensionItem(contentText: rawValue)
        case _ where isHonest: ExtensionItem(contentText: "looks 1")
        default: ExtensionItem(userInfo: ["conduct": .string(rawValue)])
        }
    }

    var reason: String {
        switch self {
        case .works, .worksAgainAndAgain: "completed"
        case .isCancelled: "cancelled"
        case .exits: "exited"
        case .chatters: "outputLimit"
        case .takesTooMuchMemory: "memoryLimit"
        case .floods: "messageBudget"
        case .sendsMalformedMessage: "protocolViolation"
        case .opensSocket: "deniedOperation"
        case .crashes, .traps: "crashed"
        }
    }
}

/// One host with all its sessions.
final class Load: Sendable {
    private let host: AnnexHost
    private let told = Mutex<[String: Int]>([:])

    /// - Parameter reports: the folder of the reports.
    init(_ apps: [String], reports: String) throws {
        var wishes = BrokerConfiguration()
        wishes.reports = .folder(reports)
        wishes.holdsBack = false
        wishes.instances = 64
        wishes.patience = .patience
        wishes.adjust = { $0.memory = 64 << 20 }
        let broker = try Broker(wishes)
        for app in apps { _ = try broker.install(app: app) }
        host = AnnexHost(service: broker)
    }

    var count: Int { told.withLock { $0.values.reduce(0, +) } }
    var ends: [(String, Int)] { told.withLock { $0.sorted { $0.key < $1.key } } }

    /// - Returns: the fault that was found, if any.
    func live(_ part: Part) async -> String? {
        let reason = await end(of: part)
        told.withLock { $0["\(part) → \(reason.prefix { $0 != ":" })", default: 0] += 1 }
        return reason == part.reason || reason.hasPrefix(part.reason + ":") ? nil : "\(part) → \(reason)"
    }

    private func end(of part: Part) async -> String {
        do {
            let session = try await host.begin(
                part.isHonest ? "com.example.shout.loud" : "com.example.pictures.misbehaver")
            if part == .isCancelled { return "\(await session.cancel())" }
            for _ in 0..<(part == .worksAgainAndAgain ? 20 : 1) { _ = try await session.request([part.item]) }
            return "\(await session.complete())"
        } catch .ended(let termination) {
            return "\(termination)"
        } catch {
            return "\(error)"
        }
    }
}
