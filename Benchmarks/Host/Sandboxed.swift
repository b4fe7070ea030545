import AnnexChannel
import AnnexEmbedded
import AnnexHost
import CBenchDriver
import Glibc

/// An extension in its full sandbox, as any host would get it, and this process and that one where they were told to
/// run.
struct Sandboxed {
    let host: AnnexHost
    let session: ExtensionSession

    init(_ plan: Plan) throws {
        // The warden and what it starts stay where this process was when it started the warden.
        guard bench_pin_all(plan.server) else { throw Failure.notPinned }
        host = try AnnexHost.embedded(apps: [Self.app])
        session = try host.beginAndWait(plan.identifier) { configuration in
            configuration.waiting = plan.waiting
            // Twice the largest payload, so that the ring is not what is measured.
            let needed = UInt32(clamping: 2 * (max(plan.request, plan.reply) + 64))
            while configuration.hostCapacity < needed, configuration.hostCapacity < 1 << 28 {
                configuration.hostCapacity *= 2
            }
        }
        guard bench_pin_all(plan.client) else { throw Failure.notPinned }
    }

    /// `make bench` lays the bundle out beside this program.
    private static var app: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program[...(program.lastIndex(of: "/") ?? program.startIndex)] + "Bench.app"
    }

    enum Failure: Error, CustomStringConvertible {
        case notPinned

        var description: String { "this process cannot run on the processors that were asked for" }
    }
}
