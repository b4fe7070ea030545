/// What every filter allows, because the warden needs it between installing the filter and the extension's first
/// instruction, and no notification could be answered then.
enum LaunchCalls {
    static let names: Set<String> = ["read", "write", "exit_group", "rt_sigreturn", "restart_syscall"]

    /// `execveat` passes once: with `AT_EMPTY_PATH` and this launch's random number in the unused sixth register.
    static let exec = "execveat"
    static let execFlags: UInt64 = 0x1000  // AT_EMPTY_PATH
    /// Stands for the number until `SeccompFilter.instructions(nonce:)` puts it in; no flag or size looks like it.
    static let sentinel: UInt64 = 0xA5C3_5E1D_C7B2_49E6

    static func passesExec(_ arguments: [UInt64]) -> Bool {
        arguments.count == 6 && arguments[4] == execFlags && arguments[5] == sentinel
    }
}
