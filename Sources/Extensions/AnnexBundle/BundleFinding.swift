/// A fault that the validation of a bundle found, and how much it matters.
public struct BundleFinding: Sendable, Hashable {
    /// How much a finding matters.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Annex refuses the app or the extension, on this machine or on another machine for which the app has a
        /// program.
        case error
        /// Annex accepts the bundle, but a part of it does not do what its author probably expects.
        case warning
        /// Everything works, but a change would help users or authors.
        case advice
    }

    public let severity: Severity
    /// The place of the fault, the fault, the rule and the remedy.
    public let fault: BundleError

    package init(_ severity: Severity, fault: BundleError) {
        self.severity = severity
        self.fault = fault
    }
}

extension BundleFinding: CustomStringConvertible {
    public var description: String { "\(severity.rawValue): \(fault)" }
}

/// Collects the findings of one bundle's checks. The same checks serve two purposes:
///
/// - Opening a bundle needs only the first error. So no warnings are created for this purpose.
/// - The validation needs all findings.
final class FindingCollector {
    enum Purpose {
        case opening, validating
    }

    let purpose: Purpose
    private(set) var findings: [BundleFinding] = []
    /// How many findings were not kept.
    private(set) var omitted = 0

    /// The most findings of each severity that are kept about one bundle. The author of a bundle cannot raise this
    /// number.
    static let most = 100

    init(_ purpose: Purpose) {
        self.purpose = purpose
    }

    /// Whether checks that only the validation needs should run. These checks may take long.
    var isValidating: Bool { purpose == .validating }

    var firstError: BundleError? { findings.first { $0.severity == .error }?.fault }

    func report(_ error: BundleError) { keep(BundleFinding(.error, fault: error)) }

    func warn(_ fault: @autoclosure () -> BundleError) {
        if isValidating { keep(BundleFinding(.warning, fault: fault())) }
    }

    func advise(_ fault: @autoclosure () -> BundleError) {
        if isValidating { keep(BundleFinding(.advice, fault: fault())) }
    }

    /// Adds findings of other checks. If a warning about the same key is already there, the added finding replaces it.
    func add(_ more: [BundleFinding]) {
        for finding in more {
            findings.removeAll {
                $0.severity == .warning && $0.fault.key != nil && $0.fault.place == finding.fault.place
            }
            keep(finding)
        }
    }

    private func keep(_ finding: BundleFinding) {
        // Two checks may find the same fault, such as a file's mode.
        if findings.contains(finding) { return }
        let isRoom = findings.count { $0.severity == finding.severity } < Self.most
        if isRoom { findings.append(finding) } else { omitted += 1 }
    }

    /// Whether there is a finding at a key. The key may be given as a path of keys.
    func hasFinding(at keyPath: String, of file: String) -> Bool {
        let key = keyPath.split(separator: ".").last.map(String.init)
        return findings.contains { $0.fault.file == file && ($0.fault.key == keyPath || $0.fault.key == key) }
    }
}

extension FindingCollector {
    /// The result of a check; nil if the check throws. The error is then added to the findings.
    func attempt<Result: ~Copyable>(_ check: () throws(BundleError) -> Result) -> Result? {
        do throws(BundleError) {
            return try check()
        } catch {
            report(error)
            return nil
        }
    }

    /// The value that a check looks for; nil if there is no value, or if the check throws.
    func find<Result: ~Copyable>(_ check: () throws(BundleError) -> Result?) -> Result? {
        do throws(BundleError) {
            return try check()
        } catch {
            report(error)
            return nil
        }
    }

    /// The bundle that was read, if it has no error.
    /// - Throws: the first error.
    func verdict<Bundle>(on bundle: Bundle?, at file: String) throws(BundleError) -> Bundle {
        if let error = firstError { throw error }
        guard let bundle else {
            throw BundleError(.p1, file: file, what: "cannot be read", remedy: "run annex validate")
        }
        return bundle
    }
}
