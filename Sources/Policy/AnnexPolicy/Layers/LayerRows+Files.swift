extension LayerRows {
    /// The rows about the rights that each path gives and withholds.
    var grantRows: [LayerTable.Row] {
        policy.visiblePaths.flatMap { visible in
            let missing = PathRights([.read, .write, .execute]).subtracting(visible.rights)
            return visible.rights.each.map { given(visible, right: $0) }
                + missing.each.map { withheld(visible, right: $0) }
        }
    }

    private func given(_ visible: VisiblePath, right: PathRights) -> LayerTable.Row {
        LayerTable.Row(
            .granted(path: visible.path, right), at: visible.place,
            parts: [.root: .whole, .landlock: .whole, .seccomp: .none("seccomp cannot read paths")])
    }

    private func withheld(_ visible: VisiblePath, right: PathRights) -> LayerTable.Row {
        LayerTable.Row(
            .withheld(path: visible.path, right), at: visible.place,
            parts: [
                .mount: mountPart(right), .landlock: landlockPart(visible, right: right),
                .seccomp: right == .write
                    ? writingPart : .none("seccomp cannot read paths"),
            ])
    }

    private func mountPart(_ right: PathRights) -> LayerPart {
        switch right {
        case .write: .whole
        case .execute: .partly("programs and mappings; not what an interpreter reads")
        default: .none("a mount cannot forbid reading")
        }
    }

    /// How far Landlock withholds a right. Landlock adds up the rights of all directories above a path.
    private func landlockPart(_ visible: VisiblePath, right: PathRights) -> LayerPart {
        let outer = policy.visiblePaths.last {
            $0.path != visible.path && PathText.isPath(visible.path, within: $0.path) && $0.rights.contains(right)
        }
        if let outer { return .none("a Landlock rule cannot remove a right that \(outer.path) gives") }
        switch right {
        case .write: return .partly("contents; not modes, owners, times, attributes or locks")
        case .execute: return .partly("programs; not mappings, nor what an interpreter reads")
        default: return .whole
        }
    }

    private var writingPart: LayerPart {
        let opening: [UInt64] = [1, 2, 0o100, 0o1000]
        let opens = opening.allSatisfy { flags in
            denies([
                ("openat", [0, 0, flags, 0, 0, 0]), ("open", [0, flags, 0, 0, 0, 0]),
                ("openat", [0, 0, flags | 0o2000000, 0, 0, 0]), ("open", [0, flags | 0o2000000, 0, 0, 0, 0]),
            ])
        }
        guard opens else { return .none("seccomp cannot read paths") }
        return seccompPart(CallGroup.changing, sees: "seccomp cannot read paths")
    }

    /// The rows about the host's other files, the private directory, devices and `/proc`.
    var fileRows: [LayerTable.Row] {
        PolicyStatement.FileUse.allCases.map(otherFilesRow)
            + privateRows + [deviceRow, processFilesRow].compactMap { $0 }
    }

    private func otherFilesRow(_ use: PolicyStatement.FileUse) -> LayerTable.Row {
        let (group, landlock): (CallGroup, LayerPart) =
            switch use {
            case .contents: (.contents, .whole)
            case .existence: (.existence, .none("Landlock does not check stat, access, readlink or chdir"))
            case .attributes: (.attributes, .none("Landlock does not check chmod, chown, utimensat or setxattr"))
            case .sockets: (.sockets, .none("Landlock checks sockets that are files only from ABI 9"))
            }
        return LayerTable.Row(
            .otherFiles(use),
            parts: [
                .root: .whole, .landlock: landlock, .seccomp: seccompPart(group, sees: "seccomp cannot read paths"),
            ])
    }

    private var privateRows: [LayerTable.Row] {
        let persistent = LayerTable.Row(
            .privateSize, at: policy.places[.privateDirectory], elsewhere: "a watch of its size",
            parts: [.root: .none("a directory on disk has no size limit of its own")])
        let scratch = LayerTable.Row(.scratchSize, at: policy.places[.privateDirectory], parts: [.root: .whole])
        return (policy.paths.persistent == nil ? [] : [persistent]) + (policy.paths.scratch == nil ? [] : [scratch])
    }

    private var deviceRow: LayerTable.Row? {
        LayerTable.Row(
            .otherDevices, at: policy.places[.devices],
            parts: [
                .root: .whole, .landlock: .whole,
                .capabilities: .partly("making nodes; not opening existing nodes"),
                .mount: .partly("nodes on granted paths (nodev)"),
                .seccomp: seccompPart(.devices, sees: "seccomp cannot read paths"),
            ])
    }

    private var processFilesRow: LayerTable.Row? {
        // With `proc: full`, the policy withholds only writing to `/proc`. The row about the path `/proc` states that
        // already.
        guard policy.paths.processFiles != .full else { return nil }
        let isThere = policy.paths.processFiles == .minimal
        return LayerTable.Row(
            .processFiles, at: policy.places[.processFiles],
            parts: [
                .root: .whole,
                .pid: isThere
                    ? .partly("which processes are shown; not the kernel's own files")
                    : .none("a process namespace withholds no files"),
                .landlock: isThere
                    ? .partly("writing; not which files exist") : .partly("opening; not whether a file exists"),
                .seccomp: seccompPart(.contents, sees: "seccomp cannot read paths"),
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
