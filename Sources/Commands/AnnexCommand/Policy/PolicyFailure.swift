import AnnexLinux
import ArgumentParser

/// Runs a command's work; what it cannot read or use ends with exit status 2 and a line that says where and why.
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
