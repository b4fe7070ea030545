/// The outcome of each file of the corpus, by the number at the start of its name. An outcome is `read`, or each broken rule with the keys
/// at which it is broken. The prefixes `CFBundle`, `NSExtension` and `com.apple.security.` are omitted.
enum CorpusOutcomes {
    /// The files as they are. Nearly all are source files with placeholders that a build fills in.
    static let unfilled: [(outcome: String, files: [Int])] = [
        (
            "P2 Identifier Name Version ShortVersionString Executable",
            [1, 10, 29, 32, 40, 42, 51, 53, 57, 72, 79]
        ),
        (
            "P2 Identifier Name DisplayName Version ShortVersionString Executable PrincipalClass",
            [2, 3, 4, 41]
        ),
        (
            "P2 Identifier Name Version ShortVersionString Executable PrincipalClass",
            [5, 8, 11, 18, 28, 35, 36]
        ),
        (
            "P2 Identifier Name Executable",
            [6, 12, 13, 23, 24, 34, 39, 54, 67, 74]
        ),
        (
            "P2 Identifier Version; P7 Executable",
            [7, 37, 49]
        ),
        (
            "P2 Identifier; P7 Executable",
            [9, 14, 15, 16, 19, 22, 43, 45, 46, 55]
        ),
        (
            "P2 Identifier Name DisplayName Version ShortVersionString Executable",
            [17, 20, 73]
        ),
        (
            "P2 Identifier Name Executable PrincipalClass",
            [21, 25, 26, 27, 30, 33, 48, 66]
        ),
        (
            "P2 Identifier Name PrincipalClass; P7 Executable",
            [31]
        ),
        (
            "P2 Identifier PrincipalClass; P7 Executable",
            [38, 47, 56, 59, 68, 69, 70]
        ),
        (
            "P2 Identifier Name ShortVersionString LSMinimumSystemVersion Executable PrincipalClass",
            [44]
        ),
        (
            "P2 Identifier Version ShortVersionString PrincipalClass; P7 Executable",
            [50]
        ),
        (
            "P2 Name Executable",
            [52]
        ),
        (
            "P2 Identifier Name Version ShortVersionString LSMinimumSystemVersion Executable",
            [58]
        ),
        (
            "P2 Identifier DisplayName; P7 Executable",
            [60]
        ),
        (
            "P2 Identifier Name DisplayName LSMinimumSystemVersion Executable PrincipalClass",
            [61]
        ),
        (
            "P2 Identifier Name Version Executable",
            [62]
        ),
        (
            "P2 Identifier Name Version ShortVersionString LSMinimumSystemVersion Executable PrincipalClass",
            [63, 64, 65]
        ),
        (
            "P2 Identifier Name ShortVersionString Executable",
            [71]
        ),
        (
            "P2 Identifier Name LSMinimumSystemVersion Executable PrincipalClass",
            [75]
        ),
        (
            "P7 Executable",
            [76, 77, 78]
        ),
        (
            "read",
            [80, 82, 83, 84, 85, 86, 88, 90, 91]
        ),
        (
            "entitlements application-groups",
            [81, 87, 89]
        ),
    ]
}
