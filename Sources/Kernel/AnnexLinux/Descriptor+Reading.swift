internal import Glibc

extension Descriptor {
    /// Reads everything from the current offset to the end.
    /// - Throws: `EFBIG` if there are more than `cap` bytes. Never more than `cap + 1` bytes are held.
    package func readAll(atMost cap: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var room = min(cap, 4096)
        while true {
            // Reading one byte more than allowed distinguishes "just fits" from "too much".
            let part = try readSome(atMost: min(max(room, 1), cap - bytes.count + 1))
            if part.isEmpty { return bytes }
            bytes += part
            if bytes.count > cap { throw SystemError("read", errno: EFBIG, remedy: "at most \(cap) bytes are taken") }
            room = min(room * 2, 1 << 20)
        }
    }

    /// The result of one read(2): empty at the end.
    /// - Throws: `EAGAIN` if the descriptor is non-blocking and has no data.
    package func readSome(atMost cap: Int) throws(SystemError) -> [UInt8] {
        // SAFETY: read writes into the buffer's own bounds.
        unsafe try gather(cap) { (room) throws(SystemError) in
            try SystemError.retrying("read") { unsafe Glibc.read(number, room.baseAddress, room.count) }
        }
    }

    /// Reads bytes at an offset without moving the file's own offset. Fewer than `count` arrive only at the file's end.
    package func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        // SAFETY: fill writes into the buffer's own bounds.
        unsafe try gather(count) { (room) throws(SystemError) in
            try unsafe fill(room, from: offset)
        }
    }

    /// Fills a buffer from an offset in the file. Returns how many bytes there were.
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
