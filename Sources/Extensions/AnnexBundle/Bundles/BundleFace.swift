internal import AnnexLinux
internal import AnnexModel

/// The texts that a user sees of an app or extension, in all languages: the name, and a summary of what the bundle
/// does.
public struct BundleTexts: Sendable, Hashable {
    /// The name to show.
    public let name: LocalizedText
    /// `NSHumanReadableDescription`: what the bundle does, in a sentence. Nil if the key is missing.
    public let summary: LocalizedText?
    /// Whether Annex could read all files with texts. If this is false, a later reading may find more texts, for
    /// example if the process was short of descriptors only for a moment.
    public let isWhole: Bool
}

// Texts and icons are read only when a host asks for them. So an installed app uses no memory for languages and
// pictures that are never shown. Opening an app also takes less time, because these files are not read.

extension AppBundle {
    /// Reads the app's name and summary in all languages.
    ///
    /// Translations with a fault are left out. The result always has a name, because the name in `Info.plist` remains.
    public func texts() -> BundleTexts {
        BundleFace.texts(
            of: directory, shown: shown, name: displayName, keys: [BundleFace.displayName, BundleFace.name])
    }

    /// Reads the name and summary of one of the app's extensions in all languages. If the extension has no name of its
    /// own in a language, the app's name is used.
    public func texts(of found: ExtensionBundle) -> BundleTexts {
        let own = BundleFace.texts(
            of: found.directory, shown: found.shown, name: found.displayName, keys: [BundleFace.displayName])
        if found.hasOwnName { return own }
        let names = BundleFace.texts(of: directory, shown: shown, name: found.displayName, keys: [BundleFace.name])
        let name = LocalizedText(
            found.displayName, translations: names.name.translations.merging(own.name.translations) { $1 },
            developmentLanguage: names.name.developmentLanguage)
        return BundleTexts(name: name, summary: own.summary, isWhole: own.isWhole && names.isWhole)
    }

    /// Opens the app's icon.
    /// - Returns: nil if the app does not name an icon.
    /// - Throws: a `BundleError` if the picture is missing, is not PNG, or is too large.
    public func icon() throws(BundleError) -> BundleIcon? {
        try BundleFace(of: directory, shown: shown).icon(isTemplate: false)
    }

    /// Opens the icon for one of the app's extensions.
    ///
    /// A share extension always shows the app's icon. An action always shows the app's icon in one colour. Other
    /// extensions may have their own icon. If that icon is missing or has a fault, the app's icon is used.
    /// - Returns: nil if there is no icon.
    /// - Throws: a `BundleError` if the app's icon is needed and has a fault.
    public func icon(for found: ExtensionBundle) throws(BundleError) -> BundleIcon? {
        let style = IconStyle(point: found.extensionPoint)
        if style == .own {
            let own = try? BundleFace(of: found.directory, shown: found.shown).icon(isTemplate: false)
            if let own { return own }
        }
        return try BundleFace(of: directory, shown: shown).icon(isTemplate: style == .template)
    }
}

/// Reads from an open bundle what users see: the name, the summary and the icon.
struct BundleFace: ~Copyable {
    static let name = "CFBundleName"
    static let displayName = "CFBundleDisplayName"
    static let summary = "NSHumanReadableDescription"
    static let keys = [name, displayName, summary]
    private static let region = "CFBundleDevelopmentRegion"

    private let bundle: BundleDirectory

    /// - Throws: an error if the process has no descriptor left.
    init(of directory: borrowing BundleFile, shown: String) throws(BundleError) {
        bundle = try BundleDirectory(again: directory, shown: shown)
    }

    /// - Parameters:
    ///   - name: the name in `Info.plist`.
    ///   - keys: the keys whose translations can serve as the name. If a language translates several of these keys,
    ///     the key that comes first in this array counts.
    static func texts(
        of directory: borrowing BundleFile, shown: String, name: String, keys: [String]
    ) -> BundleTexts {
        let opened = try? BundleFace(of: directory, shown: shown)
        guard let face = opened else { return BundleTexts(name: LocalizedText(name), summary: nil, isWhole: false) }
        return face.texts(name: name, keys: keys)
    }

    private func texts(name: String, keys: [String]) -> BundleTexts {
        let findings = FindingCollector(.opening)
        let info = findings.attempt { () throws(BundleError) in try bundle.info() }
        let language = findings.find { () throws(BundleError) in try info?.text(Self.region) }
        let translations = Translations(of: bundle, keys: Self.keys, reporting: findings)
        let summary = findings.find { () throws(BundleError) in try info?.text(Self.summary) }
        return BundleTexts(
            name: LocalizedText(
                name, translations: translations.translations(of: keys), developmentLanguage: language),
            summary: summary.map {
                LocalizedText(
                    $0, translations: translations.translations(of: [Self.summary]), developmentLanguage: language)
            },
            isWhole: translations.isWhole && findings.firstError == nil)
    }

    func icon(isTemplate: Bool) throws(BundleError) -> BundleIcon? {
        return try IconReader(bundle.info()).icon(in: bundle, isTemplate: isTemplate)
    }

    /// Checks the texts and icons that users see. Only the validation of a bundle needs this check.
    static func check(_ bundle: borrowing BundleDirectory, info: InfoDictionary, reporting findings: FindingCollector) {
        guard findings.isValidating else { return }
        _ = Translations(of: bundle, keys: keys, reporting: findings)
        do throws(BundleError) {
            _ = try IconReader(info).icon(in: bundle, isTemplate: false)
        } catch {
            findings.warn(error)
        }
    }
}
