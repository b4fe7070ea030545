import Foundation

/// The processes of this machine, according to /proc.
public enum ProcessTable {
    /// The processes with this command name, without dead ones that only wait for the system's first process to reap
    /// them: those hold nothing any more.
    public static func named(_ name: String) -> Set<Int32> {
        all { ProcText.lines(of: "/proc/\($0)/comm").first == name && isThere($0) }
    }

    /// Whether the process lives; a dead one that has not been reaped yet does not.
    public static func isThere(_ process: Int32) -> Bool {
        let state = ProcText.lines(of: "/proc/\(process)/status").first { $0.hasPrefix("State:") }
        return state.map { !$0.hasPrefix("State:\tZ") } ?? false
    }

    /// The wardens of a broker: each holds a pidfd of it under number 4.
    /// - Parameter broker: its number; -1 for brokers that are gone.
    public static func wardens(of broker: Int32) -> Set<Int32> {
        all { isWarden($0, of: broker) }
    }

    public static func isWarden(_ process: Int32, of broker: Int32) -> Bool {
        // A warden's child has the same name and descriptors until it executes: a child of a warden does not count.
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

    /// Includes children that have ended and have not been reaped yet.
    public static func children(of parents: Set<Int32>) -> Set<Int32> {
        all { process in parent(of: process).map(parents.contains) ?? false }
    }

    public static func all(_ isWanted: (Int32) -> Bool) -> Set<Int32> {
        Set(ProcText.names(in: "/proc").compactMap(Int32.init).filter(isWanted))
    }
}
