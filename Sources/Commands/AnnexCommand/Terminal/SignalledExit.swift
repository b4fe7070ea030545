import AnnexLinux
import Glibc
import Synchronization

/// The end of a command by a signal.
enum SignalledExit {
    /// SYNC: releasing and acquiring: a command that sees the flag does not exit, because the signal's thread does.
    private static let isUnderWay = Atomic(false)

    /// From now on, a signal that asks this program to end makes it exit with 128 plus the signal's number.
    ///
    /// Without this call, the signal would end the process at once. Extensions of a broker in this process would then
    /// leave no report, because only an exit waits for the reports.
    static func begin() {
        guard let signals = try? SignalPipe([SIGINT, SIGTERM, SIGHUP]) else { return }
        _ = try? WorkerThread("annex-signals") {
            let signal = signals.wait()
            isUnderWay.store(true, ordering: .releasing)
            exit(128 + signal)
        }
    }

    /// Returns only if no signal makes the program exit. The exit ends the extensions, so the command fails and would
    /// exit too, with another status.
    static func giveWay() async {
        while isUnderWay.load(ordering: .acquiring) { try? await Task.sleep(for: .seconds(1)) }
    }
}
