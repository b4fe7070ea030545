internal import AnnexLinux
package import AnnexPolicy

/// A seccomp profile of a container engine, with the calls added that Annex needs to make sandboxes in the container.
///
/// Everything else of the profile stays as its file states it.
package struct WidenedProfile: Sendable {
    /// The new profile as JSON.
    package let text: String

    /// The calls of the warden that engines withhold from a container without CAP_SYS_ADMIN, or that older profiles do not
    /// know.
    package static let calls = [
        "clone", "clone3", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount",
        "fsopen", "fsconfig", "fsmount", "mount_setattr", "sethostname", "setdomainname", "keyctl", "seccomp",
        "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "openat2", "close_range", "execveat",
        "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "process_vm_readv",
    ]

    private static let comment = "Annex makes sandboxes inside the container with these calls."

    /// - Parameters:
    ///   - bytes: the bytes of the engine's profile, which are untrusted.
    ///   - file: the file's name for messages.
    package init(json bytes: [UInt8], file: String) throws(PolicyError) {
        let root = try JSONReader.read(bytes, file: file)
        guard case .object(let entries) = root.value, entries.contains(where: { $0.key == "defaultAction" }) else {
            throw root.error("is no seccomp profile: it states no `defaultAction`")
        }
        guard entries.contains(where: { $0.key == "syscalls" }) else { throw root.error("states no `syscalls`") }
        var members: [JSON.Member] = []
        for entry in entries {
            let value = entry.key == "syscalls" ? try Self.widened(entry.value) : JSON(entry.value)
            members.append(.init(entry.key, value: value))
        }
        text = JSON.object(members).written
    }

    /// The entries without the added calls, and then one entry that allows all of these calls. If a call stayed in an
    /// entry with another answer, the engine would refuse the profile.
    private static func widened(_ node: JSONNode) throws(PolicyError) -> JSON {
        var entries: [JSON] = []
        for entry in try node.list() {
            guard case .object(let members) = entry.value else { throw entry.error("must be an object") }
            if let rest = try withoutCalls(members) { entries.append(.object(rest)) }
        }
        entries.append(
            .object([
                .init("names", value: .texts(calls)), .init("action", value: .text("SCMP_ACT_ALLOW")),
                .init("comment", value: .text(comment)),
            ]))
        return .list(entries)
    }

    /// The members of an entry without the added calls; nil if the entry names no other call.
    private static func withoutCalls(_ members: [JSONNode.Entry]) throws(PolicyError) -> [JSON.Member]? {
        var rest: [JSON.Member] = []
        for member in members {
            switch member.key {
            case "name" where calls.contains(try member.value.text()): return nil
            case "names":
                let names = try member.value.texts().filter { !calls.contains($0) }
                if names.isEmpty { return nil }
                rest.append(.init(member.key, value: .texts(names)))
            default: rest.append(.init(member.key, value: JSON(member.value)))
            }
        }
        return rest
    }
}

extension JSON {
    /// The same value as the file states it.
    fileprivate init(_ node: JSONNode) {
        self =
            switch node.value {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .number(let text): .numeral(text)
            case .text(let text): .text(text)
            case .list(let nodes): .list(nodes.map { JSON($0) })
            case .object(let entries): .object(entries.map { .init($0.key, value: JSON($0.value)) })
            }
    }
}
