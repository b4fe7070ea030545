internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import AnnexTransferWire
internal import Glibc

/// Finds the addresses of servers for the agent, which has no resolver of its own. Addresses of this machine and of the
/// local link are never among them, whatever the name is. So the broker decides, also after each redirect, which servers
/// a transfer reaches.
///
/// A grant can name machines. Then the transfers of its member reach those machines only.
struct TransferNames: Sendable {
    /// The machines that the grant of a member names now; nil if its transfers may reach all other machines.
    var hosts: @Sendable (_ member: String) -> [HostRule]?
    /// The addresses that the agent got.
    var named = NamedAddresses()
    /// Finds the addresses of a name, of 4 or 16 bytes each.
    var look: @Sendable (_ host: String) -> [[UInt8]] = { Self.addresses(of: $0) }
    /// Whether transfers may reach an address.
    var isAllowed: @Sendable (InternetAddress) -> Bool = { $0.barrier == nil && !OwnAddresses.include($0) }

    /// The addresses that this machine finds for a name, or the address that the text is.
    private static func addresses(of host: String) -> [[UInt8]] {
        if let address = HostAddress.bytes(of: host) { return [address] }
        guard let name = try? HostName(host), case .addresses(let found) = NameLookup.look(up: name) else { return [] }
        return found
    }

    /// Finds the answer to a question. The call waits for name servers.
    /// - Parameter member: the member whose transfer the question is about.
    func found(_ question: TransferQuestion, for member: String) -> TransferAddresses {
        let refused = TransferAddresses(question: question.question, error: .refusedAddress)
        guard isNamed(question, for: member) else { return refused }
        let all = look(question.host).filter { $0.count == 4 || $0.count == 16 }
        // The user may have taken the machine back during the lookup.
        guard isNamed(question, for: member) else { return refused }
        guard !all.isEmpty else { return TransferAddresses(question: question.question, error: .nameNotResolved) }
        let allowed = all.map { InternetAddress(host: $0, port: question.port) }.filter(isAllowed)
            .prefix(TransferLimits.addresses)
        guard !allowed.isEmpty else { return refused }
        named.note(Array(allowed), for: question.key)
        return TransferAddresses(question: question.question, addresses: allowed.map { Self.text($0.host) })
    }

    /// Whether the grant of a member names the machine of a question.
    func isNamed(_ question: TransferQuestion, for member: String) -> Bool {
        guard let rules = hosts(member) else { return true }
        return TransferPlace(host: question.host, port: question.port)?.isNamed(by: rules) ?? false
    }

    private static func text(_ address: [UInt8]) -> String {
        if address.count == 4 { return address.map { "\($0)" }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}

/// The start of this machine.
enum TransferBoot {
    /// A text that is different after each start of the machine; empty if the kernel does not tell it.
    static let identifier: String = {
        let bytes = try? Descriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY).readAll(atMost: 100)
        return String(decoding: bytes ?? [], as: UTF8.self).filter { $0.isHexDigit }
    }()
}
