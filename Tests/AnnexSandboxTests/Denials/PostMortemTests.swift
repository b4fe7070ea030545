import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// The examination of stacks of denied calls and ended programs must delay no channel. It must also take only a bounded
/// amount of memory.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PostMortemTests {
    /// The program has 10,000 mappings, and causes more kinds of denials than are examined. If a stack were walked or
    /// a symbol looked up on the wrong thread, an assertion would stop this program. This test counts the
    /// examinations.
    @Test func `stacks are examined on a thread of their own`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let before = PostMortem.shared.count
        let outcome = try await program.run("crowd 10000 24", under: AskingProgram.policy())
        #expect(outcome.end.process == .exited(code: 0))
        #expect(outcome.end.denials.count == 24)
        let backtraces = outcome.end.denials.compactMap(\.backtrace)
        #expect(backtraces.count == CallDesk.backtraces)
        #expect(backtraces.allSatisfy { $0.frames.isEmpty == ($0.missing != nil) })
        let lost = backtraces.count { $0.missing?.contains("waited") == true }
        #expect(outcome.end.denialSummary.lostStacks == lost)
        // At least the end of the program was examined. Stacks that still waited are examined together with the end.
        #expect(PostMortem.shared.count > before)
        #expect(!PostMortem.shared.isCurrent && !program.launcher.loop.isCurrent)
        #expect(outcome.told.count == 24, "every kind is told, and before the end")
    }

    /// The copy holds the stack and as many mappings as fit. Its size does not grow with the mappings of a program.
    @Test func `the copy of a stack is bounded`() {
        #expect(StackSample.largest == 320 << 10)
        #expect(StackSample.largest * PostMortem.mostWalks <= 20 << 20)
    }

    @Test func `ends are examined before stacks and no end is dropped`() async {
        let desk = PostMortem()
        let order = Mutex<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        _ = desk.queueWalk { gate.wait() }
        var taken = 0
        for _ in 0..<(PostMortem.mostWalks + 8) where desk.queueWalk({ order.withLock { $0.append("stack") } }) {
            taken += 1
        }
        // The first job may have begun already. In this case, there is room for one more job.
        #expect((PostMortem.mostWalks - 1...PostMortem.mostWalks).contains(taken))
        for _ in 0..<300 { desk.end { order.withLock { $0.append(desk.isCurrent ? "end" : "elsewhere") } } }
        gate.signal()
        while order.withLock({ $0.count }) < 300 + taken { try? await Task.sleep(for: .milliseconds(1)) }
        let done = order.withLock { $0 }
        #expect(done == [String](repeating: "end", count: 300) + [String](repeating: "stack", count: taken))
        #expect(!desk.isCurrent)
    }

    @Test func `functions that were found once are not looked up again`() throws {
        let path = WardenFixture.fixture.deletingLastPathComponent().appending(path: "asks-for-much").path
        let file = try Descriptor.open(path, O_RDONLY)
        let found = FunctionNames.Version(of: file)
        let version = try #require(found)
        let bytes = try Array(Data(contentsOf: URL(filePath: path)))
        let counter = ReadCounter()
        let elf = try #require(
            ElfFile { offset, count in
                counter.note()
                guard let start = Int(exactly: offset), start < bytes.count else { return [] }
                return Array(bytes[start..<min(bytes.count, start + count)])
            })
        let start = try #require(elf.segments.first { $0.size > 0x2000 }).address
        let names = FunctionNames()
        let wanted = (0..<64).map { start + UInt64($0 * 64) }
        let first = names.functions(at: wanted, in: elf, version)
        let before = counter.count
        #expect(names.functions(at: wanted, in: elf, version) == first)
        #expect(counter.count == before)
        _ = names.functions(at: wanted + [start + 9_999], in: elf, version)
        #expect(counter.count > before)
    }

    private final class ReadCounter: Sendable {
        private let value = Atomic<Int>(0)
        var count: Int { value.load(ordering: .relaxed) }
        func note() { value.add(1, ordering: .relaxed) }
    }
}
