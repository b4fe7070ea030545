import Glibc
import Testing

@testable import AnnexSandbox

@Suite(.timeLimit(.minutes(20))) struct LauncherTests {
    @Test func aWardenThatWasKilledIsReplaced() async throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        let first = try launcher.warden()
        #expect(try launcher.warden() === first)
        kill(first.number, SIGKILL)
        while !first.isLost { try await Task.sleep(for: .milliseconds(2)) }
        let second = try launcher.warden()
        #expect(second.number != first.number)
        #expect(!second.isLost)
    }
}
