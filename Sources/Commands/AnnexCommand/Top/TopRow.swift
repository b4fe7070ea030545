import AnnexBroker
import AnnexChannel
import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import Glibc

/// The figures of a running extension between two moments. A rate is nil if its figure is missing at one of the
/// moments.
struct TopRow {
    let shown: LiveStatusSnapshot
    /// The seconds since a host requested the extension.
    let age: Double
    /// The average number of processors in use. 1 means one processor all the time.
    let processor: Double?
    /// The memory in bytes.
    let memory: UInt64?
    /// Messages per second, in both directions.
    let messages: Double?
    let bytes: Double?
    /// The average seconds from request to answer, for the answers between the two moments. Nil if there was no answer.
    let latency: Double?

    static func rows(from last: TopMoment, to now: TopMoment) -> [TopRow] {
        now.entries.map { name, entry in TopRow(entry, before: last.entries[name], from: last.time, to: now.time) }
            .sorted { one, other in
                let (busy, lazy) = (one.processor ?? 0, other.processor ?? 0)
                if busy != lazy { return busy > lazy }
                return (one.shown.broker, one.shown.number) < (other.shown.broker, other.shown.number)
            }
    }

    private init(_ entry: TopMoment.Entry, before: TopMoment.Entry?, from: UInt64, to: UInt64) {
        shown = entry.shown
        memory = entry.memory
        age = Self.seconds(from: entry.shown.asked, to: to)
        let passed = Self.seconds(from: from, to: to)
        func rate(_ count: (TopMoment.Entry) -> UInt64?) -> Double? {
            guard passed > 0, let before, let old = count(before), let new = count(entry), new >= old else {
                return nil
            }
            return Double(new - old) / passed
        }
        let hertz = Double(sysconf(Int32(_SC_CLK_TCK)))
        processor = rate(\.ticks).map { hertz > 0 ? $0 / hertz : 0 }
        messages = rate { $0.shown.channel.map { $0.framesSent &+ $0.framesReceived } }
        bytes = rate { $0.shown.channel.map { $0.bytesSent &+ $0.bytesReceived } }
        let answers = rate(\.shown.answered) ?? 0
        latency = answers > 0 ? rate(\.shown.answerTime).map { $0 / answers / 1e9 } : nil
    }

    private static func seconds(from: UInt64, to: UInt64) -> Double { to > from ? Double(to - from) / 1e9 : 0 }
}

extension TopRow {
    var json: JSON {
        .object([
            .init("host", value: shown.host.map { .number(Int($0)) } ?? .null),
            .init("broker", value: .number(Int(shown.broker))),
            .init("process", value: shown.process.map { .number(Int($0)) } ?? .null),
            .init("identifier", value: .bounded(shown.identifier)),
            .init("policy", value: .bounded(shown.policy)),
            .init("state", value: .text(shown.state.word)),
            .init("processor", value: Self.number(processor)),
            .init("memory", value: memory.map { .numeral("\($0)") } ?? .null),
            .init("memoryLimit", value: .numeral("\(shown.memoryLimit)")),
            .init("messagesPerSecond", value: Self.number(messages)),
            .init("bytesPerSecond", value: Self.number(bytes)),
            .init("latencySeconds", value: Self.number(latency)),
            .init("answers", value: .numeral("\(shown.answered)")),
            .init("denials", value: .numeral("\(shown.denials)")),
            .init("ageSeconds", value: Self.number(age)),
        ])
    }

    private static func number(_ value: Double?) -> JSON {
        value.flatMap { $0.isFinite ? .numeral("\($0)") : nil } ?? .null
    }
}

/// Every running extension at one moment, with the kernel's figures for its processes.
struct TopMoment {
    struct Entry {
        let shown: LiveStatusSnapshot
        /// The processor time in clock ticks, and the resident bytes, of all processes of the extension. Nil if they
        /// cannot be read.
        let ticks: UInt64?
        let memory: UInt64?
    }

    /// The identity of a running extension: its broker, and its number in this broker. The process number is not used,
    /// because the kernel may reuse it.
    struct Name: Hashable {
        let broker: Int32
        let number: UInt64
    }

    /// The time on the monotonic clock, in nanoseconds.
    let time: UInt64
    let entries: [Name: Entry]

    static func now() -> TopMoment {
        let time = MonotonicClock.now()
        let page = UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
        let entries = LiveStatusSnapshot.all().map { shown in
            let members = shown.process.flatMap { try? ProcessTree.members(of: $0) } ?? []
            let stats = members.compactMap { ProcessStat($0) }
            let isKnown = !stats.isEmpty
            return (
                Name(broker: shown.broker, number: shown.number),
                Entry(
                    shown: shown, ticks: isKnown ? stats.reduce(0) { $0 &+ $1.ticks } : nil,
                    memory: isKnown ? stats.reduce(0) { $0 &+ $1.residentPages &* page } : nil)
            )
        }
        return TopMoment(time: time, entries: Dictionary(entries) { one, _ in one })
    }
}
