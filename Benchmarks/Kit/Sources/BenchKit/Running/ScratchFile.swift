internal import Foundation

/// The file whose contents a scene reads. The first contender makes the file, and the others use it. The file is
/// removed when this object is freed.
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

    /// The words of the driver's command line for this file.
    var words: [String] { ["file=\(path)", "bytes=\(bytes)"] }
}
