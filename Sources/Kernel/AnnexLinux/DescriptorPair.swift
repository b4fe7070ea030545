internal import CAnnexLinux

/// Two connected ends: a pipe or a pair of sockets.
package struct DescriptorPair: ~Copyable {
    /// A pipe's reading end, or either end of a socket pair.
    package var first: Descriptor
    /// A pipe's writing end, or the other end of a socket pair.
    package var second: Descriptor

    /// A pipe: bytes written to `second` come out of `first`.
    package static func pipe(nonBlocking: Bool = false) throws(SystemError) -> DescriptorPair {
        unsafe try make("pipe2") { unsafe annex_pipe($0, $1, nonBlocking ? 1 : 0) }
    }

    /// A connected pair of Unix sockets that keep message bounds (`SOCK_SEQPACKET`).
    package static func sockets() throws(SystemError) -> DescriptorPair {
        unsafe try make("socketpair") { unsafe annex_socket_pair($0, $1) }
    }

    /// Both ends as a list, so that each can go to its own owner.
    package consuming func list() -> DescriptorList {
        var list = DescriptorList(first)
        list.append(second)
        return list
    }

    private static func make(
        _ call: String, _ body: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) -> Int32
    ) throws(SystemError) -> DescriptorPair {
        var first: Int32 = -1
        var second: Int32 = -1
        // SAFETY: the call writes one number through each pointer and keeps neither.
        _ = try SystemError.check(call, unsafe body(&first, &second))
        return DescriptorPair(first: Descriptor(owning: first), second: Descriptor(owning: second))
    }
}
