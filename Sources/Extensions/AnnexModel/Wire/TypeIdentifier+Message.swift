public import AnnexChannel

extension TypeIdentifier: FieldValue {
    public func write(to encoder: inout MessageEncoder) {
        rawValue.write(to: &encoder)
    }

    public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self.init(rawValue: try field.text())
        guard isWellFormed else { throw field.failure(.refused("is no type identifier")) }
    }
}
