import Foundation

/// What /proc says about the processes of this machine.
public enum ProcessTable {
    /// The processes with this command name. A dead one that only waits for the system's first process to take note of
    /// it holds nothing any more and is not among them.
    public static func named(_ name: String) -> Set<Int32> {
        all { process in
            ProcText.lines(of: "/proc/\(process)/comm").first == name
                && !ProcText.lines(of: "/proc/\(process)/status").contains { $0.hasPrefix("State:\tZ") }
        }
    }

    /// The wardens of a broker's: each holds a pidfd of it under number 4.
    /// - Parameter broker: its number; -1: brokers that are gone.
    public static func wardens(of broker: Int32) -> Set<Int32> {
        named("annex-warden").filter { ProcText.lines(of: "/proc/\($0)/fdinfo/4").contains("Pid:\t\(broker)") }
    }

    /// Also those that have ended and that nobody has reaped yet.
    public static func children(of parents: Set<Int32>) -> Set<Int32> {
        all { process in
            let parent = ProcText.lines(of: "/proc/\(process)/status").first { $0.hasPrefix("PPid:\t") }
            return parent.flatMap { Int32($0.dropFirst(6)) }.map(parents.contains) ?? false
        }
    }

    private static func all(_ isWanted: (Int32) -> Bool) -> Set<Int32> {
        Set(ProcText.names(in: "/proc").compactMap(Int32.init).filter(isWanted))
    }
}
