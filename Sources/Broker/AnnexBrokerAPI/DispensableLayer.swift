/// One of the kernel's means that a sandbox is built from, as a host may name it to do without on machines that lack it.
///
/// A layer named so is left out only where the machine cannot give it; the launch report then lists it with the cause.
/// What a sandbox rests on without a layer is in the attack catalogue: `annex attack --without LAYER`. The raw value is
/// the layer's word on the command line.
public enum DispensableLayer: String, CaseIterable, Sendable, Hashable {
    case user, mount, pid, network, ipc, uts, cgroup
    /// A root of its own that holds nothing but what the policy lists.
    case root
    case capabilities
    case noNewPrivileges = "no-new-privileges"
    case landlock, seccomp, keyring
    /// Clocks that do not say when the machine was started.
    case time
    /// Speculation that leaks switched off, and a core of its own while it runs: as far as the machine offers them. What it
    /// does not offer fails no launch, also where this layer is not named.
    case speculation
}
