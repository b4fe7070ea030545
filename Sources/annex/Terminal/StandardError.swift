internal import Glibc

/// Where errors go, so that a result can be sent elsewhere.
enum StandardError {
    static func print(_ line: String) {
        // What was printed before it comes before it.
        fflush(nil)
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
