internal import CAnnexPolicies
internal import Synchronization

extension PolicyLibrary {
    /// The policies that travel inside this library.
    public static let shipped = PolicyLibrary(texts: shippedTexts)

    private static var shippedTexts: [String: String] {
        var texts: [String: String] = [:]
        for index in 0... {
            let text = unsafe annex_policy_at(index)
            guard let name = unsafe text.name else { break }
            // SAFETY: name and bytes are constants of the program, the bytes as many as told.
            let bytes = unsafe UnsafeBufferPointer(start: text.bytes, count: text.size)
            unsafe texts[String(cString: name)] = String(decoding: bytes, as: UTF8.self)
        }
        return texts
    }
}

extension Policy {
    /// A policy that travels inside this library, for example `com.apple.photo-editing`; read once per process.
    public static func shipped(
        named name: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        let key = ShippedKey(name: name, architecture: architecture)
        if let known = ShippedKey.read.withLock({ $0[key] }) { return known }
        let policy = try PolicyLibrary.shipped.policy(named: name, for: architecture)
        ShippedKey.read.withLock { $0[key] = policy }
        return policy
    }
}

private struct ShippedKey: Hashable {
    let name: String
    let architecture: Architecture

    static let read = Mutex<[ShippedKey: Policy]>([:])
}
