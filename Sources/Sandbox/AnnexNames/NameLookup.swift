internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Resolves names as this machine resolves them: by its name servers, its `/etc/hosts`, and whatever else its
/// administrator chose.
///
/// `getent` asks the C library. It is a process of its own: the library may load parts that only a program of the
/// machine's own C library can load, and the answers of foreign name servers are read outside the broker.
package enum NameLookup {
    package enum Outcome: Sendable, Hashable {
        /// All addresses, of 4 or 16 bytes each, in the order in which the machine would try them.
        case addresses([[UInt8]])
        case noSuchName
        case failed
    }

    /// How long one lookup may take.
    private static let patience = Duration.seconds(30)
    /// The most bytes of an answer that are read.
    private static let most = 1 << 16

    private static let places = ["/usr/bin/getent", "/bin/getent"]
    /// Where this machine has `getent`; nil if it has none, so that names cannot be resolved.
    package static var program: String? { places.first { unsafe access($0, X_OK) == 0 } }

    /// Looks a name up. This call waits for the answer.
    package static func look(up name: HostName) -> Outcome {
        guard let program else { return .failed }
        do throws(SystemError) {
            let child = try LookupProcess(program, arguments: ["ahosts", name.text])
            let text = child.output(atMost: most, within: patience)
            guard let text else { return .failed }
            let found = addresses(in: text)
            return found.isEmpty ? .noSuchName : .addresses(found)
        } catch {
            return .failed
        }
    }

    /// The addresses in the lines of `getent ahosts`. Each address stands there once for each kind of socket.
    static func addresses(in text: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let word = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "%") }
            guard let address = HostAddress.bytes(of: String(decoding: word, as: UTF8.self)), !found.contains(address)
            else { continue }
            found.append(address)
        }
        return found
    }
}
