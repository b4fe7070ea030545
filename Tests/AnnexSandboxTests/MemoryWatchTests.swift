import AnnexLinux
import Foundation
import Testing

@testable import AnnexSandbox

@Suite struct MemoryWatchTests {
    /// In a process of its own: this one's other tests take and free memory meanwhile.
    @Test func memoryInAFileWithoutANameIsSeenWhileItIsOnlyHeldOpen() async {
        await #expect(processExitsWith: .success) {
            let piece = [UInt8](repeating: 1, count: 1 << 20)
            let memory = try Descriptor.memfd("annex-test", size: 0)
            let before = MemoryWatch.use(of: getpid())
            for _ in 0..<64 { try memory.writeAll(piece) }
            let after = MemoryWatch.use(of: getpid())
            #expect(before > 1 << 20)
            #expect(after >= before + 64 << 20, "\(before), then \(after)")
        }
    }

    @Test func aProcessThatIsGoneUsesNothing() {
        #expect(MemoryWatch.use(of: Int32.max) == 0)
    }
}
