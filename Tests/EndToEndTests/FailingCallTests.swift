import AnnexTestSupport
import Foundation
import Testing

/// Every system call that a host makes for an extension fails in turn. `FaultTests` tests the warden's steps.
@Suite(.timeLimit(.minutes(20))) struct FailingCallTests {
    @Test func `L6: a failed call of the host is a clean error and leaves nothing`() async throws {
        let app = try SubstituteApp(running: "works-on")
        let run = try await Program.run(
            "fails-each-call", [app.path, SubstituteApp.identifier], in: TemporaryFolder())
        #expect(!run.output.contains("unclear"), "\(run.output)")
        #expect(run.output.hasSuffix("more than before: false\n"), "\(run.output)\(run.errors.suffix(4000))")
        // The test reached all calls that every launch needs.
        for call in ["memfd_create", "socketpair", "sendmsg", "epoll_ctl", "pipe2", "fcntl", "mmap"] {
            #expect(run.output.contains("session: \(call) failed "), "\(call): \(run.output)")
        }
        for call in ["clone", "pidfd_open", "openat", "memfd_create", "socketpair", "write"] {
            #expect(run.output.contains("broker: \(call) failed "), "\(call): \(run.output)")
        }
        print("annex: \(run.output)")
    }

    @Test func `L6: a failed call for a private directory is a clean error and leaves nothing`() async throws {
        let app = try SubstituteApp(running: "works-on")
        try app.setPoint("com.apple.share-services")
        let folder = try TemporaryFolder()
        let run = try await Program.run(
            "fails-each-call", [app.path, SubstituteApp.identifier, folder.url.path + "/private"],
            in: TemporaryFolder())
        #expect(!run.output.contains("unclear"), "\(run.output)")
        #expect(run.output.hasSuffix("more than before: false\n"), "\(run.output)\(run.errors.suffix(4000))")
        for call in ["mkdir", "flock", "fchmod", "openat2"] + (getuid() == 0 ? ["fchown"] : []) {
            #expect(run.output.contains("session: \(call) failed "), "\(call): \(run.output)")
        }
    }
}
