import AnnexLinux
import AnnexTestSupport
import Glibc

/// Counts of resources. They must be the same before a host launches sandboxes and after all of them have ended.
struct Counts: CustomStringConvertible {
    let descriptors: Int
    let wardenDescriptors: Int
    let mounts: Int
    let children: Int

    init(warden: Int32) {
        descriptors = Self.names(in: "/proc/self/fd").count
        wardenDescriptors = Self.names(in: "/proc/\(warden)/fd").count
        mounts = ProcText.mountsOfAnnex().count
        children =
            Self.names(in: "/proc").filter { name in
                guard Int32(name) != nil else { return false }
                return Self.field(1, ofStat: Self.text(of: "/proc/\(name)/stat")) == "\(warden)"
            }.count
    }

    /// The counts need not be equal. The remains of an end are released a little later, so the first count may have
    /// been higher.
    func isNoMore(than other: Counts) -> Bool {
        descriptors <= other.descriptors && wardenDescriptors <= other.wardenDescriptors && mounts <= other.mounts
            && children <= other.children
    }

    var description: String {
        "descriptors \(descriptors), the warden's \(wardenDescriptors), mounts \(mounts), its children \(children)"
    }

    static func state(of process: Int32) -> String? {
        field(0, ofStat: text(of: "/proc/\(process)/stat"))
    }

    /// The fields are counted from the end of the name, because the name may contain any characters.
    private static func field(_ index: Int, ofStat text: String) -> String? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return index < fields.count ? String(fields[index]) : nil
    }

    private static func text(of path: String) -> String {
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(atMost: 1 << 20) else {
            return ""
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
