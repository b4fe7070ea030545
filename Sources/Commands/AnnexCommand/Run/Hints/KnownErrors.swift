import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Errors that well-known programs print without the call or the path that failed. Each text below was printed by such
/// a program in a sandbox.
struct KnownErrors {
    let errors: StatedErrors
    let policy: Policy
    let given: GivenPaths

    /// The hint for the first known text that the program printed. Nil if no text is known, or if the policy already
    /// allows what the text is about.
    func hint(_ denials: [Denial]) -> RunHint? {
        builtProgram ?? temporaryProgram ?? shadow ?? socketFile ?? sharedMemory ?? messageQueues ?? modules ?? terminal
            ?? network(denials)
    }

    /// `configure` and `ctest` run programs that they have just built, and do not say why such a program did not start.
    private var builtProgram: RunHint? {
        let texts = ["cannot run c compiled programs", "cannot run c++ compiled programs", "bad_command"]
        guard texts.contains(where: { errors.mention($0) }), let place = given.write.last?.typed else { return nil }
        let choice = RunChoice("--write-execute", place)
        return RunHint(
            line: "what the program can write is not executed: use \(choice.shown) instead of "
                + "--write \(ShellText.shown(place)), which gives this protection up",
            choices: [choice])
    }

    /// Cargo runs the examples of documentation in the directory for temporary files.
    private var temporaryProgram: RunHint? {
        guard errors.mention("tempdir is mounted with noexec"), let scratch = policy.paths.scratch?.path else {
            return nil
        }
        return PathHint(policy: policy, given: given).temporaryHint("nothing in \(scratch) is executed")
    }

    /// Sanitizers reserve terabytes of addresses, but use little of them. At the program's end, their check for leaks
    /// stops all threads of the program, as a debugger does.
    private var shadow: RunHint? {
        guard errors.mention("reserveshadowmemoryrange", "shadow memory range") else { return nil }
        let tracer = "{ call: clone, when: { flags: { exactly: [CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_UNTRACED] } } }"
        let debug = allows("ptrace") ? [] : ["--allow", "debug"]
        let all = RunChoice(["--memory", "20T"] + debug + ["--allow-line", tracer])
        let memory = RunChoice("--memory", "20T")
        return RunHint(
            line:
                "the limit of memory also limits reserved addresses: add, for a program with a sanitizer, \(all.shown) "
                + "(without its check for leaks, \(memory.shown) and --env ASAN_OPTIONS=detect_leaks=0)",
            choices: [all, memory])
    }

    private var socketFile: RunHint? {
        guard !policy.allowsUnixSockets else { return nil }
        let isSocket = errors.states(EAFNOSUPPORT) && !errors.mention("netlink")
        guard isSocket || errors.mention("can't connect to the agent", "no agent running") else { return nil }
        return RunHint(
            line: "socket(AF_UNIX): denied by seccomp with EAFNOSUPPORT; allowed by: --allow sockets",
            choices: [RunChoice("--allow", "sockets")])
    }

    /// A database shares memory among its processes. Its error names the failed call, and the policy denies that call
    /// without a report.
    private var sharedMemory: RunHint? {
        guard errors.states(ENOSYS) else { return nil }
        return RunRemedy.systemV.sorted().first { errors.mention($0) }.flatMap(systemV)
    }

    /// fakeroot talks to its own server by message queues and semaphores.
    private var messageQueues: RunHint? {
        errors.mention("sysv ipc") ? systemV("msgget") : nil
    }

    private func systemV(_ name: String) -> RunHint? {
        guard !allows(name) else { return nil }
        let choice = RunChoice("--allow", "ipc")
        return RunHint(line: "\(name): denied by seccomp with ENOSYS; allowed by: \(choice.shown)", choices: [choice])
    }

    private func allows(_ name: String) -> Bool {
        guard let call = SystemCall(named: name) else { return false }
        return policy.answer(number: call.number, arguments: [0, 0, 0, 0, 0, 0]) == .allow
    }

    /// A program of a virtual environment finds its modules in this environment. The interpreter's error names the
    /// missing module, and no directory.
    private var modules: RunHint? {
        guard errors.mention("modulenotfounderror", "no module named"), let place = given.virtualEnvironment,
            !given.contain(place), let grant = GrantOption(for: place, rights: [.read, .execute], beside: policy)
        else { return nil }
        let choice = RunChoice(grant.name, grant.path)
        return RunHint(
            line: "the program belongs to \(Escaped(place, limit: 500)), which was not handed over: add "
                + "\(choice.shown)",
            choices: [choice])
    }

    private var terminal: RunHint? {
        let texts = ["pseudo-terminal", "pseudo terminal", "pseudo-tty", "ptmx", "openpty", "forkpty", "out of pty"]
        // Without a pseudo-terminal, tmux prints only that its window could not be created.
        guard (texts + ["create window failed"]).contains(where: { errors.mention($0) }) else { return nil }
        return RunHint(line: "the sandbox has no pseudo-terminals of its own (/dev/ptmx), and no option gives them")
    }

    /// Most programs ask a name server but also work without an answer. So the denial is the cause only if the program
    /// printed an error about names, or no error.
    private func network(_ denials: [Denial]) -> RunHint? {
        let isAbout = errors.isEmpty || errors.mention("resolv", "unknown host", "hostname", "name or service", "dns")
        let probe = denials.last { $0.call == "socket" && $0.text.contains("AF_INET") && !$0.isQuiet }
        guard isAbout, let probe else { return nil }
        return RunHint(line: RunHints.line(probe), choices: RunRemedy.of(probe)?.choices ?? [])
    }
}
