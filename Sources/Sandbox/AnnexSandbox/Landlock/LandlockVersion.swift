package import AnnexLinux
internal import CAnnexLinux

/// The kernel's Landlock ABI, and every right that it can handle.
///
/// All rights that the kernel knows are handled, so that what no rule grants is refused, also in namespaces where a
/// mount would let it pass.
package struct LandlockVersion: Sendable, Hashable {
    package let abi: Int

    init(abi: Int) {
        self.abi = abi
    }

    /// Asks the kernel. Not having Landlock is an error with its remedy, never a launch without it.
    package static func ofKernel() throws(SystemError) -> LandlockVersion {
        let version = annex_landlock_version()
        guard version > 0 else {
            throw SystemError(
                "landlock_create_ruleset", errno: -version,
                remedy: "boot a kernel with CONFIG_SECURITY_LANDLOCK and `landlock` in the `lsm=` parameter")
        }
        return LandlockVersion(abi: Int(version))
    }

    /// Rights on files: 13 in ABI 1, then renaming across directories (2), truncating (3), device ioctls (5).
    var files: UInt64 {
        var rights = LandlockRights(rawValue: (1 << 13) - 1)
        if abi >= 2 { rights.insert(.refer) }
        if abi >= 3 { rights.insert(.truncate) }
        if abi >= 5 { rights.insert(.deviceIoctl) }
        return rights.rawValue
    }

    /// Binding and connecting TCP ports (4).
    var network: UInt64 { abi >= 4 ? 0b11 : 0 }

    /// Abstract Unix sockets and signals of other domains (6).
    var scopes: UInt64 { abi >= 6 ? 0b11 : 0 }

    /// The rights that a rule may name on this kernel.
    func known(_ rights: LandlockRights) -> UInt64 { rights.rawValue & files }

    /// What this version can, and what only a newer one could.
    var summary: String {
        let rights = 13 + (abi >= 2 ? 1 : 0) + (abi >= 3 ? 1 : 0) + (abi >= 5 ? 1 : 0)
        var text = "ABI \(abi): \(rights) rights on files"
        text += abi >= 4 ? ", TCP ports" : "; TCP ports need ABI 4"
        return text + (abi >= 6 ? ", scopes of abstract sockets and signals" : "; scopes need ABI 6")
    }
}
