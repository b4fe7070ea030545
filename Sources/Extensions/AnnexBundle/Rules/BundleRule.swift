/// A rule of packaging, with the number that the documentation gives it.
public enum BundleRule: String, Sendable, Hashable {
    /// An app is a directory `Name.app` with `Info.plist`, its executable and `PlugIns/*.appex`.
    case p1 = "P1"
    /// `Info.plist` is an ordinary property list with the ordinary keys, and no placeholder is left in it.
    case p2 = "P2"
    /// An extension lives inside its app, and its identifier starts with the app's.
    case p3 = "P3"
    /// An app does something itself: it has a program of its own.
    case p4 = "P4"
    /// An extension has a name to show.
    case p6 = "P6"
    /// The executable matches the machine, and other users cannot change it.
    case p7 = "P7"
}
