import AnnexLinux
import Foundation
import Testing

@testable import AnnexSandbox

@Suite struct MemoryWatchTests {
    @Test func memoryInAFileWithoutANameIsSeenWhileItIsOnlyHeldOpen() throws {
        let before = MemoryWatch.use(of: getpid())
        #expect(before > 1 << 20)
        let memory = try Descriptor.memfd("annex-test", size: 0)
        try memory.writeAll([UInt8](repeating: 1, count: 64 << 20))
        #expect(MemoryWatch.use(of: getpid()) >= 64 << 20)
    }

    @Test func aProcessThatIsGoneUsesNothing() {
        #expect(MemoryWatch.use(of: Int32.max) == 0)
    }
}
