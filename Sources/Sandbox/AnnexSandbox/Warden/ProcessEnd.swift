/// How a process ended, as the kernel reports it.
package enum ProcessEnd: Sendable, Hashable {
    case exited(code: Int32)
    /// A signal killed the process. `core`: the kernel would have written its memory to a file, if that were allowed.
    case signalled(signal: Int32, core: Bool)

    /// - Parameter status: as `wait4` gives it.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(code: status >> 8 & 0xff) : .signalled(signal: signal, core: status & 0x80 != 0)
    }
}
