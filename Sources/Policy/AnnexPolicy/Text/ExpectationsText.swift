/// The names of expectation files: `NAME.expectations.yaml` stands beside `NAME.yaml`.
package enum ExpectationsText {
    package static let ending = ".expectations.yaml"

    package static func isName(_ file: String) -> Bool { file.hasSuffix(ending) }
}
