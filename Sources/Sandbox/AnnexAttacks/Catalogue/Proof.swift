/// The observation that proves the success of an attack. The first value of a case is the number of a step in the
/// attack's script, or a list of such numbers. The case `runsAgain` has no values.
package enum Proof: Sendable {
    /// The step succeeded, or failed with one of the errnos in the first set. Such an errno shows that every layer
    /// let the step pass, and that only its arguments were wrong. `absent`: the errnos with which the step fails on a
    /// kernel that lacks the feature that the step uses.
    case reaches(Int, Set<Int32>, absent: Set<Int32>)
    /// The step failed with this errno.
    case fails(Int, Int32)
    /// The step's result is at least this number.
    case atLeast(Int, Int64)
    /// The bytes that the step reported contain these bytes.
    case tells(Int, [UInt8])
    /// The bytes that the steps reported, joined in the order of the list, contain these bytes.
    case tellsInAll([Int], [UInt8])
    /// The program was executed a second time.
    case runsAgain
    /// The program reported the result of the step, and the function finds the attack's effect on the host.
    case onHost(Int, @Sendable () -> Bool)
    /// The program survived every step up to this one, so that it could report this step's result.
    case survives(Int)
    /// The step succeeded, and a descendant of the program was still alive when the time `outliving` had passed since
    /// the program's end. A descendant that was dying at the program's end would have been gone by then.
    case outlives(Int)
    /// The program held more objects than allowed, or prevented another program from working. The host measures both.
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

    /// Whether the program's own answers give this proof. For `onHost`, the function that observes the host must
    /// return true as well. For `outlives` and `measured`, the result is false, because answers alone cannot give
    /// these proofs.
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

    /// Whether the run must wait until no descendant of the program holds the pipe through which the program answers.
    var awaitsSilence: Bool { if case .outlives = self { true } else { false } }

    /// Whether the kernel reported that it does not have the feature that the step uses.
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
