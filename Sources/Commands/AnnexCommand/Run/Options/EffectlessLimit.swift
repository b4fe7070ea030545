import AnnexLaunch
import AnnexPolicy
import Glibc

/// A limit of the command line that would have no effect, or less effect than its value says. `annex run` refuses it,
/// because the user would otherwise rely on it.
struct EffectlessLimit {
    /// The setting, and why it has no effect.
    let text: String

    /// The first such limit.
    /// - Parameters:
    ///   - settings: the limits of the command line, each as `NAME=VALUE`.
    ///   - limits: the limits with these settings.
    init?(among settings: [String], in limits: PolicyLimits) {
        let named = settings.compactMap { $0.split(separator: "=").first.flatMap { LimitName(rawValue: String($0)) } }
        for (name, value) in limits.values where named.contains(name) {
            guard let fault = Self.fault(of: name, value) else { continue }
            text = "\(name.rawValue)=\(value.text): \(fault)"
            return
        }
        return nil
    }

    private static func fault(of name: LimitName, _ value: LimitValue) -> String? {
        switch name {
        case .output: "the output goes to your own streams, and Annex does not limit it: pipe it to `head -c`"
        case .watchdog, .messages, .inFlight, .openCalls, .instances, .keepAlive:
            "this limit is for extensions, and has no effect on a program"
        case .descriptors where value.count > mostDescriptors:
            "a program has at most \(mostDescriptors) open files, because all programs of a user share one limit on "
                + "descriptors in messages"
        case .descriptors: lowered(UInt32(RLIMIT_NOFILE.rawValue), option: "n", value: UInt64(value.count))
        case .processes: lowered(UInt32(__RLIMIT_NPROC.rawValue), option: "u", value: UInt64(value.count) + 1)
        case .file: lowered(UInt32(RLIMIT_FSIZE.rawValue), option: "f", value: value.bytes)
        case .processor: lowered(UInt32(RLIMIT_CPU.rawValue), option: "t", value: UInt64(value.time.components.seconds))
        case .memory, .launch, .request, .grace, .denials: nil
        }
    }

    private static let mostDescriptors = Int(HeldLimits.mostDescriptorsOfShared)

    /// - Parameter option: the option of the shell's `ulimit` for the resource.
    private static func lowered(_ resource: UInt32, option: String, value: UInt64) -> String? {
        let held = ResourceLimit(resource, bound: value).withinOwn().hard
        return held < value ? "your own hard limit is lower (ulimit -H\(option)), and a program cannot have more" : nil
    }
}
