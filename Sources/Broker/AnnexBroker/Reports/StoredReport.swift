package import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// A report that was read from a folder. Any user may have written the report: escape its texts before showing them.
package struct StoredReport: Sendable {
    /// The time of the end, in UTC.
    package let time: String
    package let identifier: String
    package let reason: String
    package let detail: String
    /// The whole report.
    package let json: JSON

    private init?(_ json: JSON) {
        guard let time = json["time"]?.text, let identifier = json["identifier"]?.text,
            let reason = json["reason"]?.text
        else { return nil }
        self.time = time
        self.identifier = identifier
        self.reason = reason
        detail = json["detail"]?.text ?? ""
        self.json = json
    }
}

extension StoredReport {
    /// A file that is not a valid report, and the reason why it is not valid.
    package struct Flaw: Error, Sendable {
        package let file: String
        package let why: String
    }

    /// Reads the reports in a folder, the newest first. All other files in the folder are listed as flaws.
    /// - Parameters:
    ///   - identifier: the extension whose reports are wanted; nil for every extension.
    ///   - most: the most reports to return. Reading stops at this number.
    ///   - isWanted: decides whether a report is returned.
    /// - Throws: an error if the folder cannot be read, or holds more than `ReportFolder.mostNames` names.
    package static func all(
        in path: String, of identifier: String? = nil, atMost most: Int = .max,
        where isWanted: (StoredReport) -> Bool = { _ in true }
    ) throws(SystemError) -> (reports: [StoredReport], flaws: [Flaw]) {
        let folder = try ReportFolder.existing(path)
        let owner = try folder.descriptor.status().user
        var reports: [StoredReport] = []
        var flaws: [Flaw] = []
        var names: [ReportName] = []
        for entry in try folder.descriptor.entries(atMost: ReportFolder.mostNames) {
            guard let text = entry.name else {
                flaws.append(Flaw(file: "a name that is not UTF-8", why: "not a report"))
                continue
            }
            if let name = ReportName(text) {
                names.append(name)
            } else if !text.hasPrefix(".") {
                flaws.append(Flaw(file: text, why: "not the name of a report"))
            }
        }
        for name in names.sorted(by: >) where identifier == nil || name.identifier == identifier {
            if reports.count >= most { break }
            do throws(Flaw) {
                let report = try read(name, in: folder, of: owner)
                if isWanted(report) { reports.append(report) }
            } catch {
                // If a report was removed meanwhile, this is not a flaw.
                if !error.why.isEmpty { flaws.append(error) }
            }
        }
        return (reports, flaws)
    }

    private static func read(
        _ name: ReportName, in folder: borrowing ReportFolder, of owner: UInt32
    ) throws(Flaw) -> StoredReport {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try contents(name, in: folder, of: owner)
        } catch {
            throw Flaw(file: name.text, why: error.errno == ENOENT ? "" : error.remedy ?? Errno.text(error.errno))
        }
        let json: JSON
        do throws(PolicyError) {
            json = try JSON(reading: bytes, file: name.text)
        } catch {
            throw Flaw(file: name.text, why: error.problem)
        }
        guard let report = StoredReport(json) else {
            throw Flaw(file: name.text, why: "lacks the time, the identifier or the reason")
        }
        return report
    }

    /// - Throws: the error of opening or reading the file. If a check shows that no broker wrote the file, the
    ///   error's `remedy` names the failed check.
    private static func contents(
        _ name: ReportName, in folder: borrowing ReportFolder, of owner: UInt32
    ) throws(SystemError) -> [UInt8] {
        // With `O_NONBLOCK`, opening a pipe or a device does not block. The check of the kind then rejects the file.
        let file = try folder.descriptor.openBeneath(name.text, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try file.status()
        func check(_ holds: Bool, otherwise why: String) throws(SystemError) {
            if !holds { throw SystemError("open", errno: EINVAL, remedy: why) }
        }
        try check(status.kind == .regular, otherwise: "not a regular file")
        try check(status.user == owner, otherwise: "belongs to user \(status.user), but its folder to user \(owner)")
        try check(status.links == 1, otherwise: "has a second name: it is a hard link")
        try check(status.size <= Int64(ReportFolder.largest), otherwise: "larger than any report")
        return try file.readAll(atMost: ReportFolder.largest)
    }
}
