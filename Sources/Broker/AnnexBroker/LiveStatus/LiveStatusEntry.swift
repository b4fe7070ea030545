internal import AnnexChannel
internal import AnnexLinux
internal import AnnexSupervision
internal import Glibc

/// The entry of one extension on the broker's board, which is shared memory that `annex top` reads. The broker writes
/// an entry only when its extension changes state, completes a request or has a call denied. Only the holder of the
/// extension's lock writes the entry.
struct LiveStatusEntry: ~Copyable, Sendable {
    /// The most open requests whose answer times are measured. Further requests are only counted.
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

    mutating func record(_ input: Lifecycle.Input, at moment: Moment, life: Lifecycle) {
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

    mutating func record(isParked: Bool, life: Lifecycle) {
        self.isParked = isParked
        show(life)
    }

    private func show(_ life: Lifecycle) {
        slot.store(LiveStatusState(life, isParked: isParked)?.rawValue ?? 0, in: LiveStatusLayout.state)
    }

    func record(process: Int32) { slot.store(UInt64(clamping: process), in: LiveStatusLayout.process) }
    func record(denials: Int) { slot.store(UInt64(clamping: denials), in: LiveStatusLayout.denials) }

    func record(_ host: HostEnd) {
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

/// The state of a running extension, as `annex top` shows it.
package enum LiveStatusState: UInt64, Sendable, CaseIterable {
    /// The launch waits for an instance slot.
    case waiting = 1
    /// The slot is granted, and the extension has not yet said hello.
    case launching
    /// No request is open.
    case idle
    /// At least one request is open.
    case working
    /// The session is over. The extension may tidy up until its grace ends.
    case tidying
    /// The extension is being killed.
    case ending
    /// The extension was launched ahead, and waits for its first request.
    case parked

    /// The result is nil before the extension was asked for and after the extension has ended.
    init?(_ life: Lifecycle, isParked: Bool) {
        switch life.state {
        case .new, .ended: return nil
        case .waiting: self = .waiting
        case .launching: self = .launching
        case .serving: self = life.isAtWork ? .working : isParked ? .parked : .idle
        case .tidying: self = .tidying
        case .ending: self = .ending
        }
    }

    package var word: String { "\(self)" }
}

/// The layout of an entry on the broker's board. `Docs/Design/Daemon.md` describes it in words.
enum LiveStatusLayout {
    /// The magic is "ANXB".
    static let file = SlotLayout(name: "annex-board", magic: 0x4258_4E41, version: 1, slotSize: 512, slots: 16_383)

    // Indices of 64-bit words within a slot. The first two words are the slot's number and the moment at which a host
    // asked for the extension.
    static let state = 2
    /// The extension's process ID in the broker's PID namespace; 0 if there is no process yet.
    static let process = 3
    /// The ID of the host's process in the broker's PID namespace; 0 if it is not known.
    static let host = 4
    /// The number of the channel in the host's process, as the host reports it; 0 if it is not known.
    static let channel = 5
    /// The number of denials so far.
    static let denials = 6
    /// The number of answered requests, and the sum of their answer times in nanoseconds.
    static let answered = 7
    static let answerTime = 8
    /// The policy's memory limit in bytes.
    static let memoryLimit = 9
    /// The start of the host's process in clock ticks after boot, and the user of that process. Both are set only if
    /// the host is not the broker's own process and can be inspected.
    static let hostStarted = 10
    static let hostUser = 11

    static let identifier = SlotLayout.Text(offset: 128, size: 160)
    static let policy = SlotLayout.Text(offset: 288, size: 160)
}
