// A program that uses groups needs to import only this module, because this module exports the types of the next two
// modules.
@_exported public import AnnexModel
@_exported public import AnnexPortal

/// An app group: data that an extension and apps of the same maker share.
///
/// The extension and its containing app must both declare the group in their entitlements. The team that signed the app
/// owns the group, and the user grants the entitlement. Apple's counterpart is
/// `FileManager.containerURL(forSecurityApplicationGroupIdentifier:)`.
///
/// ```swift
/// let group = try AppGroup("group.com.example.todo")
/// let list = group.path + "/list.txt"
/// ```
public struct AppGroup: Sendable {
    /// The group's identifier, such as `group.com.example.todo`.
    public var identifier: String { joined.identifier }
    /// The absolute path of the group's directory. Members can read and write this directory, and no other extension
    /// can reach it.
    ///
    /// The limits of the directory are 256 MiB and 16,384 files. If an extension exceeds one of these limits, it is
    /// ended with the reason `diskLimit`.
    public var path: String { joined.container }

    package let joined: JoinedGroup

    /// Joins a group.
    ///
    /// The first call in a process asks the broker. Later calls for the same group do not ask again.
    /// - Throws: `PortalError.Code.unavailable` if no group is open to this process; `notMember` if the process
    ///   is not a member of this group.
    public init(_ identifier: String) throws(PortalError) {
        joined = try JoinedGroup.named(identifier)
    }

    package init(_ joined: JoinedGroup) { self.joined = joined }

    /// The groups that this process is a member of.
    public static var ofThisProcess: [String] {
        get throws(PortalError) {
            try Portal.ofThisProcess().call(GroupMethod.list).decoded(as: NameList.self).names
        }
    }
}
