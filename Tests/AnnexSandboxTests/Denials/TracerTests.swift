import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The check of a tracer, which other sandboxes must not wait for.
@Suite(.timeLimit(.minutes(20))) struct TracerTests {
    /// A shell with many children, which end with it.
    private final class Parent {
        private let process = Process()
        let children: [Int32]

        init(children count: Int) async throws {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "for i in $(seq \(count)); do sleep 1000 & done; wait"]
            try process.run()
            let number = process.processIdentifier
            await eventually { (try? ProcessTree.children(of: number).count) ?? 0 >= count }
            children = try ProcessTree.children(of: number)
        }

        var number: UInt32 { UInt32(process.processIdentifier) }

        deinit {
            for child in children + [process.processIdentifier] { kill(child, SIGKILL) }
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

    @Test func `each handler answers even if no thread can be made for it`() {
        let answers = [
            LockHandler.withoutThread, ProgramConnection.withoutThread, ObjectHandler.withoutThread,
            TracerHandler.withoutThread,
        ]
        #expect(answers == [.deny(errno: ENOLCK), .fail(errno: EAGAIN), .deny(errno: ENOSPC), .deny(errno: EPERM)])
    }
}
