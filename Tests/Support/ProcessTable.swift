import Foundation

/// The processes of this machine, according to /proc.
public enum ProcessTable {
    /// The processes with this command name, without dead processes that only wait for the system's first process to
    /// reap them. Dead processes hold no resources.
    public static func named(_ name: String) -> Set<Int32> {
        all { ProcText.lines(of: "/proc/\($0)/comm").first == name && isThere($0) }
    }

    /// Whether the process is alive. A dead process that has not been reaped yet is not alive.
    public static func isThere(_ process: Int32) -> Bool {
        let state = ProcText.lines(of: "/proc/\(process)/status").first { $0.hasPrefix("State:") }
        return state.map { !$0.hasPrefix("State:\tZ") } ?? false
    }

    /// The wardens of a broker. Each warden holds a pidfd of the broker as descriptor 4.
    /// - Parameter broker: the process number of the broker; -1 for brokers that are gone.
    public static func wardens(of broker: Int32) -> Set<Int32> {
        all { isWarden($0, of: broker) }
    }

    public static func isWarden(_ process: Int32, of broker: Int32) -> Bool {
        // Until a warden's child executes a program, it has the same name and descriptors. So a child of a warden does
        // not count.
        isNamedWarden(process) && isThere(process) && !isNamedWarden(parent(of: process))
            && ProcText.lines(of: "/proc/\(process)/fdinfo/4").contains("Pid:\t\(broker)")
    }

    private static func isNamedWarden(_ process: Int32?) -> Bool {
        process.map { ProcText.lines(of: "/proc/\($0)/comm").first == "annex-warden" } ?? false
    }

    private static func parent(of process: Int32) -> Int32? {
        let line = ProcText.lines(of: "/proc/\(process)/status").first { $0.hasPrefix("PPid:\t") }
        return line.flatMap { Int32($0.dropFirst(6)) }
    }

    /// The wardens of a broker and the processes that they launched.
    public static func family(of broker: Int32) -> Set<Int32> {
        let wardens = wardens(of: broker)
        return wardens.union(children(of: wardens))
    }

    /// The children of these processes, including ended ones that have not been reaped yet.
    public static func children(of parents: Set<Int32>) -> Set<Int32> {
        all { process in parent(of: process).map(parents.contains) ?? false }
    }

    public static func all(_ isWanted: (Int32) -> Bool) -> Set<Int32> {
        Set(ProcText.names(in: "/proc").compactMap(Int32.init).filter(isWanted))
    }
}
