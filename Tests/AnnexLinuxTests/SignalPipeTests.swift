import Glibc
import Testing

@testable import AnnexLinux

/// Signals as bytes in a pipe. Each test runs in a separate process. Threads of the pool block signals, so the process gets the signals.
@Suite(.timeLimit(.minutes(20))) struct SignalPipeTests {
    @Test func `after the release of the pipe, a signal ends the process again`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            do {
                let signals = try SignalPipe([SIGTERM, SIGHUP])
                for signal in [SIGHUP, SIGTERM] {
                    kill(getpid(), signal)
                    guard signals.wait() == signal else { exit(1) }
                }
                guard signals.next() == nil else { exit(2) }
            }
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
    }

    @Test func `a signal that the process was started to ignore stays ignored`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGHUP, SIG_IGN)
            do {
                let signals = try SignalPipe([SIGHUP, SIGTERM])
                for signal in [SIGHUP, SIGTERM] { kill(getpid(), signal) }
                guard signals.wait() == SIGTERM, signals.next() == nil else { exit(1) }
            }
            kill(getpid(), SIGHUP)
            exit(7)
        }
    }
}
