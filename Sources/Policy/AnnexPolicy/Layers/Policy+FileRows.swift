extension Policy {
    /// The rows about the rights that each path gives and withholds.
    var grantRows: [LayerTable.Row] {
        visiblePaths.flatMap { visible in
            let missing = PathRights([.read, .write, .execute]).subtracting(visible.rights)
            return visible.rights.each.map { given(visible, $0) } + missing.each.map { withheld(visible, $0) }
        }
    }

    private func given(_ visible: VisiblePath, _ right: PathRights) -> LayerTable.Row {
        LayerTable.Row(
            .granted(path: visible.path, right), at: visible.place,
            [.root: .whole, .landlock: .whole, .seccomp: .none("seccomp sees no path")])
    }

    private func withheld(_ visible: VisiblePath, _ right: PathRights) -> LayerTable.Row {
        LayerTable.Row(
            .withheld(path: visible.path, right), at: visible.place,
            [
                .mount: mountPart(right), .landlock: landlockPart(visible, right),
                .seccomp: right == .write
                    ? writingPart : .none("seccomp sees no path"),
            ])
    }

    private func mountPart(_ right: PathRights) -> LayerPart {
        switch right {
        case .write: .whole
        case .execute: .partly("programs and mappings; not what an interpreter reads")
        default: .none("a mount cannot forbid reading")
        }
    }

    /// Landlock adds up the rights of all directories above a path.
    private func landlockPart(_ visible: VisiblePath, _ right: PathRights) -> LayerPart {
        let outer = visiblePaths.last {
            $0.path != visible.path && PathText.isWithin(visible.path, $0.path) && $0.rights.contains(right)
        }
        if let outer { return .none("a rule cannot take away what \(outer.path) gives") }
        switch right {
        case .write: return .partly("contents; not modes, owners, times, attributes or locks")
        case .execute: return .partly("programs; not mappings, nor what an interpreter reads")
        default: return .whole
        }
    }

    private var writingPart: LayerPart {
        let opening: [UInt64] = [1, 2, 0o100, 0o1000]
        let opens = opening.allSatisfy { flags in
            refuses([
                ("openat", [0, 0, flags, 0, 0, 0]), ("open", [0, flags, 0, 0, 0, 0]),
                ("openat", [0, 0, flags | 0o2000000, 0, 0, 0]), ("open", [0, flags | 0o2000000, 0, 0, 0, 0]),
            ])
        }
        guard opens else { return .none("seccomp sees no path") }
        return seccompPart(CallGroup.changing, sees: "seccomp sees no path")
    }

    /// The rows about the host's other files, the private directory, devices and `/proc`.
    var fileRows: [LayerTable.Row] {
        PolicyStatement.FileUse.allCases.map(otherFilesRow)
            + [privateRow, deviceRow, processFilesRow].compactMap { $0 }
    }

    private func otherFilesRow(_ use: PolicyStatement.FileUse) -> LayerTable.Row {
        let (group, landlock): (CallGroup, LayerPart) =
            switch use {
            case .contents: (.contents, .whole)
            case .existence: (.existence, .none("Landlock is not asked by stat, access, readlink or chdir"))
            case .attributes: (.attributes, .none("Landlock is not asked by chmod, chown, utimensat or setxattr"))
            case .sockets: (.sockets, .none("Landlock is asked about sockets that are files from ABI 9 only"))
            }
        return LayerTable.Row(
            .otherFiles(use),
            [.root: .whole, .landlock: landlock, .seccomp: seccompPart(group, sees: "seccomp sees no path")])
    }

    private var privateRow: LayerTable.Row? {
        switch paths.privateDirectory {
        case .none: nil
        case .scratch:
            LayerTable.Row(.privateSize, at: places[.privateDirectory], [.root: .whole])
        case .persistent:
            LayerTable.Row(
                .privateSize, at: places[.privateDirectory], elsewhere: "a watch",
                [.root: .none("a directory on disk has no bound of its own")])
        }
    }

    private var deviceRow: LayerTable.Row? {
        LayerTable.Row(
            .otherDevices, at: places[.devices],
            [
                .root: .whole, .landlock: .whole,
                .capabilities: .partly("making nodes; not opening those that are there"),
                .mount: .partly("nodes on granted paths (nodev)"),
                .seccomp: seccompPart(.devices, sees: "seccomp sees no path"),
            ])
    }

    private var processFilesRow: LayerTable.Row? {
        let isThere = paths.processFiles == .minimal
        return LayerTable.Row(
            .processFiles, at: places[.processFiles],
            [
                .root: .whole,
                .pid: isThere ? .partly("whose processes are shown; not the kernel's own files") : .none("not a file"),
                .landlock: isThere ? .partly("writing; not which files are there") : .partly("opening; not looking"),
                .seccomp: seccompPart(.contents, sees: "seccomp sees no path"),
            ])
    }
}

extension CallGroup {
    /// Calls, other than opening, that change the file at a path.
    fileprivate static let changing = CallGroup(
        """
        creat truncate mkdir mkdirat mknod mknodat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink \
        symlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat setxattr \
        lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat file_setattr open_by_handle_at \
        openat2 fallocate
        """)
}
