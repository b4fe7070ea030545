import AnnexLinux
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct ProcessHandleTests {
    @Test func `SIG-06: a signal by handle never reaches another process of the same number`() throws {
        var process: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("1000"), nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawn(&process, "/bin/sleep", nil, nil, &arguments, environ) == 0)
        let handle = try ProcessHandle(process: process)
        try handle.sendSignal(SIGKILL)
        var status: Int32 = 0
        #expect(waitpid(process, &status, 0) == process)
        #expect(status & 0x7F == SIGKILL)
        #expect(throws: SystemError("pidfd_send_signal", errno: ESRCH)) { try handle.sendSignal(SIGKILL) }
    }

    @Test func `a descriptor of another process can be fetched`() throws {
        let memory = try Descriptor.memfd("annex-of-another", size: 7)
        let size = try ProcessHandle(process: getpid()).getDescriptor(memory.number).status().size
        #expect(size == 7)
    }
}
