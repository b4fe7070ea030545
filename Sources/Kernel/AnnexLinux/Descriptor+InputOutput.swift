internal import CAnnexLinux
internal import Glibc

// MARK: - Reading

extension Descriptor {
    /// Reads everything from the current offset to the end.
    /// - Throws: `EFBIG` if there are more than `cap` bytes. The call never holds more than `cap + 1` bytes.
    package func readAll(atMost cap: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var room = min(cap, 4096)
        while true {
            // The call tries to read one byte more than allowed, to detect a file that is too long.
            let part = try readSome(atMost: min(max(room, 1), cap - bytes.count + 1))
            if part.isEmpty { return bytes }
            bytes += part
            if bytes.count > cap { throw SystemError("read", errno: EFBIG, remedy: "at most \(cap) bytes are read") }
            room = min(room * 2, 1 << 20)
        }
    }

    /// The bytes of one read(2). Empty at the end of the file.
    /// - Throws: `EAGAIN` if the descriptor is non-blocking and has no data.
    package func readSome(atMost cap: Int) throws(SystemError) -> [UInt8] {
        // SAFETY: read writes only within the buffer's bounds.
        unsafe try gather(cap) { (room) throws(SystemError) in
            try SystemError.retrying("read") { unsafe Glibc.read(number, room.baseAddress, room.count) }
        }
    }

    /// Reads bytes at an offset without moving the file's own offset. The call returns fewer than `count` bytes only at
    /// the file's end.
    package func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        // SAFETY: fill writes only within the buffer's bounds.
        unsafe try gather(count) { (room) throws(SystemError) in
            try unsafe fill(room, from: offset)
        }
    }

    /// Fills a buffer with the bytes at an offset in the file. Returns the number of bytes that were read.
    package func fill(_ room: UnsafeMutableRawBufferPointer, from offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < room.count {
            // SAFETY: `done` stays below the buffer's size, and pread writes at most the size that it is given.
            let got = try SystemError.retrying("pread") {
                unsafe pread(
                    number, room.baseAddress?.advanced(by: done), room.count - done, off_t(offset) + off_t(done))
            }
            if got == 0 { break }
            done += got
        }
        return done
    }

    private func gather(
        _ cap: Int, _ body: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) -> [UInt8] {
        guard cap > 0 else { return [] }
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: cap) { buffer, count in
            do throws(SystemError) {
                count = try unsafe body(UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

// MARK: - Writing

extension Descriptor {
    /// Writes every byte, with as many calls as needed.
    /// - Throws: `EAGAIN` if the descriptor is non-blocking and full, possibly after a part was written.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(SystemError) {
                try unsafe writeAll(buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Writes a whole buffer at the current offset.
    package func writeAll(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
        var done = 0
        while done < buffer.count {
            // SAFETY: `done` stays below the buffer's size, and write reads at most the size that it is given.
            done += try SystemError.retrying("write") {
                unsafe Glibc.write(number, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
        }
    }

    /// Writes every byte to a descriptor that may be non-blocking, such as a pipe.
    /// - Parameter patience: how long the call waits for room, each time that the descriptor is full.
    /// - Throws: `ETIMEDOUT` if there was no room in this time. A part of the bytes may have been written.
    package func writeAll(_ bytes: [UInt8], within patience: Duration) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(SystemError) {
                let count = try SystemError.retrying("write") {
                    // SAFETY: the call reads at most the bytes of the array.
                    unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            } catch {
                guard error.errno == EAGAIN else { throw error }
                guard wait(for: POLLOUT, until: MonotonicClock.deadline(after: patience)) else {
                    throw SystemError("write", errno: ETIMEDOUT)
                }
            }
        }
    }

    /// Sets a file's size. New bytes read as zero and use no memory until they are written.
    package func resize(to size: Int64) throws(SystemError) {
        _ = try SystemError.retrying("ftruncate") { ftruncate(number, off_t(size)) }
    }
}

// MARK: - Waiting

extension Descriptor {
    /// Blocks until the descriptor is readable or at its end, or until `deadline` of `MonotonicClock`.
    /// - Returns: whether the descriptor is readable or at its end.
    @discardableResult
    package func waitUntilReadable(until deadline: UInt64) -> Bool { wait(for: POLLIN, until: deadline) }

    fileprivate func wait(for event: Int32, until deadline: UInt64) -> Bool {
        var entry = pollfd(fd: number, events: Int16(event), revents: 0)
        while true {
            let remaining = MonotonicClock.remaining(until: deadline)
            let left = Int32(clamping: remaining / 1_000_000 + (remaining % 1_000_000 == 0 ? 0 : 1))
            // SAFETY: there is one entry, and only the call writes to it.
            let found = unsafe poll(&entry, 1, left)
            if found > 0 { return true }
            // If a signal handler interrupted the wait, the loop waits again.
            if found == 0 && left == 0 || found < 0 && errno != EINTR { return false }
        }
    }

    /// Whether the descriptor is readable, or becomes so before `patience` is over.
    package func isReadable(within patience: Duration = .zero) -> Bool {
        waitUntilReadable(until: MonotonicClock.deadline(after: patience))
    }

    /// Waits until no process can write to a new program file any more.
    ///
    /// If another thread of the process that wrote the file forks, the child process holds a copy of the descriptor
    /// that wrote the file. The child closes this copy when it executes another program. Until then the kernel
    /// refuses to execute the program (`ETXTBSY`).
    /// - Parameter path: a file of this user that no other process writes. If the file system has no leases, or a
    ///   writer never closes the file, the wait ends without an error. If a writer remains, executing the program
    ///   then fails.
    package static func settle(program path: String) throws(SystemError) {
        let file = try open(path, O_RDONLY)
        let setLease: Int32 = 1024  // F_SETLEASE, which Glibc's import lacks
        let deadline = MonotonicClock.deadline(after: longestSettling)
        // The kernel grants a read lease only if the file has no writer.
        while fcntl(file.number, setLease, F_RDLCK) != 0 {
            guard errno == EAGAIN, MonotonicClock.now() < deadline else { return }
            usleep(1000)
        }
        _ = fcntl(file.number, setLease, F_UNLCK)
    }

    private static var longestSettling: Duration { .seconds(60) }

    /// Makes reads and writes non-blocking. The flag belongs to the open file description, so use this method only for
    /// a description that no other process holds.
    package func stopBlocking() throws(SystemError) {
        _ = try SystemError.check("fcntl(F_SETFL)", annex_stop_blocking(number))
    }
}
