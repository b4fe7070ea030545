import AnnexBroker
import AnnexHost
import AnnexTestSupport
import Foundation

extension Course {
    /// Causes the accident from outside. For accidents that the extension itself causes, it does nothing.
    func happen(_ accident: Accident, _ moment: Moment, _ isOver: Flag) async {
        switch accident {
        case .extensionIsKilled: await strike(moment, isOver) { self.send(SIGKILL, to: self.wardens.children) }
        case .extensionIsStopped: await strike(moment, isOver) { self.send(SIGSTOP, to: self.wardens.children) }
        case .extensionIsStoppedForAMoment:
            await strike(moment, isOver) { self.stop({ self.wardens.children }) { usleep(moment.length) } }
        case .wardenIsKilled:
            await strike(moment, isOver) {
                let struck = self.wardens.numbers
                self.send(SIGKILL, to: struck)
                while !struck.isDisjoint(with: self.wardens.numbers) { usleep(100) }
            }
        case .wardenIsStopped:
            await strike(moment, isOver) {
                self.stop({ self.wardens.numbers }) { while !isOver.isRaised { usleep(10_000) } }
            }
        case .wardenIsStoppedForAMoment:
            await strike(moment, isOver) { self.stop({ self.wardens.numbers }) { usleep(moment.length) } }
        case .hostIsStoppedForAMoment: await stopThisHost(moment)
        case .isSwitchedOff:
            await strike(moment, isOver) { try? self.host.setEnabledAndWait(false, for: accident.identifier) }
        case .appIsRemoved: await strike(moment, isOver) { try? self.host.removeAndWait(app: "com.example.shout") }
        case .brokerEndsAll: await strike(moment, isOver) { self.broker.shutDown() }
        default: break
        }
    }

    /// The strike runs on a separate thread, because the delays are short and the pool has few threads.
    private func strike(_ moment: Moment, _ isOver: Flag, _ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                while moment.isAfterBirth, !isOver.isRaised, self.wardens.children.isEmpty { usleep(50) }
                usleep(moment.delay)
                body()
                waiter.resume()
            }
        }
    }

    private func send(_ signal: Int32, to processes: Set<Int32>) {
        for process in processes { kill(process, signal) }
    }

    private func stop(_ processes: () -> Set<Int32>, during body: () -> Void) {
        let stopped = processes()
        send(SIGSTOP, to: stopped)
        body()
        // Only processes that still belong to this process get the signal.
        send(SIGCONT, to: processes().intersection(stopped))
    }

    private func stopThisHost(_ moment: Moment) async {
        let (delay, length) = (Double(moment.delay) / 1e6, Double(moment.length) / 1e6)
        let script = "sleep \(delay); kill -STOP \(getpid()); sleep \(length); kill -CONT \(getpid())"
        guard let shell = try? Background.start("/bin/sh", ["-c", script]) else { return }
        await eventually { !ProcessTable.isThere(shell.number) }
    }

    // MARK: Another host

    /// The host's broker ends with the host. The broker's warden and all its extensions must end too, and the next
    /// start of a host removes the remains.
    func killHost(_ moment: Moment) async -> Told {
        guard let other = try? Background.start("launches-forever", [apps[0], "com.example.shout.loud"]) else {
            return Told(reason: "none", text: "launches-forever did not start")
        }
        // The start of the other host takes most of the time.
        try? await Task.sleep(for: .microseconds(moment.delay * 6))
        var left = ProcessTable.family(of: other.number)
        other.kill()
        await eventually {
            left.formUnion(ProcessTable.family(of: other.number))
            left = left.filter(ProcessTable.isThere)
            return left.isEmpty && !ProcessTable.isThere(other.number)
        }
        guard (try? Broker()) != nil else { return Told(reason: "none", text: "the next start failed") }
        let stale = StaleGroups.find(of: [other.number])
        return stale.isEmpty
            ? Told(reason: "nothing is left", text: "") : Told(reason: "groups are left", text: "\(stale)")
    }
}
