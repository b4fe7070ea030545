import AnnexBroker
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization

/// One extension at a time, from its launch to its end, with an accident during its life.
final class Course: Sendable {
    struct Told: Sendable {
        let reason: String
        /// All known facts about the end.
        let text: String
    }

    let apps: [String]
    let broker: Broker
    let host: AnnexHost
    let wardens = OwnWardens()
    private let ends: EndBook
    private let current: Current

    /// - Parameter apps: the bundles of Shout.app, with the worker in it, and Pictures.app.
    init(_ apps: [String]) throws {
        let (ends, current) = (EndBook(), Current())
        var wishes = BrokerConfiguration()
        wishes.holdsBack = false
        wishes.adjust = { limits in current.accident.withLock { $0 }.adjust(&limits) }
        broker = try Broker(wishes) { ends.note($0) }
        host = AnnexHost(service: broker)
        self.apps = apps
        self.ends = ends
        self.current = current
        for app in apps { _ = try broker.install(app: app) }
    }

    /// The accident for which the broker's limits are set.
    private final class Current: Sendable {
        let accident = Mutex(Accident.nothing)
    }

    func run(_ accident: Accident, _ moment: Moment) async -> Told {
        if accident == .hostIsKilled { return await killHost(moment) }
        current.accident.withLock { $0 = accident }
        let isOver = Flag()
        async let happened: Void = happen(accident, moment, isOver)
        var told = await live(accident, moment)
        isOver.raise()
        await happened
        if accident == .appIsRemoved { _ = try? broker.install(app: apps[0]) }
        try? host.setEnabledAndWait(true, for: accident.identifier)
        // A caller that dropped the session got no report, so the broker's report is used.
        let noted = told.reason == "refused" ? [] : await ends.take()
        if told.reason == "dropped", let end = noted.first?.termination { told = Self.told(end) }
        let isSame = noted.map(\.termination.reason.rawValue) == (told.reason == "refused" ? [] : [told.reason])
        return isSame ? told : Told(reason: "told otherwise", text: "\(told.text); the broker: \(noted)")
    }

    private func live(_ accident: Accident, _ moment: Moment) async -> Told {
        do {
            let session = try await host.begin(accident.identifier)
            switch accident {
            case .hostDropsItsSession: return Told(reason: "dropped", text: "")
            case .hostCancels:
                async let end = Task.detached {
                    try? await Task.sleep(for: .microseconds(moment.delay))
                    return await session.cancel()
                }.value
                _ = try? await session.request(accident.request)
                return Self.told(await end)
            case .hostCancelsItsTask:
                let task = Task { try? await session.request(accident.request) }
                try? await Task.sleep(for: .microseconds(moment.delay))
                task.cancel()
                _ = await task.value
            default: _ = try await session.request(accident.request, accepting: accident.acceptance)
            }
            return Self.told(await session.complete())
        } catch .ended(let termination) {
            return Self.told(termination)
        } catch .rejected(let error) {
            return Told(reason: "refused", text: "\(error)")
        } catch {
            return Told(reason: "none", text: "\(error)")
        }
    }

    private static func told(_ end: Termination) -> Told { Told(reason: end.reason.rawValue, text: "\(end)") }
}
