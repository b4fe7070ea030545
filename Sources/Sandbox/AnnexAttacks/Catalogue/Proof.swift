/// The observation that proves the success of an attack.
package enum Proof: Sendable {
    /// The step succeeded, or failed with one of these errnos. Such an errno shows that every layer let the step pass,
    /// and that only its arguments were wrong. `absent`: the errnos of a kernel that does not have the feature.
    case reaches(Int, Set<Int32>, absent: Set<Int32>)
    /// The step failed with this errno.
    case fails(Int, Int32)
    /// The step's result is at least this number.
    case atLeast(Int, Int64)
    /// The step returned these bytes.
    case tells(Int, [UInt8])
    /// The steps together returned these bytes.
    case tellsInAll([Int], [UInt8])
    /// The program was executed a second time.
    case runsAgain
    /// The host sees the effect after the step. The number is the step that the program must have reached.
    case onHost(Int, @Sendable () -> Bool)
    /// The program survived every step.
    case survives(Int)
    /// A descendant was still alive so long after the program's end that it cannot have been dying already.
    case outlives(Int)
    /// The host counts more objects than allowed.
    case measured(Int)

    static func succeeds(_ step: Int) -> Proof { .reaches(step, [], absent: []) }

    /// The step that decides whether the attack succeeded.
    var step: Int {
        switch self {
        case .reaches(let step, _, _), .fails(let step, _), .atLeast(let step, _), .tells(let step, _),
            .onHost(let step, _), .survives(let step), .outlives(let step), .measured(let step):
            step
        case .tellsInAll(let steps, _): steps.first ?? -1
        case .runsAgain: .max
        }
    }

    /// A descendant has outlived its program if it is still alive this long after the program's end.
    static let outliving = Duration.seconds(2)

    func isGiven(by outcome: TrialOutcome) -> Bool {
        switch self {
        case .outlives(let step): outcome.answers.succeeded(step) && outcome.silence >= Self.outliving
        case .measured: outcome.measured?.isExceeded == true
        default: isGiven(by: outcome.answers)
        }
    }

    /// Whether the program's own answers give this proof. Only `onHost` also uses an observation of the host.
    func isGiven(by answers: TrialAnswers) -> Bool {
        switch self {
        case .reaches(let step, let errnos, _):
            answers.succeeded(step) || answers.errno(step).map(errnos.contains) == true
        case .fails(let step, let number): answers.errno(step) == number
        case .atLeast(let step, let bound): answers.results[step].map { $0 >= bound } == true
        case .tells(let step, let bytes): answers.reported[step].map { Self.holds($0, part: bytes) } == true
        case .tellsInAll(let steps, let bytes): Self.holds(steps.flatMap { answers.reported[$0] ?? [] }, part: bytes)
        case .runsAgain: answers.beginnings > 1
        case .onHost(let step, let check): answers.results[step] != nil && check()
        case .survives(let step): answers.results[step] != nil
        case .outlives, .measured: false
        }
    }

    /// Whether the run must wait until no descendant of the program holds the answer pipe any more.
    var awaitsSilence: Bool { if case .outlives = self { true } else { false } }

    /// Whether the kernel reported that it does not have the feature.
    func isAbsent(by answers: TrialAnswers) -> Bool {
        guard let number = answers.errno(step) else { return false }
        guard case .reaches(_, _, let absent) = self else { return number == Self.noSuchCall }
        return number == Self.noSuchCall || absent.contains(number)
    }

    private static let noSuchCall: Int32 = 38

    private static func holds(_ bytes: [UInt8], part: [UInt8]) -> Bool {
        guard !part.isEmpty, bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }
}
