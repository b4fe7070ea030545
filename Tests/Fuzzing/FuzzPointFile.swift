import AnnexBundle
import AnnexPolicy
import AnnexRegistry

/// For any bytes, the reader returns an extension point or an error. It finds every mistake without a trap.
enum FuzzPointFile {
    static func main() {
        Fuzzer.run { bytes, count in
            FuzzPointFile.read(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
            return 0
        }
    }

    /// The name that every seed has.
    private static let file = "com.example.fuzz.yaml"

    private static func read(_ text: String) {
        guard let point = try? ExtensionPoint(text: text, file: file) else {
            let mistakes = ExtensionPoint.mistakes(in: text, file: file)
            // If a text cannot be read, at least one mistake is reported.
            precondition(!mistakes.isEmpty)
            return
        }
        precondition(point.identifier == "com.example.fuzz")
        precondition(!point.accepts(.networkClient) || text.contains("network.client"))
        _ = try? PointLibrary.shipped.adding(point)
    }
}
