import AnnexLinux
import Glibc

/// The lines of standard input. A thread of their own reads them, so that an extension can change its sheet meanwhile.
struct TypedLines {
    /// Ends with the input. For one reader at a time.
    let lines: AsyncStream<String>
    private let isTerminal: Bool

    init() {
        isTerminal = isatty(STDIN_FILENO) == 1
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        do throws(SystemError) {
            _ = try WorkerThread("annex-input") {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        } catch {
            continuation.finish()
        }
    }

    /// Says what to type, if a person types.
    func prompt(_ text: String) {
        guard isTerminal else { return }
        // Written without the C library's streams: `fflush` of all of them waits for the thread that reads the input.
        var prompt = "\(text) > "
        prompt.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
