import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Explains an error that comes from a layer that this machine lacks. No option of `annex run` mends such an error.
struct LeftOutLayer {
    private let lacking: [SandboxLayer: SandboxRunReport.Waiver]

    init(_ report: SandboxRunReport) {
        var lacking: [SandboxLayer: SandboxRunReport.Waiver] = [:]
        for waiver in report.waived where waiver.cause != nil {
            if let layer = SandboxLayer(rawValue: waiver.layer) { lacking[layer] = waiver }
        }
        self.lacking = lacking
    }

    func hint(for errors: StatedErrors) -> RunHint? {
        if let waiver = lacking[.processFiles],
            errors.lines.contains(where: { $0.paths.contains(where: Self.isOfProc) })
        {
            return RunHint(line: "the sandbox has no /proc, because this machine allows none" + Self.remedy(waiver))
        }
        if let waiver = lacking[.listener], errors.states(ENOSYS) {
            return RunHint(
                line: "a call was denied; which one is not known without the layer `listener`" + Self.remedy(waiver))
        }
        return nil
    }

    /// Whether the path is in `/proc`, or leads there.
    private static func isOfProc(_ path: String) -> Bool {
        path == "/proc" || ["/proc/", "/dev/fd", "/dev/std"].contains { path.hasPrefix($0) }
    }

    private static func remedy(_ waiver: SandboxRunReport.Waiver) -> String { waiver.remedy.map { ": \($0)" } ?? "" }
}
