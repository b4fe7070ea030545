extension PolicyLibrary {
    /// A number that differs when a text differs that the policy is made of: its own, or one that it includes.
    ///
    /// It finds a policy that was changed and not compiled again. Against forgery it is no help.
    package func digest(ofPolicy name: String) throws(PolicyError) -> UInt64 {
        // FNV-1a.
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for document in try documents(ofPolicy: name, for: .current) {
            for part in [document.name, text(named: document.name) ?? ""] {
                for byte in part.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
                // No byte of a text: where one ends and the next begins counts too.
                digest = (digest ^ 0xFF) &* 0x100_0000_01b3
            }
        }
        return digest
    }
}
