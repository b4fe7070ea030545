import Glibc

/// A user and a group without names on this machine.
public enum UnknownUser {
    public static let number: UInt32 = (4242..<5242).first { getpwuid($0) == nil } ?? 4242
    public static let group: UInt32 = (4243..<5243).first { $0 != number && getgrgid($0) == nil } ?? 4243
}
