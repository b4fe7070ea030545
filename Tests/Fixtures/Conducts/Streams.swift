public import AnnexChannel

/// A stream of words that a task of the extension serves. The first word says what the extension does.
public enum Dialogue: ChannelStreamKind {
    public static let method: UInt16 = 24
    public typealias Arguments = Word
    public typealias FromHost = Word
    public typealias FromExtension = Word
}

/// The same stream, served without a task. The extension sends the words back.
public enum Steps: ChannelStreamKind {
    public static let method: UInt16 = 25
    public typealias Arguments = NoContent
    public typealias FromHost = Word
    public typealias FromExtension = Word
}

/// A stream that the extension opens.
public enum Diary: ChannelStreamKind {
    public static let method: UInt16 = 26
    public typealias Arguments = Word
    public typealias FromHost = Word
    public typealias FromExtension = Word
}

/// A stream on which the extension sends bytes that are not a word.
public enum Babble: ChannelStreamKind {
    public static let method: UInt16 = 27
    public typealias Arguments = NoContent
    public typealias FromHost = Word
    public typealias FromExtension = Word
}

/// A stream that no extension serves.
public enum Silence: ChannelStreamKind {
    public static let method: UInt16 = 28
    public typealias Arguments = NoContent
    public typealias FromHost = Word
    public typealias FromExtension = Word
}
