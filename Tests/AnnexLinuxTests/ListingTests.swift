import AnnexLinux
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct ListingTests {
    @Test func `entries that vanish while a directory is listed are left out`() throws {
        let isOver = Flag()
        let folder = try Descriptor.directory("/proc/self/fd")
        // The thread duplicates a descriptor that is certainly open. Descriptor 0 may be closed.
        let number = folder.number
        let thread = try WorkerThread("annex-busy") {
            while !isOver.isSet {
                // While the reader reads the lower numbers, the higher numbers vanish.
                let numbers = (0..<50).map { _ in dup(number) }
                for number in numbers.reversed() { close(number) }
            }
        }
        var failure: SystemError?
        for _ in 0..<500 where failure == nil {
            do throws(SystemError) { _ = try folder.entries(atMost: 1 << 20) } catch { failure = error }
        }
        isOver.set()
        thread.join()
        #expect(failure == nil)
    }
}
