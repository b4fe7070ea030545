public import AnnexLinux

/// The thread that made a call.
public struct Caller: Sendable, Hashable {
    /// The thread's number, as the broker's own process sees it; 0 if it has none there.
    public let thread: UInt32
    /// The process that the thread belongs to; nil if the kernel did not say.
    public let process: UInt32?
    /// The name of the running executable, escaped, because the process can choose it. nil if it could not be read.
    public let executable: Escaped?

    init(thread: UInt32, process: UInt32? = nil, executable: Escaped? = nil) {
        self.thread = thread
        self.process = process
        self.executable = executable
    }

    /// Asks the kernel about a thread. The answer is about this thread only if its call is still held afterwards.
    init(asking thread: UInt32) {
        guard thread != 0 else {
            self.init(thread: 0)
            return
        }
        let status = ProcessText.read("/proc/\(thread)/status").flatMap { ProcessStatus.read($0) }
        let name = ProcessText.read("/proc/\(thread)/comm", atMost: 64)?.prefix { $0 != UInt8(ascii: "\n") }
        self.init(thread: thread, process: status?.process, executable: name.map { Escaped($0, limit: 64) })
    }
}
