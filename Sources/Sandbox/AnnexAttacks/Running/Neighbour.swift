internal import AnnexLinux
internal import Glibc

/// A program that runs outside every sandbox, as this process's user. It shows what the user's other programs can
/// still do.
enum Neighbour {
    /// Whether the program could perform its task.
    enum Answer {
        case notAsked, works, cannotWork
        /// The program could not be run, for this reason.
        case unknown(String)
    }

    static func answer(to script: TrialScript, _ proof: Proof, program: String) -> Answer {
        do throws(TrialFailure) {
            let (answers, status) = try run(script, program: program)
            guard answers.hasBegun else {
                return .unknown("another program could not begin: it ended with status \(status)")
            }
            return proof.isGiven(by: answers) ? .works : .cannotWork
        } catch {
            return .unknown("another program could not begin: \(error)")
        }
    }

    /// Runs a script to its end. The program has the usual limit of descriptors, regardless of this process's limit.
    ///
    /// - Parameter program: the path of the trial's program.
    private static func run(_ script: TrialScript, program: String) throws(TrialFailure) -> (
        TrialAnswers, status: Int32
    ) {
        let request = try TrialSandbox.request(script)
        var ends = try TrialSandbox.system { () throws(SystemError) in
            try DescriptorPair.pipe(nonBlocking: false).list()
        }
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw TrialFailure("a pipe without ends")
        }
        let child = try spawn(program, request: request.number, answers: writing.number)
        _ = consume writing
        let bytes = (try? reading.readAll(atMost: 1 << 20)) ?? []
        var status: Int32 = 0
        // SAFETY: the call writes one number. The child belongs to this function.
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return (TrialAnswers(bytes), status)
    }

    /// Starts the program. It reads its request from descriptor 3 and writes its answers to descriptor 4.
    private static func spawn(_ program: String, request: Int32, answers: Int32) throws(TrialFailure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var child: pid_t = 0
        // SAFETY: the actions are made before they are used and destroyed afterwards. All texts outlive the call.
        let status = unsafe program.withCString { path in
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            // Both descriptors are first copied to higher numbers. Otherwise, one copy could overwrite the other
            // descriptor.
            let spare = max(request, answers, 4) + 1
            for (number, place) in [(request, spare), (answers, spare + 1), (spare, 3), (spare + 1, 4)] {
                unsafe posix_spawn_file_actions_adddup2(&actions, number, place)
            }
            var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [UnsafeMutablePointer(mutating: path), nil]
            return unsafe posix_spawn(&child, path, &actions, nil, &arguments, nil)
        }
        guard status == 0 else { throw TrialFailure("posix_spawn \(program): \(Errno.name(status))") }
        return child
    }
}
