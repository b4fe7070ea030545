import Foundation

/// A program that runs until it is killed.
public final class Background: Sendable {
    private let child: ChildProcess
    /// The process number of the program.
    public var number: Int32 { child.number }

    private init(_ child: ChildProcess) {
        self.child = child
    }

    /// Starts an executable product, or any program by its path. Its output is discarded.
    public static func start(_ name: String, _ arguments: [String]) throws -> Background {
        Background(
            try ChildProcess(ChildProcess.executable(name), arguments: arguments, output: .none, errors: .none))
    }

    /// Kills the program with SIGKILL, so that it cannot clean up.
    public func kill() {
        child.signal(SIGKILL)
    }
}
