internal import AnnexChannel
internal import AnnexLinux
internal import Glibc

/// What a broker publishes about one of its extensions, for `annex top`: a few stores where its life turns, and nothing
/// between. Its one writer at a time is whoever holds its extension's lock.
struct BoardEntry: ~Copyable, Sendable {
    /// More requests than this at once are answered without being timed.
    private static let mostTimed = 1024

    private let slot: SharedSlot
    private var requests = OpenRequests()
    private var isParked = false
    private var answered: UInt64 = 0
    private var answerTime: UInt64 = 0

    init(_ identifier: String, policy: String, memoryLimit: UInt64) {
        slot = SharedSlot(
            BoardLayout.file, texts: [(BoardLayout.identifier, identifier), (BoardLayout.policy, policy)])
        slot.store(memoryLimit, in: BoardLayout.memoryLimit)
    }

    mutating func note(_ input: Lifecycle.Input, at moment: Moment, _ life: Lifecycle) {
        switch input {
        case .requestBegan(let request): if requests.count < Self.mostTimed { requests.begin(request, at: moment) }
        case .requestEnded(let request):
            answered += 1
            if let began = requests.end(request, at: moment) {
                answerTime &+= MonotonicClock.nanoseconds(moment.since(began))
            }
            slot.store(answered, in: BoardLayout.answered)
            slot.store(answerTime, in: BoardLayout.answerTime)
        default: break
        }
        show(life)
    }

    mutating func note(isParked: Bool, _ life: Lifecycle) {
        self.isParked = isParked
        show(life)
    }

    private func show(_ life: Lifecycle) {
        slot.store(BoardState(life, isParked: isParked)?.rawValue ?? 0, in: BoardLayout.state)
    }

    func note(process: Int32) { slot.store(UInt64(clamping: process), in: BoardLayout.process) }
    func note(denials: Int) { slot.store(UInt64(clamping: denials), in: BoardLayout.denials) }

    func note(_ host: HostEnd) {
        switch host {
        case .own(let channel):
            slot.store(UInt64(getpid()), in: BoardLayout.host)
            slot.store(channel.counterNumber, in: BoardLayout.channel)
        case .remote(let host, let number):
            guard let host else { return }
            slot.store(UInt64(clamping: host.process), in: BoardLayout.host)
            slot.store(host.started, in: BoardLayout.hostStarted)
            slot.store(UInt64(host.user), in: BoardLayout.hostUser)
            slot.store(number, in: BoardLayout.channel)
        }
    }
}
