internal import AnnexLinux
internal import AnnexTransferWire
internal import Glibc

/// The files of one job: those that an upload reads, or the destination of a download. Each byte is read and written at
/// an offset of its own, so that nothing depends on offsets that the broker could share.
struct JobFiles: ~Copyable {
    private let descriptors: DescriptorList
    private let sizes: [UInt64]
    private var places: [UInt64]

    init(_ descriptors: consuming DescriptorList, of work: TransferWork) {
        self.descriptors = descriptors
        switch work {
        case .download: sizes = []
        case .upload(let size): sizes = [size]
        case .form(let parts): sizes = parts.compactMap(\.size)
        }
        places = [UInt64](repeating: 0, count: sizes.count)
    }

    /// Whether every file is a regular file, and has its stated size.
    func areSound() -> Bool {
        for index in descriptors.numbers.indices where !hasStatedSize(index) { return false }
        return true
    }

    private func hasStatedSize(_ index: Int) -> Bool {
        var status = stat()
        // SAFETY: the call writes one stat.
        guard unsafe fstat(descriptors.numbers[index], &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return false
        }
        return sizes.isEmpty || UInt64(clamping: status.st_size) == sizes[index]
    }

    mutating func rewind() { places = [UInt64](repeating: 0, count: places.count) }

    mutating func rewind(_ index: Int, to offset: Int64) -> Bool {
        guard places.indices.contains(index), let offset = UInt64(exactly: offset), offset <= sizes[index] else {
            return false
        }
        places[index] = offset
        return true
    }

    /// Reads the next bytes of a file.
    /// - Returns: nil if the file cannot be read, or has no longer its stated size.
    mutating func fill(_ room: inout MutableRawSpan, from index: Int) -> Int? {
        guard places.indices.contains(index) else { return nil }
        let left = sizes[index] - places[index]
        guard left > 0 else { return 0 }
        let (number, place) = (descriptors.numbers[index], places[index])
        let wanted = Int(min(UInt64(room.byteCount), left))
        // SAFETY: pread writes at most `wanted` bytes, which the memory has.
        let count = unsafe room.withUnsafeMutableBytes { memory in
            Self.retried { unsafe pread(number, memory.baseAddress, wanted, off_t(place)) }
        }
        guard count > 0 else { return nil }
        places[index] += UInt64(count)
        return places[index] < sizes[index] || hasStatedSize(index) ? count : nil
    }

    /// Empties the destination.
    func empty() -> Bool { ftruncate(descriptors.numbers[0], 0) == 0 }

    /// Writes all bytes into the destination.
    func write(_ bytes: RawSpan, at offset: UInt64) -> Bool {
        let number = descriptors.numbers[0]
        return unsafe bytes.withUnsafeBytes { memory in
            var done = 0
            while done < memory.count {
                let (rest, place) = unsafe (memory[done...], off_t(offset) + off_t(done))
                // SAFETY: pwrite reads only the bytes of this part.
                let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
                let count = Self.retried { unsafe pwrite(number, part.baseAddress, part.count, place) }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// A call that a signal interrupted is made again.
    private static func retried(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
