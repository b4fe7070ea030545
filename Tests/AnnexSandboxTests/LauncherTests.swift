import AnnexLinux
import AnnexTestSupport
import Dispatch
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

    @Test func aWardenThatWasKilledIsReplacedBeforeTheLoopHearsOfIt() throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        let first = try launcher.warden()
        // Held up, as on a busy machine.
        let (isHeld, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        launcher.loop.execute {
            isHeld.signal()
            isDone.wait()
        }
        defer { isDone.signal() }
        isHeld.wait()
        kill(first.number, SIGKILL)
        while !WardenState.isGone(first.number) { usleep(1000) }
        #expect(first.isLost)
    }
}
