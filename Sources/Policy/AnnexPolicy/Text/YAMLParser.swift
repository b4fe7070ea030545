internal import CAnnexYAML

/// Reads the libyaml events of one text, in their order.
///
/// The parser uses libyaml directly. The Swift wrappers of libyaml load all of Foundation, which takes too long for a
/// program that starts in a millisecond.
@safe struct YAMLParser: ~Copyable {
    enum Event: Sendable {
        case scalar(String)
        case beginSequence, endSequence
        case beginMapping, endMapping
        case beginDocument
        case end
    }

    /// The parser is on the heap because it stores addresses into itself.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) throws(YAMLFailure) {
        unsafe parser = .allocate(capacity: 1)
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = unsafe copy.initialize(fromContentsOf: text.utf8)
        unsafe bytes = copy
        // SAFETY: the function initializes the struct. If it fails, it has not allocated anything in the struct.
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            // `deinit` always deletes the parser. libyaml allows this for a struct of zeroes.
            unsafe parser.initialize(to: yaml_parser_t())
            throw YAMLFailure(problem: "out of memory", mark: YAMLMark(line: 1, column: 1))
        }
        // The encoding is set explicitly. Otherwise libyaml would guess the encoding from a byte order mark at the
        // start of the text.
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        // SAFETY: the bytes live as long as the parser, and only the parser reads them.
        unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        // SAFETY: no code reads the parser or its text after this.
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe bytes.deallocate()
    }

    /// The next event, and the place where it begins. Anchors, aliases and tags make this function throw.
    mutating func next() throws(YAMLFailure) -> (event: Event, mark: YAMLMark) {
        while true {
            var event = unsafe yaml_event_t()
            // SAFETY: a filled event is deleted below exactly once, on every path.
            guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw failure() }
            defer { unsafe yaml_event_delete(&event) }
            let mark = unsafe YAMLMark(event.start_mark)
            if let known = try unsafe Self.event(event, at: mark) { return (known, mark) }
        }
    }

    /// - Returns: nil for an event that has no meaning here.
    private static func event(_ event: yaml_event_t, at mark: YAMLMark) throws(YAMLFailure) -> Event? {
        switch unsafe event.type {
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            try unsafe reject(anchor: scalar.anchor, tag: scalar.tag, at: mark)
            // SAFETY: the event holds `length` bytes until it is deleted.
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .scalar(unsafe String(decoding: bytes, as: UTF8.self))
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe event.data.sequence_start
            try unsafe reject(anchor: start.anchor, tag: start.tag, at: mark)
            return .beginSequence
        case YAML_MAPPING_START_EVENT:
            let start = unsafe event.data.mapping_start
            try unsafe reject(anchor: start.anchor, tag: start.tag, at: mark)
            return .beginMapping
        case YAML_SEQUENCE_END_EVENT: return .endSequence
        case YAML_MAPPING_END_EVENT: return .endMapping
        case YAML_DOCUMENT_START_EVENT: return .beginDocument
        case YAML_STREAM_END_EVENT: return .end
        case YAML_ALIAS_EVENT: throw YAMLFailure(problem: anchors, mark: mark)
        default: return nil
        }
    }

    private static let anchors = "anchors and aliases (`&name`, `*name`) are not allowed in policies"

    /// Refuses anchors and tags. With aliases of aliases, a short text can stand for an endless text. References also
    /// make a policy hard to read.
    private static func reject(
        anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?, at mark: YAMLMark
    ) throws(YAMLFailure) {
        if unsafe anchor != nil { throw YAMLFailure(problem: anchors, mark: mark) }
        if unsafe tag != nil { throw YAMLFailure(problem: "tags (`!name`) are not allowed in policies", mark: mark) }
    }

    private func failure() -> YAMLFailure {
        // SAFETY: the texts are constants of libyaml.
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "out of memory"
        return YAMLFailure(problem: problem, mark: unsafe YAMLMark(parser.pointee.problem_mark))
    }
}

extension YAMLMark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
    }
}
