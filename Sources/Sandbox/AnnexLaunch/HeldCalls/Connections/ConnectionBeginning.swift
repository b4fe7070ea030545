internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import AnnexRelay
internal import Glibc

/// What the broker reads of a connection, until its bytes may go both ways.
struct ConnectionBeginning: Sendable {
    /// What comes after a look at the sockets.
    enum Step: Sendable {
        /// A socket is not ready.
        case waits
        case goesOn
        /// From now on, bytes go both ways.
        case isOver(forth: RelayFlow, back: RelayFlow)
        /// The program gets these bytes as its last ones, or an error if there are none.
        case refused(HostRefusal, answer: [UInt8])
        /// The program has ended the connection.
        case ended
    }

    /// The machine that the program called, and the port.
    struct Called: Sendable {
        let host: HostRefusal.Host
        let port: UInt16
    }

    private enum Stage {
        /// The name that a TLS client calls. `held` are the bytes of the program, and `back` are bytes for it.
        case name(ClientHello, port: UInt16, held: [UInt8], back: [UInt8])
        /// The server's answer to the message that named it. The server can ask for another message.
        /// `later` are bytes of the program behind its first message.
        case server([UInt8], port: UInt16, unsent: ArraySlice<UInt8>, later: [UInt8], back: [UInt8])
        /// The program's request to the proxy.
        case request([UInt8])
        /// The proxy's answer to the request, whose last bytes it has not got yet.
        case answer([UInt8], to: ProxyRequest, unsent: ArraySlice<UInt8>)
    }

    private var stage: Stage
    /// Whether the server has asked for another message of TLS.
    private var isSecond = false
    private(set) var called: Called?
    private let address: InternetAddress
    private let hosts: NamedHosts

    /// - Returns: nil if nothing is read.
    init?(_ check: NamedHosts.Check, of address: InternetAddress, among hosts: NamedHosts) {
        switch check {
        case .none: return nil
        case .name: stage = .name(ClientHello(), port: address.port, held: [], back: [])
        case .proxy: stage = .request([])
        }
        (self.address, self.hosts) = (address, hosts)
    }

    mutating func advance(from near: RelaySocket, to far: RelaySocket) throws(SystemError) -> Step {
        switch stage {
        case .name(let hello, let port, let held, let back):
            guard let bytes = try Self.read(near, besides: far) else { return .waits }
            if bytes.isEmpty { return .ended }
            return greet(hello, more: bytes, held: held, back: back, port: port)
        case .server(let got, let port, let unsent, let later, let back):
            return try hear(got, port: port, unsent: unsent, later: later, back: back, from: far, to: near)
        case .request(let held):
            guard let bytes = try Self.read(near, besides: far) else { return .waits }
            return bytes.isEmpty ? .ended : ask(held + bytes)
        case .answer(let got, let request, let unsent):
            return try hear(got, of: request, unsent: unsent, from: far, to: near)
        }
    }

    /// The next bytes of a socket, none at its end; nil if there are none yet.
    private static func read(_ socket: RelaySocket, besides other: RelaySocket) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try socket.descriptor.readSome(atMost: 4_096)
        } catch {
            guard error.errno == EAGAIN else { throw error }
            let fault = other.fault()
            if fault != 0 { throw SystemError("connect", errno: fault) }
            return nil
        }
    }

    // MARK: - The name that a TLS client calls

    /// The alert of TLS by which a server says that it does not have a name (RFC 8446).
    private static let unrecognized: [UInt8] = [21, 3, 3, 0, 2, 2, 112]

    private mutating func greet(
        _ hello: ClientHello, more bytes: [UInt8], held: [UInt8], back: [UInt8], port: UInt16
    ) -> Step {
        var hello = hello
        let held = held + bytes
        do throws(ClientHello.Refusal) {
            guard let name = try hello.read(bytes) else {
                stage = .name(hello, port: port, held: held, back: back)
                return .goesOn
            }
            guard hosts.allows(.name(name), port: port) else {
                return .refused(
                    HostRefusal(.name(name), port: port, reason: .greeting(.called(name))), answer: Self.unrecognized)
            }
            called = Called(host: .name(name), port: port)
        } catch {
            let refusal = hosts.refusal(of: address, because: .unreadable(error))
            return .refused(refusal, answer: error == .notTLS ? [] : Self.unrecognized)
        }
        // What comes after the second message cannot be another one.
        if isSecond { return .isOver(forth: RelayFlow(beginningWith: held), back: RelayFlow(beginningWith: back)) }
        let message = held.dropLast(hello.rest.count)
        stage = .server([], port: port, unsent: message, later: hello.rest, back: back)
        return .goesOn
    }

    /// Reads the beginning of the server's answer. What the program sends meanwhile is not read.
    private mutating func hear(
        _ got: [UInt8], port: UInt16, unsent: ArraySlice<UInt8>, later: [UInt8], back: [UInt8], from far: RelaySocket,
        to near: RelaySocket
    ) throws(SystemError) -> Step {
        let unsent = try Self.send(unsent, to: far)
        guard let bytes = try Self.read(far, besides: near) else {
            stage = .server(got, port: port, unsent: unsent, later: later, back: back)
            return .waits
        }
        let got = got + bytes
        guard let asksAgain = bytes.isEmpty ? false : ServerHello.asksAgain(got) else {
            stage = .server(got, port: port, unsent: unsent, later: later, back: back)
            return .goesOn
        }
        guard asksAgain else {
            return .isOver(
                forth: RelayFlow(beginningWith: Array(unsent) + later), back: RelayFlow(beginningWith: back + got))
        }
        // The request is short, and the socket has carried next to nothing to the program.
        guard unsent.isEmpty, near.send((back + got)[...]) == back.count + got.count else {
            throw SystemError("send", errno: ECONNRESET)
        }
        isSecond = true
        let second = ClientHello(isSecond: true)
        stage = .name(second, port: port, held: [], back: [])
        return later.isEmpty ? .goesOn : greet(second, more: later, held: [], back: [], port: port)
    }

    /// Sends what a socket takes. Returns the rest.
    private static func send(
        _ bytes: ArraySlice<UInt8>, to socket: RelaySocket
    ) throws(SystemError) -> ArraySlice<UInt8> {
        if bytes.isEmpty { return bytes }
        let sent = socket.send(bytes)
        guard sent >= 0 || sent == -Int(EAGAIN) else { throw SystemError("send", errno: Int32(-sent)) }
        return bytes.dropFirst(max(sent, 0))
    }

    // MARK: - The request to a proxy

    private mutating func ask(_ bytes: [UInt8]) -> Step {
        do throws(ProxyRequest.Refusal) {
            guard let request = try ProxyRequest.read(bytes) else {
                stage = .request(bytes)
                return .goesOn
            }
            guard hosts.allows(request.host, port: request.port) else {
                let refusal = HostRefusal(request.host, port: request.port, reason: .unnamed)
                return .refused(refusal, answer: Self.answer("403 Forbidden", saying: refusal.words))
            }
            called = Called(host: request.host, port: request.port)
            if request.isTunnel {
                stage = .answer([], to: request, unsent: request.message[...])
                return .goesOn
            }
            return .isOver(
                forth: RelayFlow(beginningWith: request.message, andThen: request.bodyLeft), back: RelayFlow())
        } catch {
            let refusal = hosts.refusal(of: address, because: .request(error))
            return .refused(refusal, answer: Self.answer("400 Bad Request", saying: refusal.words))
        }
    }

    private static func answer(_ status: String, saying text: String) -> [UInt8] {
        let body = "annex: \(text)\n"
        let fields = "Content-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
        return Array("HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)".utf8)
    }

    /// Reads the proxy's answer. What the program sends meanwhile is not read.
    private mutating func hear(
        _ got: [UInt8], of request: ProxyRequest, unsent: ArraySlice<UInt8>, from far: RelaySocket, to near: RelaySocket
    ) throws(SystemError) -> Step {
        let unsent = try Self.send(unsent, to: far)
        guard let bytes = try Self.read(far, besides: near) else {
            stage = .answer(got, to: request, unsent: unsent)
            return .waits
        }
        if bytes.isEmpty { throw SystemError("connect", errno: ECONNRESET) }
        let got = got + bytes
        do throws(ProxyRequest.Refusal) {
            guard let (isTunnel, end) = try ProxyAnswer.read(got) else {
                stage = .answer(got, to: request, unsent: unsent)
                return .goesOn
            }
            // Without a tunnel, the proxy would take further bytes for further requests.
            guard isTunnel, unsent.isEmpty else {
                return .isOver(forth: RelayFlow(andThen: 0), back: RelayFlow(beginningWith: got))
            }
            return try open(request, answer: got[..<end], back: Array(got[end...]), to: near)
        } catch {
            return .refused(hosts.refusal(of: address, because: .request(error)), answer: [])
        }
    }

    /// Tells the program that it has a tunnel, and reads what it sends through it.
    private mutating func open(
        _ request: ProxyRequest, answer: ArraySlice<UInt8>, back: [UInt8], to near: RelaySocket
    ) throws(ProxyRequest.Refusal) -> Step {
        guard hosts.checksName(of: request.host, port: request.port) else {
            return .isOver(
                forth: RelayFlow(beginningWith: request.rest), back: RelayFlow(beginningWith: Array(answer) + back))
        }
        // The answer is short, and the socket has carried nothing to the program.
        guard near.send(answer) == answer.count else { throw .tooLong }
        stage = .name(ClientHello(), port: request.port, held: [], back: back)
        return request.rest.isEmpty
            ? .goesOn : greet(ClientHello(), more: request.rest, held: [], back: back, port: request.port)
    }
}
