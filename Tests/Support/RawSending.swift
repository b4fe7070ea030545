import AnnexLinux
import Glibc

/// Sends a message as a hostile peer does, beyond every bound of `ControlSocket.send`.
/// - Returns: the return value of sendmsg(2).
public func sendMany(_ socket: Int32, _ bytes: [UInt8], _ descriptors: [Int32]) -> Int {
    var bytes = bytes
    var control = [UInt8](repeating: 0, count: (16 + descriptors.count * 4 + 7) / 8 * 8)
    control.withUnsafeMutableBytes { room in
        room.storeBytes(of: UInt(16 + descriptors.count * 4), as: UInt.self)
        room.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
        room.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
        for (index, number) in descriptors.enumerated() {
            room.storeBytes(of: number, toByteOffset: 16 + index * 4, as: Int32.self)
        }
    }
    return bytes.withUnsafeMutableBytes { bytes in
        control.withUnsafeMutableBytes { room in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                message.msg_control = room.baseAddress
                message.msg_controllen = room.count
                return sendmsg(socket, &message, 0)
            }
        }
    }
}
