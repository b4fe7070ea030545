// Connects to other machines, as its request says: `fetches NAME PORT` or `keeps NAME PORT`.
import AnnexExtension
import Glibc

final class ReachesOut: AppExtension {
    private struct Failure: Error {
        let words: String
    }

    func beginRequest(with context: ExtensionContext) {
        let words = (context.inputItems.first?.contentText ?? "").split(separator: " ").map(String.init)
        guard words.count == 3 else { return answer("no such conduct", in: context) }
        do throws(Failure) {
            switch words[0] {
            case "fetches": answer(try fetch(words[1], port: words[2]), in: context)
            case "keeps": answer(try keep(words[1], port: words[2]), in: context)
            default: answer("no such conduct", in: context)
            }
        } catch {
            answer(error.words, in: context)
        }
    }

    private func answer(_ text: String, in context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: text)])
    }

    /// The first line of the answer to a request of HTTP.
    private func fetch(_ name: String, port: String) throws(Failure) -> String {
        let socket = try connect(name, port: port)
        defer { close(socket) }
        send("GET / HTTP/1.0\r\n\r\n", to: socket)
        var text = ""
        while let more = read(socket) { text += more }
        return String(text.prefix { $0 != "\r\n" })
    }

    /// Says that it has a connection and keeps it until it ends. Then it asks for another one.
    private func keep(_ name: String, port: String) throws(Failure) -> String {
        let socket = try connect(name, port: port)
        defer { close(socket) }
        // At the port of TLS, these bytes would end the connection.
        if port != "443" { send("GET /kept", to: socket) }
        while read(socket) != nil {}
        do throws(Failure) {
            close(try connect(name, port: port))
            return "ended, and made again"
        } catch {
            return "ended, then \(error.words)"
        }
    }

    private func connect(_ name: String, port: String) throws(Failure) -> Int32 {
        var wish = addrinfo()
        wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(name, port, &wish, &found)
        guard result == 0, let first = found else { throw Failure(words: "no address: \(result)") }
        defer { freeaddrinfo(found) }
        var next: UnsafeMutablePointer<addrinfo>? = first
        var last: Int32 = 0
        while let one = next {
            let socket = socket(one.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
            if Glibc.connect(socket, one.pointee.ai_addr, one.pointee.ai_addrlen) == 0 { return socket }
            last = errno
            close(socket)
            next = one.pointee.ai_next
        }
        throw Failure(words: last == EACCES ? "denied" : "errno \(last)")
    }

    private func send(_ text: String, to socket: Int32) {
        var text = text
        text.withUTF8 { _ = Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func read(_ socket: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(socket, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
