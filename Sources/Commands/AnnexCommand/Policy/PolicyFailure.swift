import AnnexLinux
import ArgumentParser

/// Runs a command's work. An input that it cannot read or use ends the command with exit status 2, and a line that
/// gives the place and the reason.
enum PolicyFailure {
    static let status = ExitCode(2)

    static func reported<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let exit as ExitCode {
            throw exit
        } catch let mistake as ValidationError {
            throw mistake
        } catch {
            StandardError.print("annex: \(Escaped("\(error)", limit: 4096))")
            throw status
        }
    }
}
