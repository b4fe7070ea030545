internal import CAnnexPolicies

/// The texts that this library carries as constants of the program.
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

    /// The expectations about the shipped policies.
    // SAFETY: this list too is the program's own constant and ends with a null name.
    package static let expectations = unsafe all(annex_expectations_at)
}
