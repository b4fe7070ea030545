import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The check of a tracer, which other sandboxes must not wait for.
@Suite(.timeLimit(.minutes(20))) struct TracerTests {
    /// A shell with many children, which end with it.
    private final class Parent {
        private let process: ChildProcess
        let children: [Int32]

        init(children count: Int) async throws {
            process = try ChildProcess(
                URL(filePath: "/bin/sh"), arguments: ["-c", "for i in $(seq \(count)); do sleep 1000 & done; wait"])
            let number = process.number
            await eventually { (try? ProcessTree.children(of: number).count) ?? 0 >= count }
            children = try ProcessTree.children(of: number)
        }

        var number: UInt32 { UInt32(process.number) }

        deinit {
            for child in children { kill(child, SIGKILL) }
            process.signal(SIGKILL)
        }
    }

    private struct Answer: Equatable {
        let step: CallStep
        /// How often the handler was asked.
        let looks: Int
    }

    /// Asks a handler until it has an answer.
    private func answer(tracing number: UInt64, by parent: Parent) throws -> Answer {
        let call = HeldCall(
            id: 1, thread: parent.number, architecture: 0, number: 0, arguments: [0, number, 0, 0, 0, 0])
        let listener = try Descriptor.open("/dev/null", O_RDONLY)
        var handler = TracerHandler()
        var looks = 1
        var step = handler.handle(call, on: listener)
        while step == .again() {
            looks += 1
            step = handler.handle(call, on: listener)
        }
        return Answer(step: step, looks: looks)
    }

    @Test func `a tracer of many children is checked in small steps`() async throws {
        let parent = try await Parent(children: 100)
        let (first, last) = (try #require(parent.children.first), try #require(parent.children.last))
        // The numbers are those of this process's own namespace, so the innermost ones may differ in a container.
        let numbers = [first, last].map {
            ProcessText.read("/proc/\($0)/status").flatMap(ProcessStatus.read)?.innermost ?? 0
        }
        // The first look reads nothing. Each later look reads 16 children.
        let all = 1 + (parent.children.count + 15) / 16
        #expect(try answer(tracing: UInt64(numbers[0]), by: parent) == Answer(step: .proceed, looks: 2))
        #expect(try answer(tracing: UInt64(numbers[1]), by: parent) == Answer(step: .proceed, looks: all))
        #expect(try answer(tracing: 0, by: parent) == Answer(step: .deny(errno: EPERM), looks: all))
    }

    /// The number of a child that has ended may belong to a stranger when the handler reads its state.
    @Test func `a process that is no child of the tracer is not traced`() async throws {
        let (parent, other) = (try await Parent(children: 1), try await Parent(children: 1))
        let listener = try Descriptor.open("/dev/null", O_RDONLY)
        let stranger = ProcessText.read("/proc/\(other.children[0])/status").flatMap(ProcessStatus.read)?.innermost ?? 0
        let call = HeldCall(
            id: 1, thread: parent.number, architecture: 0, number: 0, arguments: [0, UInt64(stranger), 0, 0, 0, 0])
        var handler = TracerHandler(looking: other.children, of: parent.number)
        #expect(handler.handle(call, on: listener) == .deny(errno: EPERM))
        handler = TracerHandler(looking: other.children, of: other.number)
        #expect(handler.handle(call, on: listener) == .proceed)
    }

    @Test func `a desk receives no more calls than are allowed to wait and goes on when few are left`() {
        var backlog = CallDesk.Backlog()
        backlog.count = 5
        let before = backlog.stop(above: 5)
        backlog.count = 6
        // It stays stopped until few calls are left, and then goes on once.
        let stops = [backlog.stop(above: 5), backlog.stop(above: 100)]
        let goesOn = [backlog.finishOne(below: 5), backlog.finishOne(below: 5), backlog.finishOne(below: 5)]
        #expect(!before && stops == [true, true] && goesOn == [false, true, false] && !backlog.isStopped)
    }

    @Test func `each handler answers even if no thread can be made for it`() {
        let answers = [
            LockHandler.withoutThread, ProgramConnection.withoutThread, ObjectHandler.withoutThread,
            TracerHandler.withoutThread,
        ]
        #expect(answers == [.deny(errno: ENOLCK), .fail(errno: EAGAIN), .deny(errno: ENOSPC), .deny(errno: EPERM)])
    }
}
