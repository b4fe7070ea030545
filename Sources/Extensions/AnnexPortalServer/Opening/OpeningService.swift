package import AnnexLinux
package import AnnexPortal
internal import Synchronization

/// Opens URLs for extensions. Which apps an extension may open is decided by its point, which the broker knows.
package final class OpeningService: PortalService {
    /// Starts the app of a URL, and returns its identifier.
    package typealias Opener = @Sendable (_ url: String, _ member: PortalMember) throws(PortalError) -> String

    /// The host's report of a user's action may be on its way while the extension already asks.
    private static let patience = Duration.milliseconds(50)

    private let opener: Opener
    private let loop: EventLoop
    /// Starting an app takes time, which delays no other service.
    private let lane = Lane("annex-opening")
    private let budgets = Mutex<[UInt64: OpeningBudget]>([:])

    package init(on loop: EventLoop, _ opener: @escaping Opener) {
        self.loop = loop
        self.opener = opener
    }

    package var name: PortalServiceName { .opening }
    package var entitlement: String? { nil }

    package func handle(_ call: PortalCall) {
        // Counted before the request waits for anything, so that the requests that wait are few as well.
        guard take(for: call.connection) else {
            return call.fail(
                PortalError(
                    .full, what: "the extension has asked to open \(OpeningBudget.most) URLs within a minute",
                    remedy: "open a URL only when the user asks for it"))
        }
        guard call.member.actions.isRecent else {
            loop.schedule(after: Self.patience) { [self] in lane.run { [self] in answer(call) } }
            return
        }
        lane.run { [self] in answer(call) }
    }

    private func answer(_ call: PortalCall) {
        defer { finish(for: call.connection) }
        call.answer { () throws(PortalError) in
            guard call.method == OpeningMethod.open else { throw .unknownMethod }
            let url = try call.decoded(as: OpeningURL.self).url
            return try OpenedApp(app: opener(url, call.member)).answerBody()
        }
    }

    // MARK: Budgets

    private func take(for connection: PortalConnection) -> Bool {
        budgets.withLock { budgets in
            // SYNC: a connection is over before it is forgotten here. So no budget is made after the removal of its connection.
            guard !connection.isOver else { return false }
            return budgets[connection.number, default: OpeningBudget()].take(at: MonotonicClock.now())
        }
    }

    private func finish(for connection: PortalConnection) { budgets.withLock { $0[connection.number]?.finish() } }

    package func forget(_ connection: PortalConnection) { budgets.withLock { $0[connection.number] = nil } }

    /// The portals that the service remembers.
    var remembered: Int { budgets.withLock { $0.count } }
}

/// How many URLs one extension may open. Each starts a program before the user's eyes.
struct OpeningBudget: Sendable {
    static let most = 10
    private static let minute: UInt64 = 60_000_000_000

    private var moments: [UInt64] = []
    /// The requests that have no answer yet. A minute may pass before it comes.
    private var open = 0

    /// Counts a request, unless it exceeds the budget.
    mutating func take(at now: UInt64) -> Bool {
        moments.removeAll { $0 + Self.minute <= now }
        guard moments.count < Self.most, open < Self.most else { return false }
        moments.append(now)
        open += 1
        return true
    }

    mutating func finish() { open -= 1 }
}
