import AnnexPolicy

@testable import AnnexNames

/// What a program with named hosts sends to its broker: questions for names, the first message of TLS, and requests to a
/// proxy. Also the texts of others: answers of a proxy, the output of a lookup, rules and variables of the caller.
enum FuzzNetwork {
    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            FuzzNetwork.read(Array(bytes.dropFirst()), by: bytes.first.map { $0 % 6 } ?? 0)
            return 0
        }
    }

    private static func read(_ bytes: [UInt8], by reader: UInt8) {
        switch reader {
        case 0: ask(bytes)
        case 1: greet(bytes)
        case 2: request(bytes)
        case 3:
            if let answer = try? ProxyAnswer.read(bytes) { Fuzzer.expect(answer.end <= bytes.count, "a head beyond") }
        case 4: rule(String(decoding: bytes, as: UTF8.self))
        default:
            for address in NameLookup.addresses(in: bytes) {
                Fuzzer.expect(address.count == 4 || address.count == 16, "no address")
            }
        }
    }

    private static func ask(_ bytes: [UInt8]) {
        guard let query = try? NameQuery(bytes) else { return }
        let answer = query.message(.addresses([[192, 0, 2, 7], [UInt8](repeating: 1, count: 16)]))
        Fuzzer.expect(answer.count <= 1_232 && answer.starts(with: bytes.prefix(2)), "another answer")
        Fuzzer.expect((try? HostName(query.name.text)) == query.name, "another name")
    }

    /// The message in one piece and in two gives the same name.
    private static func greet(_ bytes: [UInt8]) {
        var (whole, parts) = (ClientHello(), ClientHello())
        guard let name = try? whole.read(bytes) else { return }
        let half = bytes.count / 2
        do throws(ClientHello.Refusal) {
            var second = try parts.read(bytes[..<half])
            if second == nil { second = try parts.read(bytes[half...]) }
            Fuzzer.expect(second == name, "another name in two pieces")
        } catch {
            Fuzzer.expect(false, "a message that is refused in two pieces")
        }
    }

    /// What the proxy gets is read as the same request.
    private static func request(_ bytes: [UInt8]) {
        guard let request = try? ProxyRequest.read(bytes), let again = try? ProxyRequest.read(request.message) else {
            return
        }
        Fuzzer.expect(again.host == request.host && again.port == request.port, "another machine")
        Fuzzer.expect(again.isTunnel == request.isTunnel, "another kind of request")
        // Only the field with the machine is new, whose name has at most 253 bytes, and the end of the connection.
        Fuzzer.expect(request.message.count <= bytes.count + 253 + 64, "a longer request")
    }

    private static func rule(_ text: String) {
        _ = HostProxies([text])
        guard let rule = try? HostRule(text) else { return }
        Fuzzer.expect((try? HostRule(rule.description)) == rule, "another rule")
    }
}
