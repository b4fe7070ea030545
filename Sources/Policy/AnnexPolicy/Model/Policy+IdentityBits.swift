/// A program could give a file the mode bits set-user-ID or set-group-ID. If the file's owner or group is another than
/// the program's own, such as root behind an id map, other users could then run the program's code with these rights.
extension Policy {
    /// The first call by which a program under this policy could make such a file; nil if there is none.
    ///
    /// A test proves that no shipped policy allows such a call. So the rules of a policy that was compiled ahead are not
    /// read, because reading them takes longer than a launch.
    package var callForIdentityBits: String? { book.filter == nil ? identityCallOfRules : nil }

    /// The same, from the rules of any policy. If a rule compares the mode in a way that is not understood here, the
    /// rule counts as one that allows the bits.
    var identityCallOfRules: String? {
        IdentityCall.all.first { identityCall in
            guard let call = SystemCall(named: identityCall.name, architecture: architecture) else { return false }
            let allowing = (book.contents.rules[call.number] ?? []).filter { $0.answer == .allow }
            return !allowing.flatMap(\.combinations).allSatisfy(identityCall.isBarred)
        }?.name
    }

    /// The remedy if every entry that allows this call also lets the program set one of the bits. Nil for any other
    /// call.
    func remedyForIdentityBits(number: Int32, arguments: [UInt64]) -> Remedy? {
        guard let call = SystemCall(number: number, architecture: architecture),
            let known = (IdentityCall.all + IdentityCall.ofDirectories).first(where: { $0.name == call.name }),
            known.setsBits(arguments)
        else { return nil }
        return .identityBits(isSeen: known.mode != nil)
    }
}

extension SystemCall {
    /// The registers that an entry for this call must compare, so that it lets the program set none of the bits.
    func registersAboutIdentityBits(_ arguments: [UInt64]) -> [Int] {
        guard let call = IdentityCall.all.first(where: { $0.name == name }) else { return [] }
        return [call.flags, call.makesFile(arguments) ? call.mode : nil].compactMap(\.self)
    }
}

/// A call that can set the mode of a file.
private struct IdentityCall {
    let name: String
    /// The register of the mode; nil if the kernel reads the mode from memory, where no filter can compare it.
    let mode: Int?
    /// The register of the flags of open(2). The kernel reads the mode only if these flags make a file.
    var flags: Int?
    /// Whether the mode also states the kind of the new file.
    var statesKind = false

    static let all = [
        IdentityCall(name: "open", mode: 2, flags: 1), IdentityCall(name: "openat", mode: 3, flags: 2),
        IdentityCall(name: "openat2", mode: nil), IdentityCall(name: "creat", mode: 1),
        IdentityCall(name: "chmod", mode: 1), IdentityCall(name: "fchmod", mode: 1),
        IdentityCall(name: "fchmodat", mode: 2), IdentityCall(name: "fchmodat2", mode: 2),
        IdentityCall(name: "mknod", mode: 1, statesKind: true),
        IdentityCall(name: "mknodat", mode: 2, statesKind: true),
        IdentityCall(name: "io_uring_setup", mode: nil),
    ]

    /// The calls that make a directory. The kernel drops the bits, so a policy may allow them. But a policy that does not
    /// allow them gets no line for a single mode.
    static let ofDirectories = [IdentityCall(name: "mkdir", mode: 1), IdentityCall(name: "mkdirat", mode: 2)]

    /// `S_ISUID` and `S_ISGID`.
    private static let bits: [UInt64] = [0o4000, 0o2000]
    /// `O_CREAT`, and the bit of its own that `O_TMPFILE` has.
    private static let makingFlags: [UInt64] = [0x40, 0x400000]
    private static let kinds: UInt64 = 0o170000
    /// The kinds with which mknod(2) makes a regular file.
    private static let regularKinds: [UInt64] = [0, 0o100000]

    /// Whether a call with these registers sets one of the bits of a regular file, or can do so unseen.
    func setsBits(_ arguments: [UInt64]) -> Bool {
        guard let mode else { return true }
        let value = Self.value(of: mode, in: arguments)
        if statesKind, !Self.regularKinds.contains(value & Self.kinds) { return false }
        return makesFile(arguments) && Self.bits.contains { value & $0 != 0 }
    }

    /// Whether the kernel reads the mode.
    func makesFile(_ arguments: [UInt64]) -> Bool {
        guard let flags else { return true }
        return Self.makingFlags.contains { Self.value(of: flags, in: arguments) & $0 != 0 }
    }

    private static func value(of register: Int, in arguments: [UInt64]) -> UInt64 {
        arguments.indices.contains(register) ? arguments[register] : 0
    }

    /// Whether comparisons that all hold exclude that the call sets one of the bits of a regular file.
    func isBarred(_ combination: [CallRule.Part]) -> Bool {
        func bars(_ bits: [UInt64], in register: Int?) -> Bool {
            bits.allSatisfy { bit in combination.contains { $0.index == register && $0.comparison.bars(bit) } }
        }
        if flags != nil, bars(Self.makingFlags, in: flags) { return true }
        if statesKind, combination.contains(where: { $0.index == mode && Self.isSpecial($0.comparison) }) {
            return true
        }
        return mode != nil && bars(Self.bits, in: mode)
    }

    private static func isSpecial(_ comparison: Comparison) -> Bool {
        guard case .masked(let mask, let value) = comparison, mask & kinds == kinds else { return false }
        return !regularKinds.contains(value & kinds)
    }
}
