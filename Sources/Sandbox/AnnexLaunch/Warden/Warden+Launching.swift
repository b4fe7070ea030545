internal import AnnexLinux
internal import AnnexWarden
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension Warden {
    /// How many plans may wait for room in the socket. Further plans are rejected.
    static let backlogLargest = 1024

    /// Sends a plan to the warden. `handler` receives the events of the launch on the event loop's thread. The last
    /// event is `ended` or `wardenLost`.
    ///
    /// - Throws: if the plan does not fit or the warden is gone. In that case the handler is never called.
    package func launch(
        _ plan: consuming LaunchPlan, handler: @escaping Handler
    ) throws(LaunchFailure) {
        let launch = state.withLock { state in
            state.lastLaunch += 1
            return state.lastLaunch
        }
        let bytes = try plan.encoded(launch: launch)
        let subjects = LaunchSubjects(plan)
        let outgoing = try OutgoingPlan(launch: launch, bytes: bytes, descriptors: plan.takeDescriptors())
        try send(outgoing, for: Launch(handler: handler, subjects: subjects))
    }

    /// Sends an encoded plan now, or later when the socket has room.
    func send(_ outgoing: OutgoingPlan, for launch: Launch) throws(LaunchFailure) {
        try state.withLock { (state) throws(LaunchFailure) in
            guard !state.isLost else { throw Self.lost }
            guard state.backlog.count < Self.backlogLargest else {
                throw LaunchFailure(
                    .plan, errno: EAGAIN, remedy: "too many launches wait: start fewer at the same time")
            }
            // The launch is stored before the plan is sent, because the first answer may arrive before this thread
            // continues.
            state.launches[outgoing.launch] = launch
            do throws(SystemError) {
                if state.backlog.isEmpty, try outgoing.send(on: socket) { return }
            } catch {
                state.launches[outgoing.launch] = nil
                // The warden closes its socket a moment before its process ends.
                if error.errno == EPIPE { state.isLost = true }
                throw Self.denial(error)
            }
            state.backlog.append(outgoing)
            if state.backlog.count == 1 { retryLater() }
        }
    }

    static let lost = denial(SystemError("sendmsg of a plan", errno: EPIPE))

    private static func denial(_ error: SystemError) -> LaunchFailure {
        let remedy = LaunchFailure.remedy(.plan, errno: error.errno) ?? "the warden ended: try again"
        return LaunchFailure(.plan, errno: error.errno, remedy: remedy)
    }

    /// Retries in 1 ms. Usually the socket has room earlier, because the warden reads plans as fast as it can.
    private func retryLater() {
        loop.schedule(after: .milliseconds(1)) { [weak self] in self?.sendBacklog() }
    }

    private func sendBacklog() {
        while let (launch, failure) = sendUntilFailure() {
            launch.handler(.failed(failure, LaunchTimes(begun: 0, ends: [])))
            launch.handler(.ended(nil, ResourceUsage()))
        }
    }

    /// - Returns: a launch that failed and must be reported as ended. After this launch there may be more plans to
    ///   send. nil if there is nothing left to send now.
    private func sendUntilFailure() -> (Launch, LaunchFailure)? {
        state.withLock { state in
            while let first = state.backlog.first {
                do throws(SystemError) {
                    guard try first.send(on: socket) else {
                        retryLater()
                        return nil
                    }
                    state.backlog.removeFirst()
                } catch {
                    state.backlog.removeFirst()
                    guard let launch = state.launches.removeValue(forKey: first.launch) else { continue }
                    return (launch, Self.denial(error))
                }
            }
            return nil
        }
    }
}

extension LaunchPlan {
    consuming func takeDescriptors() -> DescriptorList { descriptors }
}

/// An encoded plan and its descriptors. They are kept until they have been sent to the warden. The rest of a plan that
/// is too long for one packet is in a memory file, whose descriptor is the last one.
final class OutgoingPlan: Sendable {
    let launch: UInt64
    private let bytes: [UInt8]
    private let descriptors: DescriptorList
    /// The time at which a send first failed because this user had too many descriptors in flight: sent through
    /// sockets, but not received yet.
    private let crowdedSince = Mutex<UInt64?>(nil)
    /// How long sends may continue to fail because of descriptors in flight, in nanoseconds.
    private static let crowdedLongest: UInt64 = 2_000_000_000

    init(launch: UInt64, bytes: [UInt8], descriptors: consuming DescriptorList) throws(LaunchFailure) {
        self.launch = launch
        let most = Int(ANNEX_PLAN_PACKET)
        if bytes.count > most {
            do throws(SystemError) {
                descriptors.append(try .sealed("annex-plan", holding: Array(bytes[most...])))
            } catch {
                throw LaunchFailure(.plan, errno: error.errno, subject: "\(bytes.count) bytes")
            }
            self.bytes = Array(bytes.prefix(most))
        } else {
            self.bytes = bytes
        }
        self.descriptors = descriptors
    }

    /// - Returns: false if the send must be repeated. Either the socket has no room at the moment, or too many
    ///   descriptors are in flight. The kernel counts a user's descriptors in flight in all sockets. It allows as many
    ///   descriptors in flight as this process may have open.
    /// - Throws: `ETOOMANYREFS` if too many descriptors stay in flight for two seconds.
    func send(on socket: borrowing ControlSocket) throws(SystemError) -> Bool {
        let numbers = descriptors.numbers
        // SAFETY: both buffers outlive the call, which only reads them, each within its own count.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe numbers.withUnsafeBufferPointer { list in
                unsafe annex_send_plan(
                    socket.descriptor.number, buffer.baseAddress, buffer.count, list.baseAddress, UInt32(list.count))
            }
        }
        if sent == -EAGAIN || sent == -ETOOMANYREFS && waitsForOthers() { return false }
        _ = try SystemError.check("sendmsg of a plan", sent)
        return true
    }

    private func waitsForOthers() -> Bool {
        crowdedSince.withLock { since in
            let now = MonotonicClock.now()
            let start = since ?? now
            since = start
            return now &- start < Self.crowdedLongest
        }
    }
}
