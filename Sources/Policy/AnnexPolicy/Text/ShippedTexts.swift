internal import CAnnexPolicies

/// Texts that this library carries as constants of the program.
enum ShippedTexts {
    /// Every text by its name, from one of the lists.
    static func all(_ text: (Int) -> annex_policy_text) -> [String: String] {
        var texts: [String: String] = [:]
        for index in 0... {
            let text = unsafe text(index)
            guard let name = unsafe text.name else { break }
            // SAFETY: name and bytes are constants of the program, the bytes as many as told.
            let bytes = unsafe UnsafeBufferPointer(start: text.bytes, count: text.size)
            unsafe texts[String(cString: name)] = String(decoding: bytes, as: UTF8.self)
        }
        return texts
    }

    /// What is expected of the shipped policies.
    // SAFETY: as for the policies.
    static let expectations = unsafe all(annex_expectations_at)
}
