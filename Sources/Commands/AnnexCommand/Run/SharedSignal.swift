import Glibc

/// A signal that ended the program and must end this process too.
///
/// If a program in a loop died of SIGINT, a shell ends the loop. If the program exited with 130, the shell goes on.
/// Some shells treat SIGQUIT in the same way.
struct SharedSignal: Equatable {
    let number: Int32
    /// Whether a key of the terminal caused the signal. The key was passed to the program, so the terminal has not sent
    /// the signal to the other processes of the job.
    let isKey: Bool

    /// - Returns: nil if shells do not distinguish an end by this signal from an exit with its status.
    init?(_ number: Int32, isKey: Bool) {
        guard [SIGINT, SIGQUIT].contains(number) else { return nil }
        self.number = number
        self.isKey = isKey
    }

    /// Ends this process by the signal. Call this function after everything else.
    ///
    /// It returns only if the signal cannot end this process, such as the first process of a container.
    func endThisProcess() {
        // A core of this process would tell nothing about the program. The limit is 1 and not 0, because with 0, the
        // kernel would still start a program that receives cores.
        var limit = rlimit()
        // SAFETY: both calls use the structure only while they run.
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 1)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        signal(number, SIG_DFL)
        // If this thread still blocks the signal, the signal is pending until it is unblocked.
        kill(isKey ? 0 : getpid(), number)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
