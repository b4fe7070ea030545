/// The calls that every filter allows. The warden needs them between installing the filter and the extension's first
/// instruction, when the broker could not answer a notification.
enum LaunchCalls {
    static let names: Set<String> = ["read", "write", "exit_group", "rt_sigreturn", "restart_syscall"]

    /// The call that executes the extension. It passes once: with `AT_EMPTY_PATH`, and with this launch's random number
    /// in the unused sixth register.
    static let exec = "execveat"
    static let execFlags: UInt64 = 0x1000  // AT_EMPTY_PATH
    /// A placeholder for the random number until `SeccompFilter.instructions(nonce:)` replaces it. No flag or size has
    /// this value.
    static let sentinel: UInt64 = 0xA5C3_5E1D_C7B2_49E6

    static func passesExec(_ arguments: [UInt64]) -> Bool {
        arguments.count == 6 && arguments[4] == execFlags && arguments[5] == sentinel
    }
}
