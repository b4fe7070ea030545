/// Finds who called whom on a copy of a stack, by the frame pointers that compilers save there.
///
/// Neither the registers nor unwinding tables are at hand: the first saved frame pointer is looked for among the words
/// above the stack pointer. A program that keeps none, or that writes its own stack, gets a shorter or a wrong answer,
/// and no answer can do more than stand in its own report.
package enum FrameWalk {
    /// Frames of one answer.
    package static let most = 32
    /// Bytes above the stack pointer that are looked at.
    package static let window = 64 << 10

    /// - Parameters:
    ///   - stack: a copy of the stack from the stack pointer on.
    ///   - base: the stack pointer.
    ///   - instruction: where the thread stands.
    ///   - isCode: whether something at this address can be executed.
    package static func addresses(
        stack: [UInt8], base: UInt64, instruction: UInt64, isCode: (UInt64) -> Bool
    ) -> [UInt64] {
        let words = LittleEndian(Array(stack.prefix(window)))
        var found = [instruction]
        let caller = callerOfLeaf(words, isCode)
        var place = firstRecord(words, base, isCode)
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
        guard let pointer = words.number(UInt64.self, at: place), pointer & 7 == 0, pointer > base else { return nil }
        let distance = pointer &- base
        guard distance < UInt64(window), let next = Int(exactly: distance), next > place else { return nil }
        return words.number(UInt64.self, at: next &+ 8) == nil ? nil : next
    }
}
