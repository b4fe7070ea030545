internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Asks the kernel whether packets to an address would be delivered to this machine itself.
package enum OwnAddresses {
    /// - Returns: false also for an address to which no route leads. A connection to such an address fails by itself.
    package static func include(_ address: InternetAddress) -> Bool {
        let address = address.embedded ?? address
        // SAFETY: the call reads the bytes of the array, and keeps none.
        let isOwn = unsafe address.host.withUnsafeBytes { unsafe annex_host_is_own($0.baseAddress, $0.count) }
        if isOwn >= 0 { return isOwn == 1 }
        // Where the kernel's table of routes cannot be read, the source of packets tells the same for usual routes.
        guard let source = source(towards: address) else { return false }
        // For an address of this machine, the kernel chooses the same address or the loopback address as the source.
        return source.host == address.host || source.barrier == .machine
    }

    /// Whether a route leads to an address.
    static func haveRoute(to address: InternetAddress) -> Bool { source(towards: address) != nil }

    /// The source address that the kernel chooses for packets to an address; nil if no route leads there. This code
    /// connects a datagram socket, which sends nothing.
    private static func source(towards address: InternetAddress) -> InternetAddress? {
        let number = socket(
            address.host.count == 4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard number >= 0 else { return nil }
        let probe = Descriptor(owning: number)
        guard address.connect(probe.number) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 28)
        var count = socklen_t(bytes.count)
        // SAFETY: the kernel writes at most `count` bytes of the array.
        let status = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe getsockname(probe.number, room.baseAddress?.assumingMemoryBound(to: sockaddr.self), &count)
        }
        return status == 0 ? InternetAddress(Array(bytes.prefix(Int(count)))) : nil
    }
}

extension InternetAddress {
    /// Connects a socket to this address.
    ///
    /// - Returns: 0, or -1 if the call failed. In that case `errno` has the reason.
    package func connect(_ socket: Int32) -> Int32 {
        // SAFETY: the bytes outlive the call, which only reads them.
        unsafe bytes.withUnsafeBytes { room in
            unsafe Glibc.connect(
                socket, room.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(room.count))
        }
    }
}
