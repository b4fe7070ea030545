/// The descriptors' fixed numbers inside an extension's process.
public enum ChannelDescriptor {
    /// The control socket.
    public static let control: Int32 = 3
    /// The region that the host writes, open for reading only.
    public static let hostRegion: Int32 = 4
    /// The region that the extension writes.
    public static let extensionRegion: Int32 = 5
}
