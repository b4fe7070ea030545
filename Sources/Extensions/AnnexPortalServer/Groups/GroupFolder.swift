package import AnnexLinux
internal import Glibc

/// An app group of one user: the team that owns it, and its identifier. Two teams may use the same identifier for two
/// groups.
package struct GroupKey: Sendable, Hashable {
    /// The team's public key, in hexadecimal digits.
    package let team: String
    /// For example `group.com.example.todo`. The text is a well-formed group identifier, so it is safe as a file
    /// name.
    package let identifier: String

    package init(team: String, identifier: String) {
        self.team = team
        self.identifier = identifier
    }
}

/// The limits of a group's files.
package enum GroupLimits {
    /// The most bytes in the container and in the files of transfers together.
    package static let bytes: UInt64 = 256 << 20
}

/// The folder of one group on disk: `@groups/TEAM/IDENTIFIER` below the folder of private directories. No bundle
/// identifier contains an `@`, so no app's folder beside `@groups` can have this name.
///
/// The members of a group are its extensions and apps. Their files are in the folder `container`. Beside `container`
/// are files that only brokers open. A member reaches only the container. The broker also gives it descriptors of
/// some single files. Every path is resolved beneath the folder, and no link is followed.
package struct GroupFolder: ~Copyable, Sendable {
    package static let groups = "@groups"
    private static let container = "container"
    private static let transfers = "transfers"

    package let key: GroupKey
    /// The path of the folder of private directories.
    package let privates: String
    /// The folder's path on the host.
    package let path: String
    package let directory: Descriptor
    /// The folder of the members' files.
    package let container: Descriptor
    /// The folder of the files that belong to background transfers. No member can open it. It lies on the file system of
    /// the container, so that a file changes between both by a rename.
    package let transfers: Descriptor

    /// Opens the folder. If the folder is missing, the call makes it.
    /// - Parameters:
    ///   - privates: the folder of private directories, which belongs to this user.
    ///   - path: the path of `privates`.
    ///   - owner: the user who owns the members' files.
    package init(
        _ key: GroupKey, in privates: borrowing Descriptor, at path: String, owner: UInt32
    ) throws(SystemError) {
        let place = "\(path)/\(Self.groups)/\(key.team)"
        let team = try privates.directory(making: Self.groups).directory(making: key.team)
        try team.checkOwn(place)
        let folder = "\(place)/\(key.identifier)"
        let directory = try team.directory(making: key.identifier)
        try directory.checkOwn(folder)
        let container = try directory.directory(making: Self.container)
        try Self.own(container, by: owner, at: "\(folder)/\(Self.container)")
        let transfers = try directory.directory(making: Self.transfers)
        self.key = key
        self.privates = path
        self.path = folder
        self.directory = directory
        self.container = container
        self.transfers = transfers
    }

    /// The path of the folder with the members' files on the host.
    package var containerPath: String { "\(path)/\(Self.container)" }

    /// Lets the members' user reach the container by its path. Programs outside of a sandbox use this path. Every
    /// folder above the container still belongs to the user of this process, and not to the members' user.
    ///
    /// Apart from the user of this process, only the members' user gets past the folder of private directories. So
    /// the folders below that folder need no access lists.
    /// - Parameter privates: the folder of private directories.
    package static func reveal(
        _ key: GroupKey, in privates: borrowing Descriptor, to user: UInt32
    ) throws(SystemError) {
        try privates.allowSearch(by: user)
        let groups = try privates.openBeneath(Self.groups, O_RDONLY | O_DIRECTORY)
        let team = try groups.openBeneath(key.team, O_RDONLY | O_DIRECTORY)
        let directory = try team.openBeneath(key.identifier, O_RDONLY | O_DIRECTORY)
        try groups.setMode(0o711)
        try team.setMode(0o711)
        try directory.setMode(0o711)
    }

    /// Makes the given user the owner of a new container.
    private static func own(
        _ container: borrowing Descriptor, by owner: UInt32, at path: String
    ) throws(SystemError) {
        let status = try container.status()
        if status.user != owner {
            guard status.user == geteuid() else {
                throw SystemError(
                    "open", errno: EPERM, path: path,
                    remedy: "it belongs to uid \(status.user) instead of \(owner): move it away")
            }
            try container.setOwner(owner, group: owner)
        }
        if status.mode & 0o7777 != 0o700 { try container.setMode(0o700) }
    }
}
