import Foundation

/// A program that runs until it is killed.
public final class Background: Sendable {
    private let child: ChildProcess
    /// Its process number.
    public var number: Int32 { child.number }

    private init(_ child: ChildProcess) {
        self.child = child
    }

    /// Starts an executable product, or any program by its path; its output is dropped.
    public static func start(_ name: String, _ arguments: [String]) throws -> Background {
        Background(
            try ChildProcess(ChildProcess.executable(name), arguments: arguments, output: .none, errors: .none))
    }

    /// SIGKILL: the program gets no chance to tidy up.
    public func kill() {
        child.signal(SIGKILL)
    }
}
