import AnnexLinux
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct ListingTests {
    @Test func whatGoesWhileADirectoryIsListedIsNotThere() throws {
        let isOver = Flag()
        let folder = try Descriptor.directory("/proc/self/fd")
        // Of something that is surely open: 0 need not be.
        let number = folder.number
        let thread = try WorkerThread("annex-busy") {
            while !isOver.isSet {
                // The higher numbers go while the lower ones are asked about.
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
