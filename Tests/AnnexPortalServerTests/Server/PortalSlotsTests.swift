import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexPortal

/// The number of tasks that have a slot.
private final class Inside: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func change(by number: Int) {
        state.withLock { ($0.now, $0.most) = ($0.now + number, max($0.most, $0.now + number)) }
    }
}

@Suite(.timeLimit(.minutes(20))) struct PortalSlotsTests {
    @Test func `no more tasks have a place than there are places`() async {
        let slots = PortalSlots(3)
        let inside = Inside()
        await withTaskGroup { group in
            for _ in 0..<300 {
                group.addTask {
                    #expect(await slots.take(), "no task is cancelled")
                    inside.change(by: 1)
                    await Task.yield()
                    inside.change(by: -1)
                    slots.giveBack()
                }
            }
        }
        #expect((1...3).contains(inside.most))
    }

    @Test func `a task that is cancelled waits no longer and takes no place`() async {
        let slots = PortalSlots(1)
        #expect(await slots.take())
        let (first, second) = (Task { await slots.take() }, Task { await slots.take() })
        first.cancel()
        #expect(await first.value == false)
        slots.giveBack()
        #expect(await second.value)
        slots.giveBack()
        #expect(await slots.take(), "no place was lost")
    }

    @Test func `cancels at random moments lose no place`() async {
        let slots = PortalSlots(2)
        for _ in 0..<200 {
            let tasks = (0..<8).map { _ in
                Task {
                    guard await slots.take() else { return }
                    slots.giveBack()
                }
            }
            for task in tasks where Bool.random() { task.cancel() }
            for task in tasks { await task.value }
        }
        for _ in 0..<2 { #expect(await slots.take()) }
    }
}
