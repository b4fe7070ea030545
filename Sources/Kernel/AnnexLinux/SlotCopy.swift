internal import Glibc

/// A copy of another process's slot. The slot is copied only once, because the other process can change it at any time.
/// The other process chose the numbers and texts freely, so this process may only show them.
package struct SlotCopy: Sendable {
    private let bytes: [UInt8]

    package var number: UInt64 { word(SlotLayout.number) }

    /// When the slot was taken, on the monotonic clock, in nanoseconds.
    package var takenAt: UInt64 { word(SlotLayout.takenAt) }

    package func word(_ word: Int) -> UInt64 { Self.number(bytes, at: word * 8) ?? 0 }

    package func text(_ place: SlotLayout.Text) -> String {
        String(decoding: bytes.dropFirst(place.offset).prefix(place.size).prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func number<Value: FixedWidthInteger & BitwiseCopyable>(_ bytes: [UInt8], at offset: Int) -> Value? {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}

extension SlotCopy {
    /// Copies the slots that a process uses now. The call does not delay that process. The caller needs the right to
    /// read the process's `/proc/PID/fd`. Processes of the same user have this right.
    /// - Returns: no slots if the process has no such file.
    package static func all(_ layout: SlotLayout, of process: Int32) throws -> [SlotCopy] {
        var most = 1 << 20
        return try all(layout, of: process, atMost: &most)
    }

    /// Copies the slots that a process uses. The call examines a limited number of descriptors.
    /// - Parameter most: the maximum number of descriptors to examine. The call subtracts the number that it examined.
    package static func all(
        _ layout: SlotLayout, of process: Int32, atMost most: inout Int
    ) throws -> [SlotCopy] {
        let paths = try names(of: process, atMost: &most).map { "/proc/\(process)/fd/\($0)" }
        for path in paths where leads(path, to: layout) {
            do throws(SystemError) {
                if let copies = try read(path, layout) { return copies }
            } catch {
                // A process that reads its own slots has the file open under a second number for a moment. If the path
                // no longer leads to the file, the error does not count.
                if error.errno != ENOENT, leads(path, to: layout) { throw error }
            }
        }
        return []
    }

    private static func names(of process: Int32, atMost most: inout Int) throws -> [String] {
        let folder = try Descriptor.directory("/proc/\(process)/fd")
        do throws(SystemError) {
            let entries = try folder.entries(atMost: most)
            most -= entries.count
            return entries.compactMap(\.name)
        } catch {
            if error.errno == EFBIG { most = 0 }
            throw error
        }
    }

    /// Whether the descriptor is the process's own file of slots. A process that reads the slots of another process has
    /// a file of slots open too, but not for writing.
    private static func leads(_ path: String, to layout: SlotLayout) -> Bool {
        var link = stat()
        // SAFETY: the call writes the whole structure, or fails. The link's mode shows whether the descriptor is
        // writable.
        guard unsafe lstat(path, &link) == 0, link.st_mode & S_IWUSR != 0 else { return false }
        var target = [CChar](repeating: 0, count: 64)
        // SAFETY: the call writes at most as many bytes as the array has.
        let count = unsafe readlink(path, &target, target.count)
        guard count > 0 else { return false }
        let text = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("/memfd:\(layout.name)")
    }

    /// - Returns: nil if the path does not lead to a file of slots, or does not lead to it any more.
    private static func read(_ path: String, _ layout: SlotLayout) throws(SystemError) -> [SlotCopy]? {
        // The object is opened with `O_PATH` before it is opened for reading. The descriptor's number may refer to a
        // device by now, and opening a device for reading can have side effects.
        let object = try Descriptor.reference(to: path)
        // If another user's program serves the object's file system, that program could delay its answers forever.
        guard object.isPlainSharedMemory, try object.status().kind == .regular else { return nil }
        let file = try object.reopenedReadOnly()
        return all(layout, header: try file.read(at: 0, count: SlotLayout.used + 8)) { count in
            try? file.read(at: Int64(layout.slotSize), count: count)
        }
    }

    /// - Parameter rest: returns the given number of bytes after the header. It returns fewer bytes if the file ends
    ///   earlier, and nil if the file cannot be read.
    static func all(_ layout: SlotLayout, header: [UInt8], rest: (Int) -> [UInt8]?) -> [SlotCopy]? {
        let known = [layout.magic, layout.version, UInt32(layout.slotSize), UInt32(layout.slots)]
        guard known.enumerated().allSatisfy({ number(header, at: $0 * 4) == $1 }),
            let used: UInt64 = number(header, at: SlotLayout.used),
            let bytes = rest(Int(min(used, UInt64(layout.slots))) * layout.slotSize)
        else { return nil }
        return stride(from: 0, to: bytes.count, by: layout.slotSize).compactMap { start in
            let copy = SlotCopy(bytes: Array(bytes[start..<min(start + layout.slotSize, bytes.count)]))
            return copy.number == 0 ? nil : copy
        }
    }
}
