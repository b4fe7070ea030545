package import AnnexPolicy
internal import AnnexWarden

/// The layers of a sandbox, either as a plan requests them or as a launch reports them. If the machine cannot provide a
/// layer, the launch fails. No layer is left out silently.
package struct SandboxLayers: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let user = SandboxLayers(rawValue: 1 << 0)
    package static let mount = SandboxLayers(rawValue: 1 << 1)
    package static let process = SandboxLayers(rawValue: 1 << 2)
    package static let network = SandboxLayers(rawValue: 1 << 3)
    package static let ipc = SandboxLayers(rawValue: 1 << 4)
    package static let hostname = SandboxLayers(rawValue: 1 << 5)
    package static let controlGroup = SandboxLayers(rawValue: 1 << 6)
    /// The sandbox's own root, which holds only the files that the plan lists.
    package static let root = SandboxLayers(rawValue: 1 << 7)
    /// Every capability is dropped permanently.
    package static let capabilities = SandboxLayers(rawValue: 1 << 8)
    package static let noNewPrivileges = SandboxLayers(rawValue: 1 << 9)
    package static let landlock = SandboxLayers(rawValue: 1 << 10)
    package static let seccomp = SandboxLayers(rawValue: 1 << 11)
    /// The keyring of the host's session is not accessible.
    package static let keyring = SandboxLayers(rawValue: 1 << 12)

    /// Clocks that do not reveal the time at which the machine was started.
    package static let time = SandboxLayers(rawValue: 1 << 13)

    /// Controls against side channels of the processor, as far as the machine offers them.
    package static let speculation = SandboxLayers(rawValue: 1 << 14)

    /// The sandbox's own `/proc`, if the policy gives one.
    package static let processFiles = SandboxLayers(rawValue: 1 << 15)

    /// The broker hears of denied calls.
    package static let listener = SandboxLayers(rawValue: 1 << 16)

    package static let all = SandboxLayers(rawValue: (1 << 17) - 1)

    private static let names = [
        "user namespace", "mount namespace", "process namespace", "network namespace", "IPC namespace",
        "host name namespace", "control group namespace", "own root", "no capabilities", "no new privileges",
        "Landlock", "seccomp", "keyring", "time namespace", "speculation control", "own process files",
        "reports of denied calls",
    ]

    /// The names of the layers, in the order of their bits.
    package var list: [String] {
        Self.names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }.map(\.element)
    }
}

extension SandboxLayers {
    /// `SandboxLayer` and this type list the layers in the same order, which is the order of the warden's bits.
    package init(_ layer: SandboxLayer) {
        self.init(rawValue: 1 << UInt32(SandboxLayer.allCases.firstIndex(of: layer) ?? 0))
    }
}

/// Controls against side channels of the processor. The warden found these controls on this machine. They are in force
/// in each sandbox that has the layer `speculation`. The bits are those of `annex_speculation.h`.
package struct SpeculationControls: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let storeBypass = SpeculationControls(rawValue: 1 << 0)
    package static let indirectBranches = SpeculationControls(rawValue: 1 << 1)
    /// No other program runs on the sibling threads of the sandbox's core while the sandbox runs.
    package static let core = SpeculationControls(rawValue: 1 << 2)

    /// The names of the controls, in the order of the bits. If the launch step `speculation` fails, the warden
    /// reports the index of the failed control in this list.
    static let names = ["store bypass", "indirect branches", "core scheduling"]
}

extension SpeculationControls: CustomStringConvertible {
    /// The names of the controls, for example `store bypass, core scheduling`.
    package var description: String {
        let known = Self.names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }.map(\.element)
        return known.isEmpty ? "this machine offers none" : known.joined(separator: ", ")
    }
}
