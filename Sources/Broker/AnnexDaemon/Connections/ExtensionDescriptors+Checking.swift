internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc

extension ExtensionDescriptors {
    /// Accepts the three descriptors of a launch if they are valid ends of a channel. None of the checks accesses a
    /// file system, because a client's own file system might never answer.
    static func checked(_ handed: HandedOver, for identifier: String) throws(BrokerError) -> ExtensionDescriptors {
        guard handed.count == ServiceWire.launchDescriptors, let control = handed.popFirst(),
            let host = handed.popFirst(), let other = handed.popFirst()
        else { throw fault("\(handed.count) descriptors instead of \(ServiceWire.launchDescriptors)", for: identifier) }
        let fault =
            controlFault(control) ?? regionFault(host, wanted: .oneWriter, isReadOnly: true)
            ?? regionFault(other, wanted: .fixedSize, isReadOnly: false)
        if let fault {
            _ = HandedOver(control: control, hostRegion: host, extensionRegion: other, closing: handed)
            throw self.fault(fault, for: identifier)
        }
        return ExtensionDescriptors(control: control, hostRegion: host, extensionRegion: other)
    }

    private static func controlFault(_ control: borrowing Descriptor) -> String? {
        LocalSocket.isControl(control)
            ? nil : "the control socket is not a connected socket that keeps message boundaries"
    }

    private static func regionFault(
        _ region: borrowing Descriptor, wanted: Seals, isReadOnly: Bool
    ) -> String? {
        let name = isReadOnly ? "the host's region" : "the extension's region"
        guard let seals = try? region.seals() else { return "\(name) is not memory that can be sealed" }
        guard seals.isSuperset(of: wanted) else { return "\(name) lacks a required seal" }
        guard region.isPlainSharedMemory, let status = try? region.status(), status.kind == .regular else {
            return "\(name) is not ordinary memory"
        }
        guard (1...largestRegion).contains(status.size) else {
            return "\(name) has an invalid size of \(status.size) bytes"
        }
        guard (try? region.isReadOnly()) == isReadOnly else {
            return "\(name) is \(isReadOnly ? "writable" : "read-only")"
        }
        return nil
    }

    /// The size of a ring of 256 MiB, an arena of 4 MiB and a page.
    private static var largestRegion: Int64 { 260 << 20 | 4096 }

    private static func fault(_ what: String, for identifier: String) -> BrokerError {
        BrokerError(
            .system, what: "the descriptors are not a channel: \(what)", place: identifier,
            remedy: "launch the extension with the library AnnexHost")
    }
}

extension HandedOver {
    /// Takes the descriptors that failed the check, so that the closing lane of `handed` closes them.
    fileprivate convenience init(
        control one: consuming Descriptor, hostRegion other: consuming Descriptor,
        extensionRegion third: consuming Descriptor,
        closing handed: HandedOver
    ) {
        var list = DescriptorList(one)
        list.append(other)
        list.append(third)
        self.init(list, closing: handed.closing)
    }
}
