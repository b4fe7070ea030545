import AnnexTestSupport
import Foundation
import Glibc
import Testing

@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct LocalSocketTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.path + "/s" }

    init() throws { folder = try TemporaryFolder() }

    /// How many clients can connect before one of them must wait.
    private func room() -> Int {
        for count in 0..<300 {
            do throws(SystemError) {
                _ = try LocalSocket.connect(to: path, patience: .milliseconds(1))
            } catch {
                return error.errno == EAGAIN ? count : -1
            }
        }
        return 300
    }

    @Test func `few connections fit into the queue that all clients share`() throws {
        let listener = try LocalSocket.listen(at: path, mode: 0o600)
        #expect((16...100).contains(room()))
        withExtendedLifetime(listener) {}
    }

    @Test func `a listening socket of another program gets the same queue`() throws {
        let listener = try LocalSocket.listen(at: path, mode: 0o600)
        #expect(listen(listener.number, 1000) == 0)
        try LocalSocket.boundQueue(of: listener)
        #expect((16...100).contains(room()))
    }
}
