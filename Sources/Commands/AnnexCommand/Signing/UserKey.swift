import AnnexLinux
import AnnexPolicy
import AnnexSigning
import ArgumentParser
import Glibc

/// The user's own key.
enum UserKey {
    /// The file of the key: `$XDG_CONFIG_HOME/annex/team.key`, otherwise `~/.config/annex/team.key`.
    static var path: String { folder + "/team.key" }

    private static var folder: String {
        (environment("XDG_CONFIG_HOME") ?? ((environment("HOME") ?? "/") + "/.config")) + "/annex"
    }

    /// The value of an environment variable. By the rule of the XDG specification, a variable counts as not set if its
    /// value is not an absolute path.
    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.hasPrefix("/") ? text : nil
    }

    /// Creates the folder of the key if it is missing.
    static func makeFolder() throws(SigningError) {
        do throws(SystemError) {
            try Descriptor.makeDirectories(folder, mode: 0o700)
        } catch {
            throw SigningError(error, place: folder)
        }
    }
}

/// How the commands about keys and signatures print results and errors.
enum SigningOutput {
    /// Performs the command's work. If the work fails, prints the error with its remedy. If the error lists differences
    /// of the app, all of them are printed too.
    static func reporting(_ work: () throws(SigningError) -> Void) throws {
        do throws(SigningError) {
            try work()
        } catch {
            StandardError.print("annex: \(PlainText.shown("\(error)"))")
            for difference in error.differences { StandardError.print("  \(PlainText.shown("\(difference)"))") }
            throw ExitCode(1)
        }
    }

    /// Prints a team and the files of its key.
    static func show(_ team: Team, files: [(key: String, path: String)], asJSON: Bool) {
        if asJSON {
            let members = files.map { JSON.Member($0.key, value: .text($0.path)) }
            print(JSON.object(Self.members(of: team) + members).written)
        } else {
            print("team        \(team.name)\nidentifier  \(team.identifier)\npublic key  \(team.publicKey.hex)")
            for file in files { print("written     \(PlainText.shown(file.path))") }
        }
    }

    static func members(of team: Team) -> [JSON.Member] {
        [
            .init("name", value: .text(team.name)), .init("identifier", value: .text(team.identifier)),
            .init("publicKey", value: .text(team.publicKey.hex)),
        ]
    }
}
