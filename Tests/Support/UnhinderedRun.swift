import Glibc

/// Repeats a run until its result keeps a bound that Annex keeps if its threads get a processor in time.
///
/// While other tests occupy all processors, the thread that reads the kernel's counts may wait longer than the program
/// that it reads about. One run that keeps the bound shows that Annex looks often enough. On a machine with free
/// processors, five runs decide. On a busy one there are up to 25, because the other tests end at some time.
/// - Returns: the results of all runs, of which only the last one can keep the bound.
public func untilUnhindered(
    atMost bound: UInt64, _ run: () async throws -> UInt64
) async throws -> [UInt64] {
    var results: [UInt64] = []
    repeat {
        results.append(try await run())
    } while results.allSatisfy { $0 > bound } && results.count < (isMachineBusy ? 25 : 5)
    return results
}

/// Whether more threads wanted to run in the last minute than there are processors.
private var isMachineBusy: Bool {
    var load = 0.0
    return getloadavg(&load, 1) == 1 && load > Double(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
}
