/// Every technique that a hostile extension will try.
package enum Catalogue {
    /// All attacks, in the order of the sections.
    package static let attacks: [Attack] =
        files + processFiles + namespaces + filters + kernel + descriptors + terminal + signals + sockets + network
        + start + bombs + objects + memory + lifetimes + deputies + seals + sharing + today

    /// The sections by the prefix of their ids.
    package static let sections: [(prefix: String, title: String)] = [
        ("FS", "Filesystem"), ("PROC", "/proc, /sys"), ("NS", "Namespaces"), ("SEC", "Seccomp bypass"),
        ("KERN", "Kernel surface"), ("FD", "Descriptors"), ("TTY", "Terminal and logs"),
        ("SIG", "Signals, ptrace, crash"), ("SOCK", "Unix sockets and bus"), ("NET", "Network"),
        ("START", "Start-up race"), ("BOMB", "Resource bombs"), ("KOBJ", "Kernel memory and objects"),
        ("IPC", "Shared memory and protocol"),
        ("LIFE", "Lifetimes"), ("DEPUTY", "Confused deputy"), ("SEAL", "Signed bundles"),
        ("SHARE", "App groups and URLs"), ("TODAY", "Today view and its page"),
    ]

    package static func attack(_ id: String) -> Attack? { attacks.first { $0.id == id } }
}
