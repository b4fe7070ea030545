import AnnexChannel
import CBenchDriver

/// The plan of a measurement, as the driver reads it from the command line of every contender.
struct Plan {
    /// The pointer stays valid as long as the process lives, because the driver keeps it.
    let pointer: UnsafeMutablePointer<bench_plan>

    init?() {
        pointer = .allocate(capacity: 1)
        guard bench_parse(pointer, CommandLine.argc, CommandLine.unsafeArgv) else { return nil }
    }

    var contender: String { String(cString: pointer.pointee.contender) }
    var isOneWay: Bool { pointer.pointee.loop == bench_one_way }
    var request: Int { Int(pointer.pointee.request) }
    var reply: Int { Int(pointer.pointee.reply) }
    var batch: UInt64 { pointer.pointee.batch }
    var flush: UInt64 { pointer.pointee.flush }
    /// Microseconds of silence before each call.
    var gap: UInt32 { UInt32(clamping: pointer.pointee.gap / 1000) }
    /// The number of idle extensions.
    var idle: Int { Int(String(cString: pointer.pointee.extra)) ?? 0 }
    /// The file whose contents are read, and its length.
    var file: String? { pointer.pointee.file.map { String(cString: $0) } }
    var fileBytes: UInt64 { pointer.pointee.bytes }
    var client: Int32 { pointer.pointee.client }
    var server: Int32 { pointer.pointee.server }

    var waiting: WaitingStyle {
        switch pointer.pointee.waiting {
        case bench_spin: .spin
        case bench_block: .block
        default: .adaptive
        }
    }
}
