import AnnexSandbox
import FoundationEssentials
import Glibc

/// The whole report as one JSON object.
enum RunReportFile {
    static func write(_ report: SandboxRunReport, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var rest = (try encoder.encode(report) + [UInt8(ascii: "\n")])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { throw failure(path) }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    private static func failure(_ path: String) -> SandboxError {
        SandboxError("report", cause: "\(path): \(String(cString: strerror(errno)))")
    }
}
