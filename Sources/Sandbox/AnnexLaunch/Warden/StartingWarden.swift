internal import AnnexLinux
internal import AnnexWarden
internal import CAnnexLinux
internal import Glibc

/// A warden that was started and has not sent its hello yet. The warden prepares itself while the broker does other
/// work.
struct StartingWarden: ~Copyable {
    let loop: EventLoop
    private let socket: ControlSocket
    private let process: ProcessHandle
    private let number: Int32
    private let program: WardenProgram

    /// - Throws: if the program cannot be executed.
    init(_ program: WardenProgram, on loop: EventLoop) throws(SystemError) {
        let executable = try program.open()
        var own: Int32 = -1
        var other: Int32 = -1
        // SAFETY: the call writes one number through each pointer and keeps neither.
        _ = try SystemError.check("socketpair", unsafe annex_socket_pair(&own, &other))
        let kept = ControlSocket(owning: Descriptor(owning: own))
        // `given` is the warden's side of the socket. This process closes its copy of that side after the warden has
        // got its own copy. So the socket reports it if the warden dies before the hello.
        let given = Descriptor(owning: other)
        let broker = try ProcessHandle(process: getpid())
        let numbers = [given.number, broker.descriptor.number]
        var pidfd: Int32 = -1
        // SAFETY: the list and the number outlive the call. The call returns when the program runs.
        let started = unsafe numbers.withUnsafeBufferPointer { list in
            unsafe annex_start_helper(executable.number, "annex-warden", list.baseAddress, UInt32(list.count), &pidfd)
        }
        let running = try SystemError.check("execveat of the warden", started)
        number = running
        process = ProcessHandle(owning: Descriptor(owning: pidfd))
        socket = kept
        self.loop = loop
        self.program = program
    }

    /// Starts the first of these programs that can be executed. `others` receives the remaining programs.
    static func first(
        of programs: [WardenProgram], on loop: EventLoop, others: inout ArraySlice<WardenProgram>
    ) throws(SystemError) -> StartingWarden {
        others = programs[...]
        var last = SystemError("warden", errno: ENOENT)
        while let program = others.popFirst() {
            do throws(SystemError) {
                return try StartingWarden(program, on: loop)
            } catch {
                last = error
            }
        }
        throw last
    }

    /// Waits for the warden's hello.
    ///
    /// - Throws: if the hello does not arrive in time or has another version. The warden is then killed.
    consuming func ready(within patience: Duration) throws(SystemError) -> Warden {
        let controls: SpeculationControls
        do throws(SystemError) {
            controls = try receiveHello(within: patience)
        } catch {
            giveUp()
            throw error
        }
        let warden = Warden(
            loop: loop, socket: socket, process: process, number: number, program: program, controls: controls)
        try warden.beginListening()
        return warden
    }

    /// Kills the warden. If a signal has suspended the warden, it would otherwise remain although the broker no longer
    /// needs it.
    consuming func giveUp() {
        let process = WardenProcess(process)
        try? process.handle.sendSignal(SIGKILL)
        try? process.watchEnd(on: loop) {}
    }

    /// The remedy for a start that was refused. Root without its capabilities can neither be root nor become another user.
    private static func remedy(_ number: Int32) -> String? {
        guard number == EPERM, geteuid() == 0 else { return nil }
        return "root lacks its capabilities here, as under a service manager or in a container (CapEff in "
            + "/proc/self/status): run as an ordinary user, or leave root CAP_SETUID, CAP_SETGID and CAP_SETPCAP"
    }

    /// - Returns: the controls that the machine offers, as the hello states them.
    private borrowing func receiveHello(within patience: Duration) throws(SystemError) -> SpeculationControls {
        guard socket.descriptor.isReadable(within: patience) else {
            throw SystemError(
                "warden", errno: ETIMEDOUT,
                remedy: "a signal stopped the warden, or the machine is overloaded: try again")
        }
        guard case .message(let message) = try socket.receive(atMost: WardenAnswer.size, waiting: true),
            let answer = WardenAnswer(message.bytes), answer.kind == .hello
        else { throw SystemError("warden", errno: EPROTO, remedy: "the warden ended before it was ready: try again") }
        guard answer.version == ANNEX_WARDEN_VERSION else {
            throw SystemError(
                "warden", errno: EPROTO,
                remedy:
                    "the warden has version \(answer.version), and this library needs version "
                    + "\(ANNEX_WARDEN_VERSION): install that one"
            )
        }
        guard answer.error == 0 else {
            throw SystemError(
                "start of the warden (\(answer.beginning))", errno: answer.error, remedy: Self.remedy(answer.error))
        }
        return answer.controls
    }
}
