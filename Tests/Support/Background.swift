import Foundation

/// A program that runs until it is killed.
public final class Background: Sendable {
    /// Its process number.
    public let number: Int32

    private init(_ number: Int32) {
        self.number = number
    }

    /// Starts an executable product, or any program by its path; its output is dropped.
    public static func start(_ name: String, _ arguments: [String]) throws -> Background {
        let process = Process()
        process.executableURL =
            name.hasPrefix("/") ? URL(filePath: name) : ExampleBundles.products.appending(path: name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // This runs on a thread that ends, so that its run loop ends too. Otherwise the run loop would stay with one of
        // the runtime's threads, with three descriptors.
        let started = DispatchSemaphore(value: 0)
        // SAFETY: the value is written before the signal and read after the wait.
        nonisolated(unsafe) var outcome: Result<Void, any Error> = .success(())
        Thread.detachNewThread {
            outcome = Result { try process.run() }
            started.signal()
        }
        started.wait()
        try outcome.get()
        return Background(process.processIdentifier)
    }

    /// SIGKILL: the program gets no chance to tidy up.
    public func kill() {
        Foundation.kill(number, SIGKILL)
    }
}
