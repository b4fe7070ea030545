internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension Launcher {
    /// Makes a shared directory visible in the sandbox. No file in it can be executed.
    func addShared(_ directory: SharedDirectory, user: UInt32, to plan: inout LaunchPlan) throws(SandboxError) {
        guard plan.layers.contains(.root) else {
            throw SandboxError("shared directory", cause: "the sandbox has no root of its own to show it in")
        }
        try SandboxError.step("shared directory") { () throws(SystemError) in
            var access: BindAccess = [.writable, .noExecute]
            var index: Int?
            if let map = try map(of: directory, to: user) {
                access.insert(.owned)
                index = plan.add(map: map)
            }
            try plan.bind(directory.descriptor.duplicate(), at: directory.path, access: access, map: index)
        }
        guard plan.layers.contains(.landlock), let landlock else { return }
        plan.landlock.rules.append(LandlockRules.Rule(directory.path, access: landlock.known(.owning)))
    }

    /// The id map through which the files of the directory's owner belong to the process; nil if the process runs as
    /// this owner.
    private func map(of directory: SharedDirectory, to user: UInt32) throws(SystemError) -> Descriptor? {
        guard hasUsersToGive, user != directory.owner else { return nil }
        guard try takesMaps(directory) else {
            throw SystemError(
                "mount_setattr", errno: EOPNOTSUPP, path: directory.path,
                remedy: "keep the app groups on a file system that takes id maps, such as ext4, xfs, btrfs or tmpfs")
        }
        return try maps.map(.single(owner: directory.owner, user: user))
    }

    private func takesMaps(_ directory: SharedDirectory) throws(SystemError) -> Bool {
        guard gives(.user) else { return false }
        return try owner(directory.owner, of: directory.descriptor).isMapped
    }
}
