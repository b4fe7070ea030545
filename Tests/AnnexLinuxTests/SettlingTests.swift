import AnnexLinux
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct SettlingTests {
    @Test func `settling a program waits until its writers have closed it`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "annex-settling-\(UUID().uuidString)").path
        defer { unlink(path) }
        let writer = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o755)
        try #require(writer >= 0)
        let isOver = Flag()
        let thread = try WorkerThread("annex-writer") {
            usleep(100_000)  // longer than a wait that does not wait
            isOver.set()
            close(writer)
        }
        try Descriptor.settle(program: path)
        #expect(isOver.isSet)
        thread.join()
    }
}
