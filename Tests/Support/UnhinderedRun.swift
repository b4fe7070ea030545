/// Repeats a run until its result keeps a bound that Annex keeps if its threads get a processor in time.
///
/// While other tests occupy all processors, the thread that reads the kernel's counts may wait longer than the program
/// that it reads about. One run that keeps the bound shows that Annex looks often enough. The other tests end at some
/// time, so many runs are made before the bound counts as broken.
/// - Returns: the results of all runs, of which only the last one can keep the bound.
public func untilUnhindered(
    atMost bound: UInt64, _ run: () async throws -> UInt64
) async throws -> [UInt64] {
    var results: [UInt64] = []
    repeat { results.append(try await run()) } while results.allSatisfy { $0 > bound } && results.count < 25
    return results
}
