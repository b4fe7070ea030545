internal import AnnexLinux
internal import Synchronization

// A thread of the channel's own may lead while it has nothing else to do (`LeadingThread`). It then sleeps on the ring
// for all callers, so an answer needs no doorbell. Whenever it runs a job, the doorbell is requested as usual.

extension RingLeader {
    /// Makes a thread the one that leads when it is idle.
    /// - Parameter summons: how to end the thread's sleep.
    /// - Returns: false if there is such a thread already.
    func dedicate(to summons: Summons) -> Bool {
        dedicated.withLock { current in
            guard current == nil else { return false }
            current = summons
            return true
        }
    }

    /// Lets another thread take this thread's part.
    func release(_ summons: Summons) {
        dedicated.withLock { if $0 === summons { $0 = nil } }
    }

    /// Leads once, for a thread that has nothing to do: sleeps until the extension publishes or the thread is summoned,
    /// and reads. Only sleeps if another thread leads or the channel has ended: the doorbell or that thread then serves
    /// the callers, and the next of them to be resumed here lets this thread try again.
    /// - Parameter seen: the count of `summons` before the thread found that it has nothing to do.
    func leadIdle(until summons: Summons, since seen: UInt32) {
        // An extension that has sent since the last lead has probably read frames before, so there may be room. Done
        // here, while no task waits for this thread.
        sender.sendWaitingCancels()
        sender.flushOutbox()
        let led: Void? =
            mustStop
            ? nil
            : receiving.withLockIfAvailable { receiver in
                sleep(&receiver, until: summons, since: seen)
                _ = pump(&receiver)
                stepDown(&receiver)
            }
        guard led != nil else { return summons.wait(since: seen) }
        afterLeading()
    }

    private func sleep(_ receiver: inout HostReceiver, until summons: Summons, since seen: UInt32) {
        state.closeIfBroken { () throws(ChannelViolation) in
            try bed.sleep(&receiver, until: summons, since: seen, counter: state.tally.sleeps) { mustStop }
        }
    }
}
