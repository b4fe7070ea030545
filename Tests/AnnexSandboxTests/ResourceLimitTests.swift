import AnnexLinux
import Foundation
import Testing

@testable import AnnexSandbox

@Suite struct ResourceLimitTests {
    @Test func aHostsOwnHardLimitIsNeverExceeded() {
        var own = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &own) == 0)
        let most = UInt64(own.rlim_max)
        let number = UInt32(RLIMIT_NOFILE.rawValue)
        #expect(ResourceLimit(number, 8).withinOwn() == ResourceLimit(number, 8))
        #expect(ResourceLimit(number, .max).withinOwn() == ResourceLimit(number, most))
        // No such limit: the launch says so, not this.
        #expect(ResourceLimit(999, 8).withinOwn() == ResourceLimit(999, 8))
    }

    @Test func whatMendsAFailureIsSaidOnce() {
        let error = SandboxError("output", SystemError("pipe2", errno: EMFILE))
        #expect(error.cause == "pipe2: EMFILE (Too many open files)")
        #expect(error.description.components(separatedBy: "ulimit").count == 2)
    }
}
