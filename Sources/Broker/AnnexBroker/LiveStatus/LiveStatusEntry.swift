internal import AnnexChannel
internal import AnnexLinux
internal import Glibc

/// The entry of one extension on the broker's board, which is shared memory that `annex top` reads. The broker writes
/// an entry only when the extension changes state or completes a request. The holder of the extension's lock is the
/// only writer.
struct LiveStatusEntry: ~Copyable, Sendable {
    /// The most open requests whose answer times are measured; further ones are only counted.
    private static let mostTimed = 1024

    private let slot: SharedSlot
    private var requests = OpenRequests()
    private var isParked = false
    private var answered: UInt64 = 0
    private var answerTime: UInt64 = 0

    init(_ identifier: String, policy: String, memoryLimit: UInt64) {
        slot = SharedSlot(
            LiveStatusLayout.file,
            texts: [(LiveStatusLayout.identifier, identifier), (LiveStatusLayout.policy, policy)])
        slot.store(memoryLimit, in: LiveStatusLayout.memoryLimit)
    }

    mutating func note(_ input: Lifecycle.Input, at moment: Moment, _ life: Lifecycle) {
        switch input {
        case .requestBegan(let request): if requests.count < Self.mostTimed { requests.begin(request, at: moment) }
        case .requestEnded(let request):
            answered += 1
            if let began = requests.end(request, at: moment) {
                answerTime &+= MonotonicClock.nanoseconds(moment.since(began))
            }
            slot.store(answered, in: LiveStatusLayout.answered)
            slot.store(answerTime, in: LiveStatusLayout.answerTime)
        default: break
        }
        show(life)
    }

    mutating func note(isParked: Bool, _ life: Lifecycle) {
        self.isParked = isParked
        show(life)
    }

    private func show(_ life: Lifecycle) {
        slot.store(LiveStatusState(life, isParked: isParked)?.rawValue ?? 0, in: LiveStatusLayout.state)
    }

    func note(process: Int32) { slot.store(UInt64(clamping: process), in: LiveStatusLayout.process) }
    func note(denials: Int) { slot.store(UInt64(clamping: denials), in: LiveStatusLayout.denials) }

    func note(_ host: HostEnd) {
        switch host {
        case .own(let channel):
            slot.store(UInt64(getpid()), in: LiveStatusLayout.host)
            slot.store(channel.counterNumber, in: LiveStatusLayout.channel)
        case .remote(let host, let number):
            guard let host else { return }
            slot.store(UInt64(clamping: host.process), in: LiveStatusLayout.host)
            slot.store(host.started, in: LiveStatusLayout.hostStarted)
            slot.store(UInt64(host.user), in: LiveStatusLayout.hostUser)
            slot.store(number, in: LiveStatusLayout.channel)
        }
    }
}
