import AnnexLinux
import AnnexTestSupport
import Foundation
import Glibc
import Testing

@Suite struct MemoryTests {
    @Test func `a memfd has its size and takes seals`() throws {
        let memory = try Descriptor.memfd("annex-test", size: 8192)
        try memory.addSeals(.fixedSize)
        #expect(try memory.seals() == .fixedSize || memory.seals() == [.fixedSize, Seals(rawValue: 0x20)])
        #expect(throws: SystemError("ftruncate", errno: EPERM)) { try memory.resize(to: 1) }
        let status = try memory.status()
        #expect(status.kind == .regular)
        #expect(status.size == 8192)
        #expect(status.blocks == 0)
    }

    @Test func `after the seal for one writer memory cannot be mapped writable again`() throws {
        let memory = try Descriptor.memfd("annex-test", size: 4096)
        let writable = try Mapping(memory, size: 4096, writable: true)
        try memory.addSeals(.oneWriter)
        #expect(throws: SystemError("mmap", errno: EPERM)) {
            _ = try Mapping(memory, size: 4096, writable: true)
        }
        let reader = try Mapping(memory, size: 4096, writable: false)
        writable.start.storeBytes(of: 7, as: UInt8.self)
        #expect(reader.start.load(as: UInt8.self) == 7)
    }

    @Test func `a reopened memfd is read-only and has its own offset`() throws {
        let memory = try Descriptor.memfd("annex-test", size: 0)
        try memory.writeAll([1, 2, 3])
        let reopened = try memory.reopenedReadOnly()
        #expect(try reopened.isReadOnly())
        #expect(try !memory.isReadOnly())
        #expect(try reopened.readAll(atMost: 3) == [1, 2, 3])
        #expect(throws: SystemError("write", errno: EBADF)) { try reopened.writeAll([4]) }
    }

    @Test func `reading stops at its limit`() throws {
        let memory = try Descriptor.memfd("annex-test", size: 100_000)
        #expect(throws: SystemError("read", errno: EFBIG, remedy: "at most 99999 bytes are read")) {
            _ = try memory.readAll(atMost: 99_999)
        }
        #expect(try memory.read(at: 99_990, count: 100).count == 10)
    }

    @Test func `a sleep on a shared word ends by change, wake-up or time`() throws {
        let memory = try Descriptor.memfd("annex-test", size: 4096)
        let writable = try Mapping(memory, size: 4096, writable: true)
        let readable = try Mapping(memory, size: 4096, writable: false)
        let writer = WritableWord(writable.start.assumingMemoryBound(to: UInt32.self))
        let reader = SharedWord(UnsafePointer(readable.start.assumingMemoryBound(to: UInt32.self)))
        #expect(reader.wait(while: 1, until: nil) == .changed)
        #expect(reader.wait(while: 0, until: MonotonicClock.now()) == .timedOut)
        writer.storeRelease(1)
        #expect(reader.loadAcquire() == 1)
        #expect(writer.wake() == 0)
    }

    @Test func `a wake-up for one sleeper wakes one`() async throws {
        let memory = try Descriptor.memfd("annex-test", size: 4096)
        let mapping = try Mapping(memory, size: 4096, writable: true)
        let word = WritableWord(mapping.start.assumingMemoryBound(to: UInt32.self))
        let sleeping = SharedWord(UnsafePointer(mapping.start.assumingMemoryBound(to: UInt32.self)))
        let sleepers = (0..<4).map { _ in
            Task { try await Thread.detached { _ = sleeping.wait(while: 0, until: nil) } }
        }
        var woken = 0
        while woken < sleepers.count {
            let one = word.wake(atMost: 1)
            #expect(one == 0 || one == 1)
            woken += Int(max(one, 0))
            try await Task.sleep(for: .milliseconds(5))  // so that most of them sleep by the time of a wake-up
        }
        for sleeper in sleepers { try await sleeper.value }
        withExtendedLifetime(mapping) {}
    }
}
