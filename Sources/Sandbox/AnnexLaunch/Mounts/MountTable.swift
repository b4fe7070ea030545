/// The mounts that this process sees, in the order of `/proc/self/mountinfo`. A later mount hides an earlier one at the
/// same path.
struct MountTable {
    struct Mount {
        /// The file system, as `mountinfo` writes its number.
        let device: String
        /// The directory or file of the file system that is mounted, as a path from the root of the file system.
        let root: [UInt8]
        let point: [UInt8]
        /// The fields behind the dash: the type, the source and the options.
        let system: [String]
    }

    let mounts: [Mount]

    /// - Parameter mountinfo: the bytes of a `mountinfo` file. A user chooses parts of them. So they are split as bytes:
    ///   in a `String`, a space before a combining mark is no space.
    init(_ mountinfo: [UInt8]) {
        mounts = mountinfo.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "))
            let dash = fields.firstIndex { $0.elementsEqual([UInt8(ascii: "-")]) }
            guard fields.count > 4, let dash, fields.count > dash + 1 else { return nil }
            return Mount(
                device: String(decoding: fields[2], as: UTF8.self), root: Self.plain(fields[3]),
                point: Self.plain(fields[4]),
                system: fields[(dash + 1)...].map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// nil if the list could not be read completely. A list of 1 MiB or more is not examined.
    static func read() -> MountTable? {
        TextFile.bytes("/proc/self/mountinfo").flatMap { $0.count < 1 << 20 ? MountTable($0) : nil }
    }

    /// The mount that shows a path without links.
    func mount(showing path: [UInt8]) -> Mount? {
        mounts.filter { Self.isPath(path, within: $0.point) }.reversed().max { $0.point.count < $1.point.count }
    }

    /// Files of one file system, and the path at which this process sees them.
    struct View {
        let device: String
        /// The path from the root of the file system.
        let root: [UInt8]
        let point: [UInt8]

        /// Whether this view shows files of another view, or all of them.
        func lies(in other: View) -> Bool { device == other.device && MountTable.isPath(root, within: other.root) }

        /// The path at which this view shows files of another view, or the directory that holds them; nil if it shows
        /// none of them.
        func path(showing other: View) -> [UInt8]? {
            guard device == other.device else { return nil }
            if MountTable.isPath(other.root, within: root) {
                return MountTable.path(other.root, from: root, to: point)
            }
            return MountTable.isPath(root, within: other.root) ? point : nil
        }
    }

    /// What the mounts show at a path without links.
    func view(of path: [UInt8]) -> View? {
        mount(showing: path).map { mount in
            View(device: mount.device, root: Self.path(path, from: mount.point, to: mount.root), point: path)
        }
    }

    /// What the mounts show at a path, and at each mount point below it.
    func views(within path: [UInt8]) -> [View] {
        let points = mounts.map(\.point).filter { $0 != path && Self.isPath($0, within: path) }
        return ([path] + Set(points)).compactMap(view)
    }

    /// The files at these paths and below them, also those that a later mount hides. Another mount may show them at
    /// another path.
    ///
    /// A file system that is mounted below these paths is theirs, such as /var/log on a server. It is not if an earlier mount
    /// elsewhere shows its files too, or one that shows more of them: then they are a user's files.
    func files(at paths: [[UInt8]]) -> [View] {
        func isInside(_ mount: Mount) -> Bool { paths.contains { Self.isPath(mount.point, within: $0) } }
        let around = paths.flatMap { path in
            mounts.filter { Self.isPath(path, within: $0.point) }.map { mount in
                View(
                    device: mount.device, root: Self.path(path, from: mount.point, to: mount.root), point: path)
            }
        }
        let outside = mounts.enumerated().filter { !isInside($0.element) }
        let inside = mounts.enumerated().filter { place, mount in
            isInside(mount)
                && !outside.contains { other in
                    other.element.device == mount.device && Self.isPath(mount.root, within: other.element.root)
                        && (other.offset < place || other.element.root != mount.root)
                }
        }
        return around
            + inside.map { View(device: $0.element.device, root: $0.element.root, point: $0.element.point) }
    }

    /// All paths at which the mounts show what they show at a path without links, with this path.
    func names(of path: [UInt8]) -> [[UInt8]] {
        guard let files = view(of: path) else { return [path] }
        let others = mounts.compactMap { mount in
            mount.device == files.device && Self.isPath(files.root, within: mount.root)
                ? Self.path(files.root, from: mount.root, to: mount.point) : nil
        }
        return [path] + Set(others).filter { $0 != path }
    }

    /// The other paths at which the mounts show what they show at a path without links, or a part of it.
    func places(showing path: [UInt8]) -> [[UInt8]] {
        guard let files = view(of: path) else { return [] }
        let parts = mounts.filter { $0.device == files.device && Self.isPath($0.root, within: files.root) }
        return (names(of: path) + parts.map(\.point)).filter { $0 != path }
    }

    /// Whether a new file gets the group of its directory, in place of the group of the process that makes it, on a file
    /// system that is mounted at a path or below it.
    func givesDirectoryGroup(within path: [UInt8]) -> Bool {
        let below = mounts.filter { Self.isPath($0.point, within: path) }
        return (below + (mount(showing: path).map { [$0] } ?? [])).contains { mount in
            mount.system.last?.utf8.split(separator: UInt8(ascii: ",")).contains { option in
                Self.groupOptions.contains { option.elementsEqual($0.utf8) }
            } == true
        }
    }

    /// The names of the mount option in ext4 and XFS.
    private static let groupOptions = ["grpid", "bsdgroups"]

    /// Whether a path is `directory` or below it.
    static func isPath(_ path: [UInt8], within directory: [UInt8]) -> Bool {
        guard directory != [slash] else { return true }
        return path.starts(with: directory) && (path.count == directory.count || path[directory.count] == slash)
    }

    /// The path of an object, below one directory in place of another.
    /// - Parameter path: a path within `directory`.
    static func path(_ path: [UInt8], from directory: [UInt8], to other: [UInt8]) -> [UInt8] {
        let rest = path.dropFirst(directory == [slash] ? 0 : directory.count).drop { $0 == slash }
        if rest.isEmpty { return other }
        return (other == [slash] ? [] : other) + [slash] + rest
    }

    private static let slash = UInt8(ascii: "/")

    /// Decodes a path of `mountinfo`. This file shows spaces and similar bytes as a backslash and three octal digits.
    private static func plain(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
