internal import Glibc

/// The networks of this machine, beside its own loopback and those of the local link.
package enum MachineNetwork {
    /// Whether an interface that runs has an address with which other machines can be reached. True also if the kernel
    /// does not tell.
    package static var isThere: Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        // SAFETY: the call fills the pointer with a list, which is freed once and not used afterwards.
        guard unsafe getifaddrs(&list) == 0 else { return true }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        while let entry = unsafe next {
            // SAFETY: the kernel's list has whole entries, and ends with nil.
            if unsafe isUseful(entry.pointee) { return true }
            unsafe next = entry.pointee.ifa_next
        }
        return false
    }

    private static func isUseful(_ entry: ifaddrs) -> Bool {
        let flags = unsafe entry.ifa_flags
        let wanted = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        guard flags & wanted == wanted, flags & UInt32(IFF_LOOPBACK) == 0, let address = unsafe entry.ifa_addr
        else { return false }
        // SAFETY: the family says which structure the address has.
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: return true
        case AF_INET6:
            let bytes = unsafe UnsafeRawPointer(address).load(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: bytes) { unsafe !($0[0] == 0xfe && $0[1] & 0xc0 == 0x80) }
        default: return false
        }
    }

    /// A socket of netlink that becomes readable when an interface or an address of this machine changes.
    package static func changes() throws(SystemError) -> Descriptor {
        let route: Int32 = 0
        let made = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | O_CLOEXEC | O_NONBLOCK, route)
        let descriptor = Descriptor(owning: try SystemError.check("socket", made >= 0 ? made : -errno))
        // RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR.
        var place = NetlinkAddress(groups: 0x1 | 0x10 | 0x100)
        // SAFETY: the kernel reads the bytes of the structure, and keeps none.
        let result = unsafe withUnsafeBytes(of: &place) { bytes in
            unsafe bind(
                descriptor.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        _ = try SystemError.check("bind", result == 0 ? 0 : -errno)
        return descriptor
    }

    /// The kernel's `sockaddr_nl`.
    private struct NetlinkAddress {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        var process: UInt32 = 0
        var groups: UInt32
    }

    /// Reads all changes that have arrived, without a look at them.
    package static func drain(_ changes: borrowing Descriptor) {
        var room = [UInt8](repeating: 0, count: 1 << 13)
        // SAFETY: the kernel writes at most the array's size. ENOBUFS says that changes were lost, and others follow.
        while unsafe recv(changes.number, &room, room.count, Int32(MSG_DONTWAIT)) > 0 || errno == ENOBUFS {}
    }
}
