/// A place in a policy's text. Lines and columns count from 1.
public struct PolicyPlace: Sendable, Hashable {
    /// The file's name, for example `compute.yaml`.
    public let file: String
    public let line: Int
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension PolicyPlace: CustomStringConvertible {
    public var description: String { "\(file):\(line):\(column)" }
}
