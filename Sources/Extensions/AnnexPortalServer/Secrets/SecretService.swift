internal import AnnexLinux
package import AnnexPortal
internal import Glibc
internal import Synchronization

/// The service for the secrets of groups.
package final class SecretService: PortalService {
    /// The keys that the service has found. The dictionary's key is the path of the folder of private directories.
    private let keys = Mutex<[String: SecretKey]>([:])

    package init() {}

    package var name: PortalServiceName { .secrets }

    package func handle(_ call: PortalCall) {
        call.answer { () throws(PortalError) in
            let group = try call.joinedGroup()
            switch call.method {
            case SecretMethod.set: return try set(call.decoded(), in: group)
            case SecretMethod.value: return try value(call.decoded(), in: group)
            case SecretMethod.names:
                let names = try use(group) { (secrets) throws(StoreError) in try secrets.names() }
                return try NameList(names: names).answerBody()
            case SecretMethod.keySource:
                let source = try use(group) { (secrets) throws(StoreError) in secrets.keySource }
                return try NameList(names: [source.shown]).answerBody()
            default: throw .unknownMethod
            }
        }
    }

    private func set(_ value: SecretValue, in group: OpenGroup) throws(PortalError) -> [UInt8] {
        try use(group) { (secrets) throws(StoreError) in
            guard let bytes = value.bytes else {
                try secrets.remove(value.name)
                return
            }
            try secrets.set(value.name, to: bytes)
        }
        return []
    }

    private func value(_ names: NameList, in group: OpenGroup) throws(PortalError) -> [UInt8] {
        guard let name = names.names.first, names.names.count == 1 else {
            throw PortalError(.invalid, what: "the request names \(names.names.count) secrets instead of one")
        }
        let bytes = try use(group) { (secrets) throws(StoreError) in try secrets.value(name) }
        return try SecretValue(name: name, bytes: bytes).answerBody()
    }

    private func use<Result: Sendable>(
        _ group: OpenGroup, _ body: (GroupSecrets) throws(StoreError) -> Result
    ) throws(PortalError) -> Result {
        try group.withStore { (store) throws(StoreError) in
            let sealing = SecretSealing(team: group.key.team, group: group.identifier, key: try key(for: group))
            return try body(GroupSecrets(store, sealing: sealing))
        }
    }

    private func key(for group: OpenGroup) throws(StoreError) -> SecretKey {
        if let known = keys.withLock({ $0[group.privates] }) { return known }
        let found = try SecretKey.find(inPrivates: group.privates, environment: Self.environment)
        keys.withLock { $0[group.privates] = found }
        return found
    }

    private static var environment: [String: String] {
        var values: [String: String] = [:]
        for name in ["CREDENTIALS_DIRECTORY", SecretKey.choiceVariable] {
            // SAFETY: the text is copied before anything can change the environment.
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        return values
    }
}

extension SecretKeySource {
    /// A description of the key's source for a member of a group. The description contains no path of the host.
    fileprivate var shown: String {
        if case .file = self { return "a file of mode 600" }
        return description
    }
}
