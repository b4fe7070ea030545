import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// The hint about a path below the program's own HOME, if the caller's home has what the program did not find.
struct HomeHint {
    let home: ProgramsHome
    let policy: Policy

    /// - Parameters:
    ///   - path: a path that the program printed.
    ///   - line: the line in which it stands; nil if it is about no error.
    func hint(_ path: String, in line: StatedErrors.Line? = nil) -> RunHint? {
        guard [0, ENOENT].contains(line?.errno ?? ENOENT), let real = home.real,
            let name = home.name(of: PathText.resolved(path))
        else { return nil }
        let place = "\(real)/\(name)"
        let finding = PathExamination(policy).finding(place, errno: ENOENT, makesFile: line?.makesFile == true)
        guard let finding, finding.fault == .notShown else { return nil }
        if finding.rights.contains(.write) { return writing(name, isDirectory: line?.made == .directory) }
        return reading(name, rights: finding.rights)
    }

    private func reading(_ name: String, rights: PathRights) -> RunHint? {
        let unit = ProgramsHome.unit(of: name)
        let whole = ProgramsHome.isDelicate(unit) ? name : unit
        let places = [whole, name].compactMap { name in home.real.map { "\($0)/\(name)" } }
        guard let named = places.last,
            let grant = places.lazy.compactMap({ GrantOption(for: $0, rights: rights, beside: policy) }).first
        else { return nil }
        let choice = RunChoice("--env", "HOME", grant.name, grant.path)
        return RunHint(line: cause(named) + "add \(choice.shown)", choices: [choice])
    }

    private func writing(_ name: String, isDirectory: Bool) -> RunHint? {
        let unit = ProgramsHome.unit(of: name)
        let remedy = HomeRemedy(for: unit != name || isDirectory ? [unit] : nil, in: home, policy: policy)
        let above = home.real.map { "\($0)/\(name)".parentPath } ?? ""
        return RunHint(line: cause(above) + remedy.text, choices: remedy.choice.map { [$0] } ?? [])
    }

    private func cause(_ place: String) -> String {
        "HOME is \(PathText.shown(home.place, limit: 500)) in the sandbox, so the program did not find "
            + "\(PathText.shown(place, limit: 500)): "
    }
}
