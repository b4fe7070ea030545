internal import AnnexLinux
internal import AnnexModel

/// The translated keys of a bundle: the files `InfoPlist.strings` in its folders `<language>.lproj`.
///
/// Annex reads the translations only if a host asks for texts, or if the bundle is validated. So opening an app does
/// not read them. A file with a fault is left out, and users of its language see the text of `Info.plist`.
struct Translations {
    /// The most languages of a bundle, and the most bytes of translated text that are kept for a bundle.
    static let mostLanguages = 64
    static let mostBytes = 16 << 10
    /// The most bytes that are read from all files together. Parsing the bytes takes much longer than keeping them.
    static let mostRead = 256 << 10
    private static let suffix = ".lproj"
    private static let file = "InfoPlist.strings"
    /// The longest translation of a key that users see, in bytes.
    private static let longest = 512

    /// The texts by language, then by key.
    private var texts: [String: [String: String]] = [:]
    /// Whether every file could be read.
    private(set) var isWhole = true

    /// Reads all translations of the given keys. Faults are among the findings.
    init(of bundle: borrowing BundleDirectory, keys: [String], reporting findings: FindingCollector) {
        let entries = findings.attempt { () throws(BundleError) in
            try bundle.entries(of: "", atMost: BundleTree.mostEntries)
        }
        let folders = (entries ?? []).compactMap(\.name).filter { $0.hasSuffix(Self.suffix) }.sorted()
        if folders.count > Self.mostLanguages {
            findings.warn(
                Self.fault(
                    bundle.shown, key: nil, what: "has more than \(Self.mostLanguages) languages",
                    remedy: "remove languages: the others are not shown"))
        }
        var room = Self.mostBytes
        var unread = Self.mostRead
        for folder in folders.prefix(Self.mostLanguages) {
            let language = LanguageTag.normalized(String(folder.dropLast(Self.suffix.count)))
            let read = Self.read("\(folder)/\(Self.file)", of: bundle, keys: keys, left: &unread, reporting: findings)
            guard let found = read else {
                isWhole = false
                continue
            }
            let size = found.reduce(0) { $0 + $1.value.utf8.count } + language.utf8.count
            guard !found.isEmpty else { continue }
            guard size <= room, texts[language] == nil else {
                findings.warn(
                    Self.fault(
                        bundle.shown(folder), key: nil,
                        what: size > room
                            ? "has translations beyond the \(Self.mostBytes) bytes of all languages"
                            : "names a language that another folder names as well",
                        remedy: "shorten the names, or remove the folder: it is not used"))
                continue
            }
            room -= size
            texts[language] = found
        }
    }

    /// The translations of a key by language.
    /// - Parameter keys: the keys to look for. If a language translates several of these keys, the key that comes
    ///   first in this array counts.
    func translations(of keys: [String]) -> [String: String] {
        texts.compactMapValues { texts in keys.lazy.compactMap { texts[$0] }.first }
    }

    /// - Returns: nil if the file cannot be read.
    private static func read(
        _ path: String, of bundle: borrowing BundleDirectory, keys: [String], left: inout Int,
        reporting findings: FindingCollector
    ) -> [String: String]? {
        let shown = bundle.shown(path)
        do throws(BundleError) {
            guard let file = try bundle.openIfPresent(path, rule: .p6, kind: .regular) else { return [:] }
            let bytes = try file.bytes(atMost: PropertyListLimits.strings.bytes, shown: shown, rule: .p6)
            guard bytes.count <= left else {
                throw fault(
                    shown, key: nil, what: "is beyond the \(mostRead) bytes of all translations of a bundle",
                    remedy: "shorten the files, or remove it: it is not used")
            }
            left -= bytes.count
            let all = try parsed(bytes, shown: shown)
            return all.filter {
                keys.contains($0.key) && isShowable($0.value, key: $0.key, shown: shown, reporting: findings)
            }
        } catch {
            findings.warn(error)
            return nil
        }
    }

    private static func parsed(_ bytes: [UInt8], shown: String) throws(BundleError) -> [String: String] {
        do throws(PropertyListFailure) {
            return try StringsFile.texts(bytes)
        } catch {
            throw fault(
                shown, key: nil, what: "is not a file of translations: \(error)",
                remedy: "write lines of the form \"key\" = \"text\"; or a property list")
        }
    }

    private static func isShowable(
        _ text: String, key: String, shown: String, reporting findings: FindingCollector
    ) -> Bool {
        if !text.isEmpty, text.utf8.count <= longest, text.unicodeScalars.allSatisfy(ShownText.isShowable) {
            if let deception = ShownText.deception(in: text) {
                findings.warn(
                    fault(
                        shown, key: key, what: "is \(Escaped(text)), which \(deception)",
                        remedy: "write it in one alphabet"))
            }
            return true
        }
        findings.warn(
            fault(
                shown, key: key,
                what: "is empty, longer than \(longest) bytes, or holds characters that cannot be shown",
                remedy: "give it a short text without control characters"))
        return false
    }

    private static func fault(_ file: String, key: String?, what: String, remedy: String) -> BundleError {
        BundleError(.p6, file: file, key: key, what: what, remedy: remedy)
    }
}
