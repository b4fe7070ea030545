/// One path that exists inside the sandbox, whichever section of the policy states it.
package struct VisiblePath: Sendable, Hashable {
    package let path: String
    package let rights: PathRights
    let place: PolicyPlace?
    package let reason: String
}

extension Policy {
    /// Everything that is mounted inside the sandbox. A directory comes before the paths below it. The mounts and the
    /// Landlock rules both follow this list.
    package var visiblePaths: [VisiblePath] {
        var visible = paths.grants.map {
            VisiblePath(path: $0.path, rights: $0.rights, place: $0.place, reason: $0.reason)
        }
        if !paths.bundle.isEmpty {
            visible.append(
                VisiblePath(
                    path: PathText.bundle, rights: paths.bundle, place: places[.bundle],
                    reason: "the extension's own bundle"))
        }
        if paths.privateDirectory != .none {
            visible.append(
                VisiblePath(
                    path: paths.privatePath, rights: [.read, .write], place: places[.privateDirectory],
                    reason: "its private directory"))
        }
        if hasSharedMemory {
            visible.append(
                VisiblePath(
                    path: PolicyPaths.sharedMemoryPath, rights: [.read, .write], place: places[.privateDirectory],
                    reason: "shared memory of its own"))
        }
        if paths.processFiles == .minimal {
            visible.append(
                VisiblePath(
                    path: "/proc", rights: .read, place: places[.processFiles], reason: "its own processes"))
        }
        for device in devices {
            visible.append(
                VisiblePath(
                    path: device.path, rights: [.read, .write], place: places[.devices],
                    reason: "a device that leads nowhere"))
        }
        return visible.sorted { $0.path < $1.path }
    }

    /// Whether the sandbox has a directory for `shm_open`: it needs a scratch directory and a `/dev`. The objects are
    /// files there, and count as memory like any other.
    private var hasSharedMemory: Bool {
        if case .scratch = paths.privateDirectory { !devices.isEmpty } else { false }
    }

    /// Whether a minimal `/proc` hides the file: it holds only the files of the sandbox's own processes (`subset=pid`).
    func isHiddenProcessFile(_ path: String) -> Bool {
        guard path.hasPrefix("/proc/"), let first = path.dropFirst(6).split(separator: "/").first else { return false }
        return !["self", "thread-self"].contains(first) && !first.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
