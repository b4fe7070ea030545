/// Finds who called whom on a copy of a stack, by the frame pointers that compilers save there.
///
/// Unwinding tables are not at hand, and of a held call the registers neither: the first saved frame pointer is then
/// looked for among the words above the stack pointer. A program that keeps none, or that writes its own stack, gets a
/// shorter or a wrong answer, and no answer can do more than stand in its own report.
package enum FrameWalk {
    /// Frames of one answer.
    package static let most = 32
    /// Bytes above the stack pointer that are looked at.
    package static let window = 64 << 10

    /// - Parameters:
    ///   - stack: a copy of the stack from the stack pointer on.
    ///   - base: the stack pointer.
    ///   - instruction: where the thread stands.
    ///   - frame: its frame pointer, where that is known.
    ///   - isCode: whether something at this address can be executed.
    package static func addresses(
        stack: [UInt8], base: UInt64, instruction: UInt64, frame: UInt64? = nil, isCode: (UInt64) -> Bool
    ) -> [UInt64] {
        let words = LittleEndian(Array(stack.prefix(window)))
        var found = [instruction]
        // Where the frame is known, only a jump to nowhere leaves out who called.
        let caller = frame == nil ? callerOfLeaf(words, isCode) : isCode(instruction) ? nil : top(words, isCode)
        var place = frame.map { self.place(of: $0, words, base) } ?? firstRecord(words, base, isCode)
        if let caller, place.map({ words.number(UInt64.self, at: $0 &+ 8) != caller }) ?? true { found.append(caller) }
        while let here = place, found.count < most, let address = words.number(UInt64.self, at: here &+ 8) {
            guard isCode(address) else { break }
            found.append(address)
            place = record(behind: here, words, base)
        }
        return found
    }

    /// A function that only makes the call keeps no frame: who called it stands among the first words, on processors
    /// that push the return address.
    private static func callerOfLeaf(_ words: LittleEndian, _ isCode: (UInt64) -> Bool) -> UInt64? {
        #if arch(x86_64)
            for index in 0..<16 {
                guard let word = words.number(UInt64.self, at: index &* 8) else { return nil }
                if isCode(word) { return word }
            }
        #endif
        return nil
    }

    /// What a call pushed last.
    private static func top(_ words: LittleEndian, _ isCode: (UInt64) -> Bool) -> UInt64? {
        words.number(UInt64.self, at: 0).flatMap { isCode($0) ? $0 : nil }
    }

    /// The lowest pair of a pointer further up the stack and an address in code.
    private static func firstRecord(_ words: LittleEndian, _ base: UInt64, _ isCode: (UInt64) -> Bool) -> Int? {
        for index in 0..<(window / 8) {
            let place = index &* 8
            guard let address = words.number(UInt64.self, at: place &+ 8) else { return nil }
            if isCode(address), record(behind: place, words, base) != nil { return place }
        }
        return nil
    }

    /// Where the frame pointer saved at `place` leads: further up and within the copy, so that every walk ends.
    private static func record(behind place: Int, _ words: LittleEndian, _ base: UInt64) -> Int? {
        guard let pointer = words.number(UInt64.self, at: place), let next = self.place(of: pointer, words, base),
            next > place
        else { return nil }
        return next
    }

    private static func place(of pointer: UInt64, _ words: LittleEndian, _ base: UInt64) -> Int? {
        guard pointer & 7 == 0, pointer >= base else { return nil }
        let distance = pointer &- base
        guard distance < UInt64(window), let place = Int(exactly: distance) else { return nil }
        return words.number(UInt64.self, at: place &+ 8) == nil ? nil : place
    }
}
