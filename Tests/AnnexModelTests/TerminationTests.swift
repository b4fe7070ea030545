import AnnexModel
import Testing

@Suite struct TerminationTests {
    @Test(arguments: [
        (Termination(.completed), "completed"),
        (Termination(.exited, detail: .exitCode(3)), "exited: exit code 3"),
        (Termination(.crashed, detail: .signal(Signal(11))), "crashed: SIGSEGV"),
        (
            Termination(.crashed, detail: .signal(Signal(4, message: Escaped("Fatal error:\u{1B} no")))),
            "crashed: SIGILL: Fatal error:\\u{1b} no"
        ),
        (Termination(.crashed, detail: .signal(Signal(-1))), "crashed: signal -1"),
        (Termination(.crashed, detail: .signal(Signal(60))), "crashed: signal 60"),
        (Termination(.memoryLimit, detail: .limit("64 MiB of 64 MiB")), "memoryLimit: 64 MiB of 64 MiB"),
        (
            Termination(
                .deniedOperation,
                detail: .deniedCall(
                    DeniedCall("socket", arguments: [Escaped("AF_INET"), Escaped("0")], layer: "seccomp"))),
            "deniedOperation: socket(AF_INET, 0) denied by seccomp"
        ),
        (
            Termination(
                .deniedOperation,
                detail: .deniedCall(
                    DeniedCall(
                        "clone", arguments: [Escaped("CLONE_VM|CLONE_THREAD"), Escaped("0x1")], layer: "seccomp"))),
            "deniedOperation: clone(CLONE_VM|CLONE_THREAD, 0x1) denied by seccomp; this call starts a thread, and an "
                + "extension has one: use async functions and tasks, not Dispatch"
        ),
        (
            Termination(
                .deniedOperation,
                detail: .deniedCall(
                    DeniedCall("clone", arguments: [Escaped("CLONE_THREAD")], layer: "seccomp", remedy: "- clone"))),
            "deniedOperation: clone(CLONE_THREAD) denied by seccomp; allowed by: - clone"
        ),
        (
            Termination(.deniedOperation, detail: .deniedCall(DeniedCall("clone", layer: "seccomp"))),
            "deniedOperation: clone() denied by seccomp"
        ),
        (
            Termination(.launchFailed, detail: .step(LaunchStep("pivot_root", cause: "EPERM", remedy: "ask root"))),
            "launchFailed: pivot_root: EPERM; ask root"
        ),
    ])
    func `L6: an end is described with its reason and its detail`(end: Termination, line: String) {
        #expect(end.description == line)
    }

    @Test func `only an end that went wrong is a failure`() {
        #expect(!Termination(.completed).isFailure)
        #expect(!Termination(.exited, detail: .exitCode(0)).isFailure)
        #expect(Termination(.exited, detail: .exitCode(1)).isFailure)
        #expect(Termination(.crashed).isFailure)
        #expect(Termination(.protocolViolation).isFailure)
    }
}
