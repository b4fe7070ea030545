package import AnnexLinux
internal import Synchronization

/// The broker's end of its warden: one small process that makes, reaps and, should the broker die, ends every sandbox.
///
/// The host notices nothing of it: no SIGCHLD, no result of its own `wait`. Launches are independent of one another;
/// what is told about them arrives on the event loop's thread.
package final class Warden: Sendable {
    package typealias Handler = @Sendable (consuming LaunchEvent) -> Void

    struct Launch {
        let handler: Handler
        let subjects: LaunchSubjects
    }

    struct State: ~Copyable {
        var lastLaunch: UInt64 = 0
        var launches: [UInt64: Launch] = [:]
        /// Plans for which the socket had no room yet, in order.
        var backlog: [OutgoingPlan] = []
        var watches: [EventLoop.Watch] = []
        var isLost = false
    }

    let loop: EventLoop
    let socket: ControlSocket
    let process: WardenProcess
    /// The warden's number, for diagnosis.
    package let number: Int32
    /// Which program runs.
    package let program: WardenProgram
    /// In force in each sandbox that has the layer `speculation`: what this machine offers.
    let controls: SpeculationControls
    let state = Mutex(State())

    init(
        loop: EventLoop, socket: consuming ControlSocket, process: consuming ProcessHandle, number: Int32,
        program: WardenProgram, controls: SpeculationControls
    ) {
        self.loop = loop
        self.socket = socket
        self.process = WardenProcess(process)
        self.number = number
        self.program = program
        self.controls = controls
    }

    deinit {
        // The socket closes with this object: the warden then ends what is left, and itself.
        lose()
    }

    /// Starts a warden and waits for its first word.
    /// - Parameters:
    ///   - programs: tried in order; the first that answers in this library's version is used.
    ///   - patience: for the first word of each, which takes milliseconds: whoever stops a warden stops no host.
    package static func start(
        on loop: EventLoop, programs: [WardenProgram] = WardenProgram.standard, patience: Duration = .seconds(30)
    ) throws(SystemError) -> Warden {
        var others: ArraySlice<WardenProgram> = []
        let starting = try StartingWarden.first(of: programs, on: loop, others: &others)
        return try ready(starting, others: others, patience: patience)
    }

    /// - Parameter others: programs to start if this one does not answer.
    static func ready(
        _ starting: consuming StartingWarden, others: ArraySlice<WardenProgram>, patience: Duration = .seconds(30)
    ) throws(SystemError) -> Warden {
        let loop = starting.loop
        do throws(SystemError) {
            return try starting.ready(within: patience)
        } catch {
            guard !others.isEmpty else { throw error }
            return try start(on: loop, programs: Array(others), patience: patience)
        }
    }
}
