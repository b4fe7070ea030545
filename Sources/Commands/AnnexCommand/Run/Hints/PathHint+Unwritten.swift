import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// The notes after a success about a file that the program could not read or write. A program may go on without the file.
extension PathHint {
    /// - Returns: nil unless the program of root stated that it may not use a file in a place that was handed over.
    func unread(in errors: StatedErrors) -> String? {
        let paths = errors.lines.lazy.filter { $0.errno == EACCES }.flatMap(\.paths).prefix(Self.most)
        return paths.lazy.compactMap { path in
            // The list of credentials is read only for a file that is closed.
            closedFile.hint(path).flatMap(tried.without).flatMap { hint in
                CredentialPlaces().hold(path) ? nil : hint.line
            }
        }.first
    }

    /// - Returns: nil unless the program stated that it could not write or make something, and an option would let it.
    func unwritten(in errors: StatedErrors) -> String? {
        let examination = PathExamination(policy, directory: given.directory)
        // In some directories, the only cause of EACCES is that the program may not make files there.
        let lines = errors.lines.filter { $0.errno == EACCES || $0.statesFailedWrite }
        for (stated, path) in lines.lazy.flatMap({ line in line.subjects.map { (line, $0) } }).prefix(Self.most) {
            let place = PathText.resolved(path)
            // If the host lacks the directory, the text is no path, or the program has made the directory itself.
            guard !Self.isMissedByNobody(place), examination.isDirectory(place.parentPath),
                let finding = examination.finding(path, errno: stated.errno, makesFile: stated.statesFailedWrite),
                finding.rights.contains(.write), keys(finding, named: path) == nil,
                let hint = newPlace(finding, named: path, by: stated) ?? tried.without(hint(finding)),
                !hint.choices.isEmpty
            else { continue }
            return "\(PathText.shown(place, limit: 500)) was not written: \(hint.line)"
        }
        return nil
    }

    /// Whether the path is a file of the kernel or a device, or a cache in the caller's home.
    private static func isMissedByNobody(_ path: String) -> Bool {
        if ["/proc", "/sys", "/dev"].contains(where: { PathText.isPath(path, within: $0) }) { return true }
        guard let home = UserEnvironment.path("HOME"), PathText.isPath(path, within: home) else { return false }
        let name = PathText.parts(path).dropFirst(PathText.parts(home).count).joined(separator: "/")
        return HintTable.shipped.remade.contains { PathText.isPath(name, within: $0) }
    }
}

extension StatedErrors.Line {
    /// Whether the line says that something could not be written or made.
    fileprivate var statesFailedWrite: Bool {
        if errno == EROFS { return true }
        guard [EACCES, ENOENT].contains(errno) else { return false }
        let words = Set(text.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init))
        let isFailure = !words.isDisjoint(with: ["cannot", "can't", "couldn't", "not", "unable", "failed", "error"])
        let making = ["create", "creat", "write", "touch", "mkdir", "save"]
        return isFailure && makesFile && !words.isDisjoint(with: making)
    }
}
