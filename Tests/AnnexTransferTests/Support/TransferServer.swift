import AnnexTestSupport
import Foundation
import Testing

/// The server of `Tests/Fixtures/TransferServer`, which behaves as the path of a request says.
final class TransferServer {
    let port: Int
    private let folder = Result { try TemporaryFolder() }
    private let process: ChildProcess

    /// The server, with TLS if there is an authority.
    init(authority: TestAuthority? = nil) async throws {
        let folder = try folder.get()
        let words = authority.map { [$0.certificate.path, $0.key.path] } ?? []
        process = try ChildProcess(
            URL(filePath: "/usr/bin/python3"), arguments: [Self.program, folder.url.path, "127.0.0.1"] + words,
            errors: .none)
        let file = folder.url.appending(path: "port")
        let process = process
        await eventually { FileManager.default.fileExists(atPath: file.path) || !process.isRunning }
        port = try #require(Int(try String(contentsOf: file, encoding: .utf8)))
    }

    deinit { process.signal(SIGKILL) }

    private static var program: String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/TransferServer/transfer-server").path
    }

    /// The URL of a conduct, at a server of any name.
    func url(_ conduct: String, at host: String = "example.org", scheme: String = "http") -> String {
        "\(scheme)://\(host):\(port)\(conduct)"
    }

    /// A redirect to any URL.
    func redirect(to target: String, status: Int = 302, more: String = "") -> String {
        let allowed = CharacterSet.alphanumerics
        return url(
            "/redirect?status=\(status)&to=\(target.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")\(more)"
        )
    }

    /// Lets the conduct `paused` go on.
    func goOn() throws { try Data().write(to: folder.get().url.appending(path: "go")) }

    /// All requests that arrived, in their order.
    func requests() throws -> [Request] {
        let log = try String(contentsOf: folder.get().url.appending(path: "requests"), encoding: .utf8)
        return try log.split(separator: "\n").map { try JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }

    struct Request: Decodable {
        let method: String
        let target: String
        let lines: [String]

        /// The value of a header; nil if the request has none.
        func header(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The answer of the conduct `upload`.
    struct Upload: Decodable {
        struct Part: Decodable, Equatable {
            let head: String
            let size: Int
            /// Whether the bytes are those of a `TestFile`.
            let isFile: Bool
            /// The bytes of a short part.
            let text: String
        }

        let method: String
        let lines: [String]
        let parts: [Part]
    }
}

/// An authority for one test, with the certificate of a server for `example.org` and names below it.
struct TestAuthority {
    static let isAvailable = Program.isThere(tool: "openssl")
    let authorities: URL
    let certificate: URL
    let key: URL
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        let script = """
            set -e
            new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
            openssl req -x509 $new -keyout ca.key -out ca.pem -days 2 -subj /CN=test-authority
            openssl req $new -keyout server.key -out server.csr -subj /CN=example.org
            echo subjectAltName=DNS:example.org,DNS:*.example.org >names
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem
            """
        let made = try await Program.run("/bin/sh", ["-c", script], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        authorities = folder.url.appending(path: "ca.pem")
        certificate = folder.url.appending(path: "server.pem")
        key = folder.url.appending(path: "server.key")
    }
}
