/// A layer of the sandbox that a host may declare dispensable, for machines that do not support it.
///
/// Annex leaves a dispensable layer out only if the machine cannot provide it. The launch report then lists the layer
/// and the cause. The command `annex attack --without LAYER` shows what the remaining layers still stop. The raw value
/// is the layer's name on the command line.
public enum DispensableLayer: String, CaseIterable, Sendable, Hashable {
    /// A Linux namespace: user, mount, process (`pid`), network, IPC, host name (`uts`) or control group.
    case user, mount, pid, network, ipc, uts, cgroup
    /// A root directory of its own, which holds only what the policy lists.
    case root
    /// The removal of all Linux capabilities.
    case capabilities
    /// The flag with which no program can gain rights, for example by a set-uid bit.
    case noNewPrivileges = "no-new-privileges"
    /// Landlock, seccomp, and a session keyring without permissions.
    case landlock, seccomp, keyring
    /// Clocks that do not reveal when the machine was started.
    case time
    /// Speculation that leaks data is switched off. While the extension runs on a core, no other program runs on the
    /// core's sibling threads. Caches stay shared. Annex applies the controls that the machine offers. A missing
    /// control never fails a launch, even if this layer is not dispensable.
    case speculation
}
