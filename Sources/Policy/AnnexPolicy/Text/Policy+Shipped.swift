internal import CAnnexPolicies
internal import Synchronization

extension PolicyLibrary {
    /// The policies that this library contains, and the fragments, which are additions to policies.
    // SAFETY: both lists are constants of the program and end with a null name.
    public static let shipped = PolicyLibrary(
        texts: unsafe ShippedTexts.all(annex_policy_at), fragments: unsafe ShippedTexts.all(annex_fragment_at))
}

extension Policy {
    /// A policy that this library contains, for example `com.apple.photo-editing`. It is read once per process.
    ///
    /// - Parameters:
    ///   - name: the policy's name, or `NAME+FRAGMENT…` for the policy with the additions of these fragments.
    ///   - architecture: the processor whose calls the policy names.
    /// - Throws: an error if there is no policy or entitlement of that name.
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

/// The texts that this library contains as constants of the program.
package enum ShippedTexts {
    /// Every text by its name, from one of the lists.
    static func all(_ text: (Int) -> annex_policy_text) -> [String: String] {
        var texts: [String: String] = [:]
        for index in 0... {
            let text = unsafe text(index)
            guard let name = unsafe text.name else { break }
            // SAFETY: name and bytes are constants of the program, and `size` is the number of bytes.
            let bytes = unsafe UnsafeBufferPointer(start: text.bytes, count: text.size)
            unsafe texts[String(cString: name)] = String(decoding: bytes, as: UTF8.self)
        }
        return texts
    }

    /// The texts of the expectations about the shipped policies and entitlements. An expectation states a call or path
    /// that the policy or entitlement must allow or deny. `annex policy test` checks the expectations.
    // SAFETY: this list is also a constant of the program and ends with a null name.
    package static let expectations = unsafe all(annex_expectations_at)

    /// The texts of the extension points.
    // SAFETY: this list is also a constant of the program and ends with a null name.
    package static let points = unsafe all(annex_point_at)

    /// The texts of the tables of hints.
    // SAFETY: this list is also a constant of the program and ends with a null name.
    package static let hints = unsafe all(annex_hints_at)

    /// The texts of the lists of parts.
    // SAFETY: this list is also a constant of the program and ends with a null name.
    static let parts = unsafe all(annex_parts_at)
}
