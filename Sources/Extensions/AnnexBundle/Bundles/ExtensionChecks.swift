internal import AnnexModel

/// The dictionary `NSExtension` of an extension.
struct ExtensionPointKeys {
    let identifier: String
    let principalClass: String?
    let mainStoryboard: String?
}

/// The checks that the property list of an extension needs in addition to the checks of every bundle.
struct ExtensionChecks {
    private let info: InfoDictionary
    private let app: ContainingAppFacts
    private let findings: FindingCollector

    init(_ info: InfoDictionary, app: ContainingAppFacts, findings: FindingCollector) {
        self.info = info
        self.app = app
        self.findings = findings
    }

    func checkIdentifier(_ identifier: String?) {
        guard let identifier, let app = app.identifier,
            !BundleIdentifier.folded(identifier).hasPrefix(BundleIdentifier.folded(app + "."))
        else { return }
        findings.report(
            info.fault(
                "CFBundleIdentifier", what: "is \(identifier), which does not begin with its app's \(app).", rule: .p3,
                remedy: "start it with \(app). (an extension belongs to one app and cannot be moved into another)"))
    }

    /// The name to show; nil if there is none.
    func displayName(_ keys: BundleKeys) -> String? {
        guard let name = keys.displayName ?? app.name else {
            if !findings.hasFinding(at: "CFBundleDisplayName", of: info.file) {
                findings.report(
                    info.fault(
                        "CFBundleDisplayName", what: "is missing, and so is the app's CFBundleName", rule: .p6,
                        remedy: "add one"))
            }
            return nil
        }
        if let app = app.name, name != app, !name.hasPrefix("\(app) — ") {
            findings.advise(
                info.fault(
                    "CFBundleDisplayName", what: "is \(Escaped(name)), which does not name the app", rule: .p6,
                    remedy: "call it \"\(Escaped(app)) — \(Escaped(name))\", so that users see where it is from"))
        }
        return name
    }

    /// Reports each processor for which the app has a program and the extension has none.
    func checkProcessors(_ own: Set<ElfProcessor>) {
        // If the extension has no program at all, another check reports that fault. Only the validation knows the
        // processors of all programs.
        guard findings.isValidating, !own.isEmpty else { return }
        for processor in app.processors.subtracting(own).sorted() {
            findings.report(
                info.fault(
                    ProgramChecks.key, what: "names no program for \(processor.name), for which the app has one",
                    rule: .p11,
                    remedy: "add the program at \(processor.directory ?? processor.name)/, or remove the app's"))
        }
    }

    func checkVersions(_ keys: BundleKeys) {
        if let own = keys.version, let version = app.version, own != version {
            findings.advise(
                info.fault(
                    "CFBundleVersion", what: "is \(own), but the app's is \(version)", rule: .p12,
                    remedy: "give both the same version: they are installed together"))
        }
    }

    /// The extension's point; nil if it is missing or wrong.
    func point() -> ExtensionPointKeys? {
        let keys = findings.attempt { () throws(BundleError) in
            guard let keys = try info.dictionary("NSExtension") else {
                throw info.fault(
                    "NSExtension", what: "is missing", rule: .p2,
                    remedy: "add a dictionary that names the extension point")
            }
            return keys
        }
        guard let keys else { return nil }
        let identifier = findings.attempt { () throws(BundleError) in
            try keys.identifier("NSExtensionPointIdentifier")
        }
        let principalClass = findings.attempt { () throws(BundleError) in try keys.text("NSExtensionPrincipalClass") }
        let storyboard = findings.attempt { () throws(BundleError) in try keys.text("NSExtensionMainStoryboard") }
        checkAttributes(of: keys)
        warnOfMisplacedKeys(in: keys)
        if case .some(.some) = storyboard {
            findings.warn(
                keys.fault(
                    "NSExtensionMainStoryboard", what: "names a user interface, which Annex does not load", rule: .p2,
                    remedy: "name the class that serves requests as NSExtensionPrincipalClass"))
        }
        guard let identifier, let principalClass, let storyboard else { return nil }
        return ExtensionPointKeys(identifier: identifier, principalClass: principalClass, mainStoryboard: storyboard)
    }

    /// Warns of keys at a place where nothing reads them.
    private func warnOfMisplacedKeys(in keys: InfoDictionary) {
        guard findings.isValidating else { return }
        for (name, dictionary) in [("Info.plist", info), ("NSExtension", keys)] {
            for key in dictionary.values.keys.sorted() {
                guard let home = ActivationChecks.home(of: key) ?? Self.home(of: key), home != name else { continue }
                findings.warn(
                    dictionary.fault(
                        Escaped(key, limit: 256).description, what: "is in \(name), where it has no effect", rule: .p2,
                        remedy: "move it into \(home)"))
            }
        }
    }

    /// The dictionary that a key belongs to; nil for other keys.
    private static func home(of key: String) -> String? {
        switch key {
        case "NSExtensionPointIdentifier", "NSExtensionPrincipalClass", "NSExtensionMainStoryboard",
            "NSExtensionAttributes":
            "NSExtension"
        default: nil
        }
    }

    private func checkAttributes(of keys: InfoDictionary) {
        let attributes = findings.find { () throws(BundleError) in try keys.dictionary("NSExtensionAttributes") }
        guard let attributes, findings.isValidating else { return }
        ActivationChecks(attributes, findings: findings).check()
    }
}
