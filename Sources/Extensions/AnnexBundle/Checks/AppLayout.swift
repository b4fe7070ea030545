internal import AnnexLinux

/// The layout of an app's directory.
struct AppLayout {
    private let tree: BundleTree
    private let findings: FindingCollector

    init(_ tree: BundleTree, findings: FindingCollector) {
        self.tree = tree
        self.findings = findings
    }

    /// Checks the app's own directories. The directories of its extensions are not checked here.
    func check(_ app: borrowing BundleDirectory) {
        if tree.topNames.contains("SharedFrameworks") {
            findings.report(
                BundleError(
                    .p1, file: app.shown("SharedFrameworks"), what: "is not supported: no code is loaded at run time",
                    remedy: "link shared code into each program, and put shared resources into Frameworks"))
        }
        guard findings.isValidating else { return }
        checkResourceLinks(in: app)
        checkExtensions(in: app)
        for path in tree.files {
            if path.hasPrefix(FrameworksDirectory.name + "/") { checkResource(path, in: app) }
            let parts = path.split(separator: "/")
            guard parts.first == "PlugIns" else { continue }
            findings.warn(
                BundleError(
                    .p1, file: app.shown(path), what: "is in PlugIns, but in no extension",
                    remedy: "put it into a directory Name.appex, or elsewhere in the app"))
        }
    }

    /// Warns of extensions outside `PlugIns`, and of an app without extensions. Hosts find neither.
    private func checkExtensions(in app: borrowing BundleDirectory) {
        let misplaced = Set(tree.files.compactMap(Self.misplacedExtension)).sorted()
        for path in misplaced {
            findings.warn(
                BundleError(
                    .p1, file: app.shown(path), what: "is not in PlugIns, so no host finds this extension",
                    remedy: "move it to PlugIns/\(Escaped(path.split(separator: "/").last.map(String.init) ?? path))"))
        }
        guard tree.extensionNames.isEmpty, misplaced.isEmpty else { return }
        findings.warn(
            BundleError(
                .p1, file: app.shown, what: "contains no extension, so it offers nothing to hosts",
                remedy: "put each extension into PlugIns/Name.appex"))
    }

    /// The directory `Name.appex` that contains this file; nil if there is none. The files of the extensions in
    /// `PlugIns` are not part of the walk of the app.
    private static func misplacedExtension(_ path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let place = parts.dropLast().firstIndex(where: { $0.hasSuffix(".appex") }) else { return nil }
        return parts[...place].joined(separator: "/")
    }

    /// Warns of links from `Frameworks` to other places of the app. In an extension's sandbox, these places do not
    /// exist.
    private func checkResourceLinks(in app: borrowing BundleDirectory) {
        let prefix = FrameworksDirectory.name + "/"
        let links = tree.links.filter { $0.hasPrefix(prefix) }
        guard !links.isEmpty else { return }
        let opened = findings.attempt { () throws(BundleError) in
            try BundleDirectory(FrameworksDirectory.name, in: app)
        }
        guard let frameworks = opened else { return }
        for link in links {
            let staysThere = try? frameworks.descriptor.leadsBeneath(String(link.dropFirst(prefix.count)))
            guard staysThere == false else { continue }
            findings.warn(
                BundleError(
                    .p1, file: app.shown(link), what: "is a link out of Frameworks, which no extension can follow",
                    remedy: "replace the link by a copy of its target"))
        }
    }

    /// Warns of code in `Frameworks`. No program can load this code.
    private func checkResource(_ path: String, in app: borrowing BundleDirectory) {
        let shown = app.shown(path)
        let start = findings.attempt { () throws(BundleError) in
            try app.open(path, rule: .p1, kind: .regular).start(count: 4, shown: shown, rule: .p1)
        }
        guard let start, ElfProgram.isElf(start) else { return }
        findings.warn(
            BundleError(
                .p1, file: shown, what: "is a shared library or a program, which no extension can load",
                remedy: "link the code into each program; Frameworks is for resources"))
    }
}
