/// What Ubuntu's AppArmor wants: user namespaces are for programs that have a profile, and profiles go by path.
enum AppArmorProfile {
    static let path = "/etc/apparmor.d/annex-warden"

    /// For the installed warden, of which all sandboxes are children.
    static let text = """
        abi <abi/4.0>,
        include <tunables/global>

        profile annex-warden /usr/{local/,}libexec/annex/annex-warden flags=(unconfined) {
          userns,
        }

        """

    /// Where the warden has its place and its profile is loaded.
    static let installation =
        "annex doctor --print warden | sudo install -D -m 755 /dev/stdin /usr/libexec/annex/annex-warden && "
        + "annex doctor --print apparmor-profile | sudo tee \(path) && sudo apparmor_parser -r \(path); "
        + "or, until the next boot: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
}
