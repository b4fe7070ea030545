package import AnnexLinux
package import AnnexPortal
internal import Synchronization

/// Opens URLs for extensions. The extension point decides which apps an extension may open, and the broker knows the
/// point of each extension.
package final class OpeningService: PortalService {
    /// Starts the app of a URL, and returns its identifier.
    package typealias Opener = @Sendable (_ url: String, _ member: PortalMember) throws(PortalError) -> String

    /// How long a request waits for the host's report that the user has acted. The extension's request may arrive
    /// before that report.
    private static let patience = Duration.milliseconds(50)

    private let opener: Opener
    private let mayOpen: @Sendable (_ point: String) -> Bool
    private let loop: EventLoop
    /// Apps are started in a separate row, because a start takes time and must not delay other services.
    private let row = Lane.Row(of: .slow)
    private let budgets = Mutex<[UInt64: OpeningBudget]>([:])

    /// - Parameter mayOpen: whether the extensions of a point may open URLs.
    package init(
        on loop: EventLoop, forPoints mayOpen: @escaping @Sendable (_ point: String) -> Bool = { _ in true },
        _ opener: @escaping Opener
    ) {
        self.loop = loop
        self.mayOpen = mayOpen
        self.opener = opener
    }

    package var name: PortalServiceName { .opening }
    package var entitlement: String? { nil }
    package func isUseful(to extension: PortalProspect) -> Bool { mayOpen(`extension`.point) }

    package func handle(_ call: PortalCall) {
        // The request is counted before it waits for anything, so that the number of waiting requests is limited too.
        guard take(for: call.connection) else {
            return call.fail(
                PortalError(
                    .full, what: "the extension has asked to open \(OpeningBudget.most) URLs within a minute",
                    remedy: "open a URL only when the user asks for it"))
        }
        guard call.member.actions.isRecent else {
            loop.schedule(after: Self.patience) { [self] in row.run { [self] in answer(call) } }
            return
        }
        row.run { [self] in answer(call) }
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
            // SYNC: each connection is marked as over before this service forgets it. So no budget is made for a
            // connection that this service has already forgotten.
            guard !connection.isOver else { return false }
            return budgets[connection.number, default: OpeningBudget()].take(at: MonotonicClock.now())
        }
    }

    private func finish(for connection: PortalConnection) { budgets.withLock { $0[connection.number]?.finish() } }

    package func forget(_ connection: PortalConnection) { budgets.withLock { $0[connection.number] = nil } }

    /// The number of portals for which the service keeps a budget.
    var remembered: Int { budgets.withLock { $0.count } }
}

/// How many URLs one extension may open. The number is limited, because each opened URL starts a program that the
/// user sees.
struct OpeningBudget: Sendable {
    static let most = 10
    private static let minute: UInt64 = 60_000_000_000

    private var moments: [UInt64] = []
    /// The number of requests that have no answer yet. An answer may take longer than a minute.
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
