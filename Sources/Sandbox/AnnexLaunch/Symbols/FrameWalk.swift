/// Finds the chain of calls in a copy of a stack. It follows the frame pointers that compilers save on the stack.
///
/// Unwinding tables are not available. For a held call, the frame pointer is not available either. In that case the
/// walk searches for the first saved frame pointer among the words above the stack pointer. If a program keeps no frame
/// pointers or forges its stack, its backtrace is shorter or wrong. That harms only the report about this program.
package enum FrameWalk {
    /// The most frames of one backtrace.
    package static let most = 32
    /// How many bytes above the stack pointer the walk searches.
    package static let window = 64 << 10

    /// - Parameters:
    ///   - stack: a copy of the stack, beginning at the stack pointer.
    ///   - base: the stack pointer.
    ///   - instruction: the thread's instruction pointer.
    ///   - frame: the thread's frame pointer; nil if unknown.
    ///   - isCode: whether an address lies in executable memory.
    package static func addresses(
        stack: [UInt8], base: UInt64, instruction: UInt64, frame: UInt64? = nil, isCode: (UInt64) -> Bool
    ) -> [UInt64] {
        let words = LittleEndian(Array(stack.prefix(window)))
        var found = [instruction]
        // With a known frame pointer, the chain of frames is complete, with one exception: the thread called an address
        // that is not code. That call made no frame, so the chain lacks the calling function. The return address into
        // the calling function is at the top of the stack.
        let caller = frame == nil ? callerOfLeaf(words, isCode) : isCode(instruction) ? nil : top(words, isCode)
        var place =
            frame.map { self.place(of: $0, in: words, base: base) } ?? firstRecord(in: words, base: base, isCode)
        if let caller, place.map({ words.number(UInt64.self, at: $0 &+ 8) != caller }) ?? true { found.append(caller) }
        while let here = place, found.count < most, let address = words.number(UInt64.self, at: here &+ 8) {
            guard isCode(address) else { break }
            found.append(address)
            place = record(behind: here, in: words, base: base)
        }
        return found
    }

    /// Finds the caller of a function that only makes the system call and keeps no frame. If the processor pushes
    /// return addresses, the return address is among the first words of the stack.
    private static func callerOfLeaf(_ words: LittleEndian, _ isCode: (UInt64) -> Bool) -> UInt64? {
        #if arch(x86_64)
            for index in 0..<16 {
                guard let word = words.number(UInt64.self, at: index &* 8) else { return nil }
                if isCode(word) { return word }
            }
        #endif
        return nil
    }

    /// The value that the last call instruction pushed, if this value is an address in code.
    private static func top(_ words: LittleEndian, _ isCode: (UInt64) -> Bool) -> UInt64? {
        words.number(UInt64.self, at: 0).flatMap { isCode($0) ? $0 : nil }
    }

    /// The lowest pair of words that looks like a frame: first a pointer to a place further up the stack, then an
    /// address in code.
    private static func firstRecord(in words: LittleEndian, base: UInt64, _ isCode: (UInt64) -> Bool) -> Int? {
        for index in 0..<(window / 8) {
            let place = index &* 8
            guard let address = words.number(UInt64.self, at: place &+ 8) else { return nil }
            if isCode(address), record(behind: place, in: words, base: base) != nil { return place }
        }
        return nil
    }

    /// The frame that the saved frame pointer at `place` points to. This frame must lie further up and within the copy,
    /// so that every walk ends.
    private static func record(behind place: Int, in words: LittleEndian, base: UInt64) -> Int? {
        guard let pointer = words.number(UInt64.self, at: place),
            let next = self.place(of: pointer, in: words, base: base),
            next > place
        else { return nil }
        return next
    }

    private static func place(of pointer: UInt64, in words: LittleEndian, base: UInt64) -> Int? {
        guard pointer & 7 == 0, pointer >= base else { return nil }
        let distance = pointer &- base
        guard distance < UInt64(window), let place = Int(exactly: distance) else { return nil }
        return words.number(UInt64.self, at: place &+ 8) == nil ? nil : place
    }
}
