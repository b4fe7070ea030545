import AnnexGroups
import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexPortalServer

/// A member that breaks no rule but sends many requests.
@Suite(.timeLimit(.minutes(20))) struct BusyMemberTests {
    private let fixture: GroupFixture

    init() throws { fixture = try GroupFixture() }

    private func portal() throws -> PortalClient {
        try LocalPortal.open("busy", groups: [fixture.key], in: fixture.folder.url.path)
    }

    @Test func `a member that asks as fast as it can is never ended`() throws {
        let portal = try portal()
        for _ in 0..<4 * PortalBudget.perPeriod { _ = try portal.call(GroupMethod.list) }
    }

    @Test func `more tasks than a broker reads at once wait for one item, and all go on`() async throws {
        let (one, other) = (
            FileCoordinator(AppGroup(try JoinedGroup.join(fixture.key.identifier, through: portal()))),
            AppGroup(try JoinedGroup.join(fixture.key.identifier, through: portal()))
        )
        let count = Counter()
        try await one.coordinate(writingItemAt: "item") { _ in
            let tasks = (0..<3 * PortalBudget.mostOpen).map { _ in
                Task {
                    try await FileCoordinator(other).coordinate(writingItemAt: "item", within: .seconds(600)) { _ in
                        count.increase()
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            #expect(count.value == 0)
            return tasks
        }.awaitAll()
        #expect(count.value == 3 * PortalBudget.mostOpen)
    }
}

/// Counts the work that tasks have done.
private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increase() { count.withLock { $0 += 1 } }
}

extension [Task<Void, any Error>] {
    fileprivate func awaitAll() async throws {
        for task in self { try await task.value }
    }
}
