// A member imports only this module, and gets the values and the errors with it.
@_exported public import AnnexModel
@_exported public import AnnexPortal

/// An app group: data that an extension and apps of the same maker share.
///
/// The extension and its containing app both declare the group in their entitlements, the team that signed the app owns the
/// group, and the user grants the entitlement. Apple's counterpart is
/// `FileManager.containerURL(forSecurityApplicationGroupIdentifier:)`.
///
/// ```swift
/// let group = try AppGroup("group.com.example.todo")
/// let list = group.path + "/list.txt"
/// ```
public struct AppGroup: Sendable {
    /// The group's identifier, such as `group.com.example.todo`.
    public var identifier: String { joined.identifier }
    /// The absolute path of the group's directory. Members can read and write it, and no other extension can reach it.
    ///
    /// Its limits are 256 MiB and 16,384 files. An extension that exceeds them is ended with the reason `diskLimit`.
    public var path: String { joined.container }

    package let joined: JoinedGroup

    /// Joins a group.
    ///
    /// The first call in a process asks the broker; later calls for the same group do not.
    /// - Throws: `PortalError.Code.unavailable` if no group is open to this process; `notMember` if this one is not.
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
