import AnnexLinux
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct ListingTests {
    @Test func `entries that vanish while a directory is listed are left out`() throws {
        let isOver = Flag()
        let folder = try Descriptor.directory("/proc/self/fd")
        // Duplicates of a descriptor that is open for certain: 0 need not be.
        let number = folder.number
        let thread = try WorkerThread("annex-busy") {
            while !isOver.isSet {
                // The higher numbers vanish while the lower ones are read.
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
