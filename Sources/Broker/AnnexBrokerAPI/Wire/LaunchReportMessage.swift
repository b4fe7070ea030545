internal import AnnexChannel

/// The wire form of a launch report.
struct LaunchReportMessage: Message {
    let value: LaunchReport

    init(_ value: LaunchReport) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.waited.wireNanoseconds, as: 1)
        encoder.encode(list: value.steps.map(StepMessage.init), as: 2)
        encoder.encode(list: value.layers, as: 3)
        encoder.encode(list: value.waived.map(WaiverMessage.init), as: 4)
        encoder.encode(value.policy, as: 5)
        encoder.encode(list: value.limits.map(LimitMessage.init), as: 6)
        encoder.encode(value.memoryLimit, as: 7)
        encoder.encode(value.memory.rawValue, as: 8)
        encoder.encode(value.privateDirectory?.rawValue, as: 9)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let waited = Duration(wire: try decoder.decode(1, as: UInt64.self))
        let steps = try decoder.decodeList(2, of: StepMessage.self)
        let layers = try decoder.decodeList(3, of: String.self)
        let waived = try decoder.decodeList(4, of: WaiverMessage.self)
        let policy = try decoder.decode(5, as: String.self)
        let limits = try decoder.decodeList(6, of: LimitMessage.self)
        let memoryLimit = try decoder.decode(7, as: UInt64.self)
        guard let memory = LaunchReport.Enforcement(rawValue: try decoder.decode(8, as: String.self)) else {
            throw decoder.failure(8, reason: .rejected("is no known value"))
        }
        // A newer daemon may send a value that this library does not know.
        let privateDirectory = try decoder.decodeIfPresent(9, as: String.self)
            .flatMap(LaunchReport.PrivateOwner.init)
        value = LaunchReport(
            waited: waited, steps: steps.map(\.value), layers: layers, waived: waived.map(\.value), policy: policy,
            limits: limits.map(\.value), memoryLimit: memoryLimit, memory: memory, privateDirectory: privateDirectory)
    }
}

extension LaunchReportMessage {
    private struct StepMessage: Message {
        let value: LaunchReport.Step

        init(_ value: LaunchReport.Step) {
            self.value = value
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(value.name, as: 1)
            encoder.encode(value.duration.wireNanoseconds, as: 2)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            let name = try decoder.decode(1, as: String.self)
            value = LaunchReport.Step(name: name, duration: Duration(wire: try decoder.decode(2, as: UInt64.self)))
        }
    }

    private struct WaiverMessage: Message {
        let value: LaunchReport.Waiver

        init(_ value: LaunchReport.Waiver) {
            self.value = value
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(value.layer.rawValue, as: 1)
            encoder.encode(value.cause, as: 2)
            encoder.encode(value.remedy, as: 3)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            guard let layer = DispensableLayer(rawValue: try decoder.decode(1, as: String.self)) else {
                throw decoder.failure(1, reason: .rejected("is no known layer"))
            }
            let cause = try decoder.decode(2, as: String.self)
            value = LaunchReport.Waiver(
                layer: layer, cause: cause, remedy: try decoder.decodeIfPresent(3, as: String.self))
        }
    }

    private struct LimitMessage: Message {
        let value: LaunchReport.Limit

        init(_ value: LaunchReport.Limit) {
            self.value = value
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(value.name, as: 1)
            encoder.encode(value.bound, as: 2)
            encoder.encode(value.enforcement.rawValue, as: 3)
            encoder.encode(value.keeper, as: 4)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            let name = try decoder.decode(1, as: String.self)
            let bound = try decoder.decode(2, as: String.self)
            guard let enforcement = LaunchReport.Enforcement(rawValue: try decoder.decode(3, as: String.self)) else {
                throw decoder.failure(3, reason: .rejected("is no known value"))
            }
            value = LaunchReport.Limit(
                name: name, bound: bound, enforcement: enforcement, keeper: try decoder.decode(4, as: String.self))
        }
    }
}
