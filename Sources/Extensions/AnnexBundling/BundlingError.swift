internal import AnnexBundle
internal import AnnexLinux

/// Why no app was made. The error names the problem, its place and the remedy.
package struct BundlingError: Error, Sendable, Hashable {
    /// The kind of error, for programs.
    package enum Code: String, Sendable, Hashable {
        /// The file with the settings cannot be used.
        case settings
        /// The folder with the layout cannot be used.
        case layout
        /// A program that the layout names was not built, or cannot be read.
        case program
        /// There is already a file at the new app's path, or the path cannot be used.
        case place
        /// The system denied a resource or an operation.
        case system
    }

    package let code: Code
    /// The file that the error is about, escaped.
    package let place: String
    /// The problem, in a line.
    package let what: String
    /// The remedy; nil if it is not known.
    package let remedy: String?

    init(_ code: Code, place: String, what: String, remedy: String? = nil) {
        self.code = code
        self.place = "\(Escaped(place))"
        self.what = what
        self.remedy = remedy
    }

    init(_ error: SystemError, place: String, code: Code = .system) {
        self.init(code, place: place, what: "\(Escaped(error.cause))", remedy: error.remedy)
    }

    init(_ fault: BundleError) {
        code = .layout
        place = fault.place
        what = fault.what
        remedy = fault.remedy
    }
}

extension BundlingError: CustomStringConvertible {
    package var description: String { "\(place): \(what)" + (remedy.map { "; \($0)" } ?? "") }
}
