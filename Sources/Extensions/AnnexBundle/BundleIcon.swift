internal import AnnexLinux
public import AnnexModel

/// An icon of an app or extension, as an open file. Annex checked the picture's kind and size, as the file's header
/// states them.
///
/// The picture data after the header is not trusted, like all contents of a bundle. A host should decode the data in a
/// sandbox.
public struct BundleIcon: ~Copyable, Sendable {
    /// The picture, open for reading.
    public let file: BundleFile
    /// The kind of the picture. It is always `public.png`.
    public let type: TypeIdentifier
    /// The width in pixels, 1 to 1,024, as the header states it.
    public let width: Int
    /// The height in pixels, 1 to 1,024, as the header states it.
    public let height: Int
    /// Whether a host draws the icon in one colour. If so, only the shape of the icon's opaque parts matters.
    public let isTemplate: Bool
    /// The path to show in messages.
    let shown: String

    /// Copies the picture, so that later changes of the file do not affect it.
    ///
    /// - Throws: a `BundleError` if the file is no longer a valid icon, or if the size of the icon has changed.
    public func bytes() throws(BundleError) -> [UInt8] {
        let bytes = try file.bytes(atMost: Int(IconLimits.bytes), shown: shown, rule: .p6)
        let fault = IconLimits.fault(in: Array(bytes.prefix(PNGHeader.size)), length: Int64(bytes.count))
        if let fault { throw BundleError(.p6, file: shown, what: fault.what, remedy: fault.remedy) }
        guard let header = PNGHeader(bytes), header.width == width, header.height == height else {
            throw BundleError(.p6, file: shown, what: "changed while it was read", remedy: "read the icon again")
        }
        return bytes
    }
}

/// Which icon stands for an extension.
enum IconStyle {
    /// The app's icon, even if the extension has its own icon.
    case app
    /// The app's icon in one colour.
    case template
    /// The extension's own icon. If the extension has none, the app's icon.
    case own

    /// The style of the extensions of an extension point.
    init(point: String) {
        switch point {
        case "com.apple.share-services": self = .app
        case "com.apple.ui-services": self = .template
        default: self = .own
        }
    }
}

/// Finds and checks the icon that a property list names.
///
/// Only PNG is accepted. SVG is refused, because an SVG file can contain links and scripts, and its size has no bound.
struct IconReader {
    private let info: InfoDictionary
    private static let key = "CFBundleIconFile"

    init(_ info: InfoDictionary) {
        self.info = info
    }

    /// The icon; nil if the property list does not name an icon.
    func icon(in bundle: borrowing BundleDirectory, isTemplate: Bool) throws(BundleError) -> BundleIcon? {
        guard let name = try name() else { return nil }
        let suffixes = name.hasSuffix(".png") ? [""] : [".png", "@2x.png", "@3x.png", ""]
        for suffix in suffixes {
            let opened = try bundle.openIfPresent(name + suffix, rule: .p6, kind: .regular)
            if let file = opened {
                return try checked(file, shown: bundle.shown(name + suffix), isTemplate: isTemplate)
            }
        }
        throw info.fault(
            Self.key, what: "names \(Escaped(name)), which is missing", rule: .p6,
            remedy: "add the file \(Escaped(name)).png")
    }

    /// The name of the picture. If the property list names pictures of several sizes, the last picture is used, because
    /// such lists begin with the smallest size.
    private func name() throws(BundleError) -> String? {
        if let name = try info.text(Self.key, rule: .p6) { return name }
        let primary = try info.dictionary("CFBundleIcons")?.dictionary("CFBundlePrimaryIcon")
        for list in [primary?.values["CFBundleIconFiles"], info.values["CFBundleIconFiles"]] {
            guard let list else { continue }
            guard let names = list.array, let name = names.last?.string, !name.isEmpty, name.utf8.count <= 255,
                name.unicodeScalars.allSatisfy(ShownText.isShowable)
            else {
                throw info.fault(
                    "CFBundleIconFiles", what: "is not an array of names", rule: .p6, remedy: "list names of pictures")
            }
            return name
        }
        return nil
    }

    private func checked(
        _ file: consuming BundleFile, shown: String, isTemplate: Bool
    ) throws(BundleError) -> BundleIcon {
        let start = try file.start(count: PNGHeader.size, shown: shown, rule: .p6)
        if let fault = IconLimits.fault(in: start, length: file.status.size) {
            throw BundleError(.p6, file: shown, what: fault.what, remedy: fault.remedy)
        }
        guard let header = PNGHeader(start) else {
            throw BundleError(.p6, file: shown, what: "is not a PNG picture", remedy: "convert it to PNG")
        }
        return BundleIcon(
            file: file, type: .png, width: header.width, height: header.height, isTemplate: isTemplate, shown: shown)
    }
}
