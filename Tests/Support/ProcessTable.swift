import Foundation

/// What /proc says about the processes of this machine.
public enum ProcessTable {
    /// The processes with this command name. A dead one that only waits for the system's first process to take note of
    /// it holds nothing any more and is not among them.
    public static func named(_ name: String) -> Set<Int32> {
        all { ProcText.lines(of: "/proc/\($0)/comm").first == name && isThere($0) }
    }

    /// Whether it lives; a dead one that nobody has asked after yet does not.
    public static func isThere(_ process: Int32) -> Bool {
        let state = ProcText.lines(of: "/proc/\(process)/status").first { $0.hasPrefix("State:") }
        return state.map { !$0.hasPrefix("State:\tZ") } ?? false
    }

    /// The wardens of a broker's: each holds a pidfd of it under number 4.
    /// - Parameter broker: its number; -1: brokers that are gone.
    public static func wardens(of broker: Int32) -> Set<Int32> {
        all { isWarden($0, of: broker) }
    }

    public static func isWarden(_ process: Int32, of broker: Int32) -> Bool {
        // Its child is called the same and holds the same until it executes: nobody's child is one.
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

    /// A broker's wardens and what they launched.
    public static func family(of broker: Int32) -> Set<Int32> {
        let wardens = wardens(of: broker)
        return wardens.union(children(of: wardens))
    }

    /// Also those that have ended and that nobody has reaped yet.
    public static func children(of parents: Set<Int32>) -> Set<Int32> {
        all { process in parent(of: process).map(parents.contains) ?? false }
    }

    public static func all(_ isWanted: (Int32) -> Bool) -> Set<Int32> {
        Set(ProcText.names(in: "/proc").compactMap(Int32.init).filter(isWanted))
    }
}
