/// A hand-written filter: instructions of classic BPF that read `struct seccomp_data`.
struct Bpf {
    private(set) var bytes: [UInt8] = []

    private mutating func add(_ code: UInt16, _ yes: UInt8, _ no: UInt8, _ value: UInt32) {
        withUnsafeBytes(of: code) { bytes += $0 }
        bytes += [yes, no]
        withUnsafeBytes(of: value) { bytes += $0 }
    }

    mutating func load(_ offset: UInt32) { add(0x20, 0, 0, offset) }
    mutating func skip(ifNot value: UInt32, _ count: UInt8) { add(0x15, 0, count, value) }
    mutating func end(_ action: UInt32) { add(0x06, 0, 0, action) }

    static let allow: UInt32 = 0x7fff_0000
    static let notify: UInt32 = 0x7fc0_0000
    static let kill: UInt32 = 0x8000_0000
    static func refuse(_ errno: UInt32) -> UInt32 { 0x0005_0000 | errno }

    /// Allows every call except executions. The only allowed execution is `execveat` with `nonce` as its sixth
    /// argument.
    static func oneExec(nonce: UInt64, notifying notified: UInt32? = nil, killing killed: UInt32? = nil) -> [UInt8] {
        var filter = Bpf()
        filter.load(0)
        filter.skip(ifNot: Call.execve, 1)
        filter.end(refuse(1))
        if let notified {
            filter.skip(ifNot: notified, 1)
            filter.end(notify)
        }
        if let killed {
            filter.skip(ifNot: killed, 1)
            filter.end(kill)
        }
        filter.skip(ifNot: Call.execveat, 5)
        filter.load(16 + 5 * 8)
        filter.skip(ifNot: UInt32(truncatingIfNeeded: nonce), 2)
        filter.load(16 + 5 * 8 + 4)
        // The jump skips the refusal, so control continues at the last instruction.
        filter.bytes += jumpOverRefusal(UInt32(truncatingIfNeeded: nonce >> 32))
        filter.end(refuse(1))
        filter.end(allow)
        return filter.bytes
    }

    private static func jumpOverRefusal(_ value: UInt32) -> [UInt8] {
        var one = Bpf()
        one.add(0x15, 1, 0, value)
        return one.bytes
    }

    enum Call {
        #if arch(x86_64)
            static let execve: UInt32 = 59
            static let execveat: UInt32 = 322
            static let getppid: UInt32 = 110
            static let write: UInt32 = 1
        #else
            static let execve: UInt32 = 221
            static let execveat: UInt32 = 281
            static let getppid: UInt32 = 173
            static let write: UInt32 = 64
        #endif
    }
}
