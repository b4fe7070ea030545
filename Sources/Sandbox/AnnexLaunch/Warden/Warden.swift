package import AnnexLinux
internal import Synchronization

/// The broker's end of its warden: a small process that makes and reaps every sandbox, and ends all of them if the
/// broker dies.
///
/// The warden is no child of the host: the host gets no SIGCHLD and no result of `wait` for it. Launches are
/// independent of one another. Their events arrive on the event loop's thread.
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
    /// The warden's process number, for diagnosis.
    package let number: Int32
    /// The program that runs as this warden.
    package let program: WardenProgram
    /// The controls in force in each sandbox with the layer `speculation`: all that this machine offers.
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
        // The socket closes with this object. The warden then ends the remaining sandboxes, and itself.
        lose()
    }

    /// Starts a warden and waits for its hello.
    /// - Parameters:
    ///   - programs: the programs to try, in order. The first that answers in this library's version is used.
    ///   - patience: how long to wait for the hello of each, which takes milliseconds. A warden that something stopped
    ///     must not block the host for ever.
    package static func start(
        on loop: EventLoop, programs: [WardenProgram] = WardenProgram.standard, patience: Duration = .seconds(30)
    ) throws(SystemError) -> Warden {
        var others: ArraySlice<WardenProgram> = []
        let starting = try StartingWarden.first(of: programs, on: loop, others: &others)
        return try ready(starting, others: others, patience: patience)
    }

    /// - Parameter others: programs to start if this one sends no hello.
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
