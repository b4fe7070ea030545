internal import AnnexLinux
internal import AnnexModel

/// The parts that apps and extensions both have: property list, program and entitlements. If a part has a fault, the
/// part is missing here, and the fault is among the findings.
struct BundleParts: ~Copyable {
    let info: InfoDictionary?
    let keys: BundleKeys?
    let entitlements: Entitlements
    /// The processors for which the bundle has a program.
    let processors: Set<ElfProcessor>
    private var program: BundleFile?

    init(of bundle: borrowing BundleDirectory, owner: ProgramChecks.Owner, reporting findings: FindingCollector) {
        if let fault = BundleRights.fault(in: bundle.status.mode, shown: bundle.shown) { findings.report(fault) }
        let info = findings.attempt { () throws(BundleError) in try bundle.info() }
        self.info = info
        guard let info else {
            keys = nil
            entitlements = .none
            processors = []
            program = nil
            return
        }
        keys = BundleKeys(info, reporting: findings)
        var programs = ProgramChecks(owner: owner, findings: findings).programs(of: bundle, info: info)
        processors = programs.processors
        program = programs.takeOwn()
        entitlements = Self.entitlements(of: bundle, info: info, reporting: findings)
    }

    /// Removes and returns the program for this machine; nil if the bundle has no program for this machine, or if the
    /// program has a fault.
    mutating func takeProgram() -> BundleFile? { program.take() }

    /// The suffix of an entitlements file's name. The name of the bundle's program comes before this suffix.
    static let entitlementsSuffix = ".entitlements"

    private static func entitlements(
        of bundle: borrowing BundleDirectory, info: InfoDictionary, reporting findings: FindingCollector
    ) -> Entitlements {
        guard let program = info.values[ProgramChecks.key]?.string, !program.contains("/") else { return .none }
        let name = program + entitlementsSuffix
        let shown = bundle.shown(name)
        let bytes = findings.find { () throws(BundleError) -> [UInt8]? in
            guard let file = try bundle.openIfPresent(name, rule: .entitlements, kind: .regular) else { return nil }
            return try file.bytes(atMost: PropertyListLimits.entitlements.bytes, shown: shown, rule: .entitlements)
        }
        guard let bytes else { return .none }
        return EntitlementsReader(file: shown, reporting: findings).entitlements(bytes) ?? .none
    }
}

/// The facts about a containing app that the checks of its extensions need. If a fault of the app leaves a fact
/// unknown, the fact is nil, and the checks that need this fact are skipped.
struct ContainingAppFacts {
    let identifier: String?
    let name: String?
    let version: BundleVersion?
    let shortVersion: BundleVersion?
    let processors: Set<ElfProcessor>
    let frameworks: FrameworksDirectory?

    init(_ parts: borrowing BundleParts, frameworks: FrameworksDirectory?) {
        self.frameworks = frameworks
        identifier = parts.keys?.identifier
        name = parts.keys?.name
        version = parts.keys?.version
        shortVersion = parts.keys?.shortVersion
        processors = parts.processors
    }
}
