/// What the program can do that one system call is not enough for; the numbers are those of `conduct.h`.
package enum Conduct: Int64, Sendable, Hashable, CaseIterable {
    /// Call [0] by the 32-bit gate of a 64-bit processor.
    case foreignGate = 1
}
