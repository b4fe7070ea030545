import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexPortalServer

/// A member that sends requests to open URLs as fast as it can.
@Suite(.timeLimit(.minutes(20))) struct OpeningServiceTests {
    private let fixture: GroupFixture
    private let opener = BlockedOpener()
    private let service: OpeningService
    private let member: RawMember

    init() throws {
        fixture = try GroupFixture()
        let loop = try EventLoop.shared()
        service = OpeningService(on: loop) { [opener] url, _ in opener.open(url) }
        member = try RawMember(of: fixture.openGroup(), at: PortalServer(loop: loop, services: [service]))
    }

    private func ask(_ call: UInt64) async throws {
        try await member.send(
            OpeningMethod.open, call: call, group: "", body: OpeningURL(url: "todo:\(call)").answerBody())
    }

    @Test func `requests to open beyond the budget are refused while the first ones wait`() async throws {
        let most = UInt64(OpeningBudget.most)
        for call in 1...(3 * most) { try await ask(call) }
        // No URL has opened yet, so each of these answers is a refusal.
        for _ in 0..<(2 * most) {
            let answer = try await member.answer()
            #expect(answer?.error?.code == .full && (answer?.call ?? 0) > most)
        }
        opener.release()
        for _ in 0..<most { #expect(try await member.answer()?.error == nil) }
        #expect(opener.opened == (1...most).map { "todo:\($0)" })
    }

    @Test func `a member that leaves while a request waits is forgotten`() async throws {
        try await ask(1)
        await eventually { service.remembered == 1 }
        member.leave()
        await eventually { service.remembered == 0 }
        opener.release()
        await eventually { !opener.opened.isEmpty }
        #expect(service.remembered == 0)
    }

    @Test func `requests that have no answer count beyond their minute`() {
        var budget = OpeningBudget()
        let minute: UInt64 = 60_000_000_000
        #expect((0..<OpeningBudget.most).map { _ in budget.take(at: 0) }.allSatisfy { $0 })
        #expect(budget.take(at: 2 * minute) == false)
        budget.finish()
        #expect(budget.take(at: 2 * minute) == true)
        #expect(budget.take(at: 2 * minute) == false)
    }
}

/// An opener that opens nothing until it is released.
private final class BlockedOpener: Sendable {
    private let urls = Mutex<[String]>([])
    private let gate = DispatchSemaphore(value: 0)

    var opened: [String] { urls.withLock { $0 } }

    func open(_ url: String) -> String {
        gate.wait()
        gate.signal()
        urls.withLock { $0.append(url) }
        return "com.example.todo"
    }

    func release() { gate.signal() }
}
