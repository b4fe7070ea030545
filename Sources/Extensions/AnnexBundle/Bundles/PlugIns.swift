internal import AnnexModel

/// The extensions of an app: the directories `*.appex` in `PlugIns`. Each extension is read separately. If an extension
/// has a fault, Annex refuses only this extension.
struct PlugIns {
    private let tree: BundleTree
    private let app: ContainingAppFacts
    private let purpose: FindingCollector.Purpose

    /// The most extensions that one app may carry.
    private static let most = 64

    init(in tree: BundleTree, of app: ContainingAppFacts, purpose: FindingCollector.Purpose) {
        self.tree = tree
        self.app = app
        self.purpose = purpose
    }

    /// Reads all extensions.
    ///
    /// - Parameters:
    ///   - bundle: the app's directory.
    ///   - findings: receives the faults of the app itself.
    ///   - examined: is called for each extension, with the findings about it. If the extension could be read, the
    ///     call also gets the extension.
    func read(
        _ bundle: borrowing BundleDirectory, reporting findings: FindingCollector,
        examined: (_ findings: FindingCollector, _ found: ExtensionBundle?) -> Void
    ) -> ([ExtensionBundle], [RejectedExtension]) {
        let names = tree.extensionNames
        guard !names.isEmpty else { return ([], []) }
        let opened = findings.attempt { () throws(BundleError) in try BundleDirectory("PlugIns", in: bundle) }
        guard let plugIns = opened else { return ([], []) }
        guard names.count <= Self.most else {
            findings.report(
                BundleError(
                    .p1, file: plugIns.shown, what: "holds more than \(Self.most) extensions",
                    remedy: "remove extensions"))
            return ([], [])
        }
        var extensions: [ExtensionBundle] = []
        var rejected: [RejectedExtension] = []
        for name in names {
            let own = FindingCollector(purpose)
            tree.walk(extension: name, in: bundle, reporting: own)
            let found = ExtensionBundle(name, in: plugIns, of: app, reporting: own)
            if let found { checkIsAlone(found, among: extensions, reporting: own) }
            do throws(BundleError) {
                extensions.append(try own.verdict(on: found, at: plugIns.shown(name)))
            } catch {
                let identifier = try? BundleDirectory(name, in: plugIns).info().identifier("CFBundleIdentifier")
                rejected.append(RejectedExtension(place: "PlugIns/\(name)", identifier: identifier, error: error))
            }
            examined(own, found)
        }
        return (extensions, rejected)
    }

    private func checkIsAlone(
        _ found: ExtensionBundle, among extensions: [ExtensionBundle], reporting findings: FindingCollector
    ) {
        guard extensions.contains(where: { $0.identifier == found.identifier }) else { return }
        findings.report(
            BundleError(
                .p3, file: "\(found.shown)/Info.plist", key: "CFBundleIdentifier",
                what: "is also the identifier of another extension of the app",
                remedy: "give each extension an identifier of its own"))
    }
}
