internal import AnnexLaunch

/// The AppArmor profile that Ubuntu requires. There, only programs with a profile may make user namespaces, and
/// profiles go by path.
package enum AppArmorProfile {
    static let path = "/etc/apparmor.d/annex-warden"

    /// The profile for the installed warden. All sandboxes are its children.
    static let text = """
        abi <abi/4.0>,
        include <tunables/global>

        profile annex-warden /usr/{local/,}libexec/annex/annex-warden flags=(unconfined) {
          userns,
        }

        """

    /// The command that installs the warden and loads its profile.
    static let installation =
        "annex doctor --print warden | sudo install -D -m 755 /dev/stdin /usr/libexec/annex/annex-warden && "
        + "annex doctor --print apparmor-profile | sudo tee \(path) && sudo apparmor_parser -r \(path); "
        + "or, until the next boot: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
}
