extension PolicyLibrary {
    /// A number that changes if one of the texts changes that the policy is made of: its own, or one that it includes.
    ///
    /// It detects a policy that was changed and not compiled again. It gives no protection against forgery.
    package func digest(ofPolicy name: String) throws(PolicyError) -> UInt64 {
        // FNV-1a.
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for document in try documents(ofPolicy: name, for: .current) {
            for part in [document.name, text(named: document.name) ?? ""] {
                for byte in part.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
                // 0xFF occurs in no UTF-8 text, so this separator makes the boundary between two texts count.
                digest = (digest ^ 0xFF) &* 0x100_0000_01b3
            }
        }
        return digest
    }
}
