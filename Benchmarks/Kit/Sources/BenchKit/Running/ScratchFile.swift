internal import Foundation

/// The file whose contents a scene reads. The first contender makes it, the others find it, and it is removed with this
/// object.
final class ScratchFile {
    private let path: String
    private let bytes: Int

    init(bytes: Int) {
        self.bytes = bytes
        path = FileManager.default.temporaryDirectory.appending(path: "annex-bench-\(getpid())-file").path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The driver's words for it.
    var words: [String] { ["file=\(path)", "bytes=\(bytes)"] }
}
