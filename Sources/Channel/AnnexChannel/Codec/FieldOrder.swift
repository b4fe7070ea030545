/// How the tags of a message's fields follow each other.
@usableFromInline
enum FieldOrder {
    /// Each is larger than the one before: no field is there twice.
    case rising
    /// None is smaller than the one before: a search can begin where the last one ended.
    case neverFalling
    case any
}
