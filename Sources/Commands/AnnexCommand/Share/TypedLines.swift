import AnnexLinux
import Glibc

/// The lines of standard input. A separate thread reads them, so that the extension can change its sheet meanwhile.
struct TypedLines {
    /// The lines. The stream ends when the input ends. Only one reader at a time may read this stream.
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

    /// If the input is a terminal, prints what the user can type.
    func prompt(_ text: String) {
        guard isTerminal else { return }
        // The prompt is written without the C library's streams. `fflush` of all streams would wait for the thread that
        // reads the input.
        var prompt = "\(text) > "
        prompt.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
