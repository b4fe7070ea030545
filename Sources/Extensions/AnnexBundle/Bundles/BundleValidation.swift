internal import AnnexModel

/// Every fault of an app and its extensions. The author can correct the faults before shipping the app.
///
/// ```swift
/// let validation = BundleValidation(app: "Pictures.app")
/// for finding in validation.findings { print("\(finding.severity.rawValue): \(finding.fault)") }
/// ```
public struct BundleValidation: Sendable, Hashable {
    /// The findings about the app, then the findings about each extension. For each severity, at most 100 findings
    /// about the app and 100 about each extension are kept.
    public let findings: [BundleFinding]
    /// How many findings were not kept.
    public let omitted: Int

    /// Examines an app. This initializer makes the checks that an installation makes, and further checks that would
    /// take too long in an installation.
    ///
    /// - Parameter path: the app's directory, `Name.app`.
    public init(app path: String) { self.init(app: path) { _ in [] } }

    /// Examines an app as `init(app:)` does, with further checks.
    /// - Parameter check: is called with each extension that could be read, and returns findings about it.
    package init(app path: String, checking check: (ExtensionBundle) -> [BundleFinding]) {
        let own = FindingCollector(.validating)
        var others: [FindingCollector] = []
        _ = AppBundle(path, reporting: own) { collector, found in
            if let found { collector.add(check(found)) }
            others.append(collector)
        }
        let all = [own] + others
        findings = all.flatMap { collector in
            BundleFinding.Severity.allCases.flatMap { severity in
                collector.findings.filter { $0.severity == severity }
            }
        }
        omitted = all.reduce(0) { $0 + $1.omitted }
    }

    /// How many findings have the given severity.
    public func count(of severity: BundleFinding.Severity) -> Int {
        findings.count { $0.severity == severity }
    }

    /// Whether Annex refuses the app or one of its extensions.
    public var hasErrors: Bool { count(of: .error) > 0 }
}
