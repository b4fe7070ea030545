/// What one sandbox was refused so far: one entry a kind of call, with its count, and never more than fit.
struct DenialLedger {
    /// Kinds kept; a program that invents new arguments for ever adds to the last entry's count only.
    static let capacity = 64

    private(set) var denials: [Denial] = []
    /// All refusals, also those whose kind found no room.
    private(set) var total = 0

    mutating func add(_ denial: Denial) {
        total += 1
        if let known = denials.firstIndex(where: { $0.call == denial.call && $0.text == denial.text }) {
            denials[known].count += 1
        } else if denials.count < Self.capacity {
            denials.append(denial)
        }
    }
}
