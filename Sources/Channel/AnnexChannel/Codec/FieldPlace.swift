/// Where a field's bytes lie in the whole message. Plain numbers: a range would trap where they are the wrong way round.
@usableFromInline
struct FieldPlace: Sendable {
    @usableFromInline let start: Int
    @usableFromInline let end: Int

    @inlinable init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }
}
