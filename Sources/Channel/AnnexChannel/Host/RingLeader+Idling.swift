internal import AnnexLinux
internal import Synchronization

// A channel may have a dedicated thread, which leads while it has no job to run (`LeadingThread`). The thread then
// sleeps on the ring for all callers, so an answer needs no doorbell. Before the thread runs a job, it requests the
// doorbell as usual.

extension RingLeader {
    /// Registers a thread as the channel's dedicated thread, which leads while it is idle.
    /// - Parameter summons: the object that ends the thread's sleep.
    /// - Returns: false if the channel has a dedicated thread already.
    func dedicate(to summons: Summons) -> Bool {
        dedicated.withLock { current in
            guard current == nil else { return false }
            current = summons
            return true
        }
    }

    /// Removes this dedicated thread, so that the channel can get another dedicated thread.
    func release(_ summons: Summons) {
        dedicated.withLock { if $0 === summons { $0 = nil } }
    }

    /// Leads once, for a thread that has nothing to do: sleeps until the extension publishes or the thread is summoned,
    /// and then reads. If another thread leads or the channel has ended, this method only sleeps. The other thread, or
    /// the event loop's thread after a doorbell, then reads for the callers. When a caller is resumed on this thread,
    /// this thread tries to lead again.
    /// - Parameter seen: the count of `summons`, read before the thread found that it has nothing to do.
    func leadIdle(until summons: Summons, since seen: UInt32) {
        // If the extension has sent frames since this thread last led, it has probably read frames too. So the ring may
        // have room for frames that wait. They are sent here, because no task waits for this thread now.
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
