import Glibc

/// Prints errors on standard error, because standard output carries the result.
enum Complaint {
    static func print(_ text: String) {
        let bytes = Array("annex-bench-host: \(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
