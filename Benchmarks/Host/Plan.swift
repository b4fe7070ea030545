import AnnexChannel
import CBenchDriver

/// What is to be measured, as the driver reads it from the command line of every contender.
struct Plan {
    /// Lives as long as the process: the driver keeps a pointer to it.
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
    var client: Int32 { pointer.pointee.client }
    var server: Int32 { pointer.pointee.server }

    var waiting: WaitingStyle {
        switch pointer.pointee.waiting {
        case bench_spin: .spin
        case bench_block: .block
        default: .adaptive
        }
    }

    /// The extension that waits in the same way.
    var identifier: String {
        switch waiting {
        case .spin: "com.example.bench.spinning"
        case .adaptive: "com.example.bench.adapting"
        case .block: "com.example.bench.sleeping"
        }
    }
}
