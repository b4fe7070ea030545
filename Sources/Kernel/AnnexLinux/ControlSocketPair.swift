/// Both ends of a control socket.
package struct ControlSocketPair: ~Copyable, Sendable {
    package var host: ControlSocket
    package var peer: ControlSocket

    package init() throws(SystemError) {
        let pair = try DescriptorPair.sockets()
        host = ControlSocket(owning: pair.first)
        peer = ControlSocket(owning: pair.second)
    }
}
