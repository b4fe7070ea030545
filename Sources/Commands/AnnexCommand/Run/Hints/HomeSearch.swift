import AnnexLinux
import AnnexPolicy
import Glibc

/// What one program keeps in HOME: settings, keys, a history or data.
struct HomeUnit {
    /// The path below HOME.
    let name: String
    /// The only file of the unit, or the directory that contains all its files. A path below HOME.
    let lost: String
    let isDirectory: Bool
}

/// Looks for files that programs keep in HOME. A hostile program may have filled the directory, so no link is followed.
struct HomeSearch {
    /// The names that may still be read.
    private var left = 10_000
    private let isSkipped: (_ name: String) -> Bool
    private let isKnown: (_ name: String) -> Bool

    /// The deepest directory that is looked at, counted from its unit.
    private static let deepest = 16

    /// - Parameters:
    ///   - isSkipped: whether what lies at this path below HOME is no loss.
    ///   - isKnown: whether the caller's home has a directory of this name. Other directories count only if they are
    ///     hidden, because `/tmp` has many directories for temporary files.
    init(skipping isSkipped: @escaping (String) -> Bool, isKnown: @escaping (String) -> Bool) {
        self.isSkipped = isSkipped
        self.isKnown = isKnown
    }

    /// - Parameter place: the path of the directory below HOME; empty for HOME itself.
    mutating func units(in directory: borrowing Descriptor, at place: String = "") -> [HomeUnit] {
        let whole = HomeUnit(name: place, lost: place, isDirectory: true)
        guard let entries = entries(of: directory) else { return place.isEmpty ? [] : [whole] }
        var units: [HomeUnit] = []
        for entry in entries {
            guard let name = entry.name else { continue }
            let path = place.isEmpty ? name : "\(place)/\(name)"
            let isHidden = !place.isEmpty || name.hasPrefix(".")
            if isSkipped(path) || Self.isTemporary(name) || !isHidden && !(entry.isDirectory && isKnown(name)) {
                continue
            }
            if entry.isRegular {
                if Self.isMadeUp(hidden: name) { continue }
                units.append(HomeUnit(name: path, lost: path, isDirectory: false))
            } else if entry.isDirectory {
                units += self.units(ofDirectory: name, in: directory, at: path)
            }
        }
        return units
    }

    private mutating func units(
        ofDirectory name: String, in directory: borrowing Descriptor, at path: String
    ) -> [HomeUnit] {
        guard let inner = Self.open(name, in: directory) else {
            return [HomeUnit(name: path, lost: path, isDirectory: true)]
        }
        if ProgramsHome.shared.contains(path) { return units(in: inner, at: path) }
        return lost(in: inner, at: path).map { [HomeUnit(name: path, lost: $0, isDirectory: true)] } ?? []
    }

    /// The only file below a directory, or the deepest directory that contains all files; nil if there is no file. A
    /// directory that cannot be read counts as a file.
    private mutating func lost(in directory: borrowing Descriptor, at place: String, depth: Int = 0) -> String? {
        guard depth < Self.deepest, let entries = entries(of: directory) else { return place }
        var found: String?
        for entry in entries {
            guard let name = entry.name else { return place }
            let path = "\(place)/\(name)"
            guard entry.isRegular || entry.isDirectory, !isSkipped(path), !Self.isTemporary(name) else { continue }
            var inner: String? = path
            if entry.isDirectory, let opened = Self.open(name, in: directory) {
                inner = lost(in: opened, at: path, depth: depth + 1)
            }
            guard let inner else { continue }
            if found != nil { return place }
            found = inner
        }
        return found
    }

    /// The entries in the order of their names; nil if they cannot be read, or are too many.
    private mutating func entries(of directory: borrowing Descriptor) -> [DirectoryEntry]? {
        guard let entries = try? directory.entries(atMost: left) else { return nil }
        left -= entries.count
        return entries.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    private static func open(_ name: String, in directory: borrowing Descriptor) -> Descriptor? {
        try? directory.openBeneath(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    // MARK: - Names

    /// Whether a file or directory of this name is for temporary use, whichever program made it.
    static func isTemporary(_ name: String) -> Bool {
        let lower = name.lowercased()
        if ["cache", "caches", ".cache", "_cacache", "tmp", ".tmp", "temp", ".temp", "_logs"].contains(lower) {
            return true
        }
        return lower.hasPrefix(".#") || lower.hasPrefix(".nfs")
            || [".tmp", ".temp", ".lock", "-lock", ".lck", ".pid", ".sock", ".swp", "~"].contains(
                where: lower.hasSuffix)
    }

    /// Whether a program probably made up the end of a hidden file's name, as in `.org.chromium.Chromium.aB3dEf`.
    private static func isMadeUp(hidden name: String) -> Bool {
        let parts = name.split { !$0.isLetter && !$0.isNumber }
        guard parts.count > 1, let last = parts.last, last.count >= 6 else { return false }
        return LostFiles.isMadeUp(String(last))
    }
}
